# Starting, awaiting and stopping the parts of the node.

started= # "name:pid" of each part

# start NAME COMMAND… : in the background, its output in a log of its own.
start() {
  part=$1; shift
  "$@" >>$log/$part.log 2>&1 &
  started="$started $part:$!"
}

# wait_for WHAT SECONDS COMMAND… : until the command succeeds, or the node gives up and says what it waited for.
wait_for() {
  what=$1; deadline=$(($(date +%s) + $2)); seconds=$2; shift 2
  until "$@" >/dev/null 2>&1; do
    if [ "$(date +%s)" -ge $deadline ]; then
      echo "k3s-lab: waited ${seconds} s for $what in vain; see $log" >&2
      name_the_ended >&2
      stop_all
      exit 1
    fi
    sleep 0.2
  done
}

name_the_ended() {
  for each in $started; do
    ! kill -0 "${each#*:}" 2>/dev/null || continue
    echo "k3s-lab: ${each%:*} ended; its last lines:"
    tail -n 5 $log/${each%:*}.log
  done
}

# Like k3s itself, this leaves at once: an API server that is asked to stop waits for its watchers first.
stop_all() {
  for each in $started; do
    case ${each%:*} in etcd | containerd) signal=TERM ;; *) signal=KILL ;; esac
    kill -$signal "${each#*:}" 2>/dev/null || true
  done
  wait
}
