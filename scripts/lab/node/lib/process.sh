# Starting, awaiting and stopping the parts of the node.

started= # "name:pid" of each part

# start NAME COMMAND… : in the background, its output in a log of its own.
start() {
  part=$1; shift
  "$@" >>$log/$part.log 2>&1 &
  started="$started $part:$!"
}

# wait_for WHAT SECONDS COMMAND… : until the command succeeds. When time is up, or a part of the node ended meanwhile, the node
# gives up and says why: k3d would wait on and say nothing.
wait_for() {
  what=$1; deadline=$(($(date +%s) + $2)); seconds=$2; shift 2
  until "$@" >/dev/null 2>&1; do
    [ -z "$(name_the_ended)" ] || give_up "waiting for $what"
    [ "$(date +%s)" -lt $deadline ] || give_up "waited ${seconds} s for $what in vain; see $log"
    sleep 0.2
  done
}

# give_up WHY : ends the node; Docker's restart policy starts it anew. k3d's entry script goes too: while the node starts it waits
# for `kubectl uncordon` to succeed, for ever.
give_up() {
  echo "k3s-lab: $1" >&2
  name_the_ended >&2
  stop_all
  [ $PPID -le 1 ] || kill -KILL $PPID
  exit 1
}

name_the_ended() {
  for each in $started; do
    ! kill -0 "${each#*:}" 2>/dev/null || continue
    echo "k3s-lab: ${each%:*} ended; its last lines:"
    tail -n 5 $log/${each%:*}.log
  done
}

# Like k3s itself, this leaves at once: an API server that is asked to stop waits for its watchers first. Only what holds state is
# waited for.
stop_all() {
  holders=
  for each in $started; do
    pid=${each#*:}
    case ${each%:*} in
      etcd | containerd) kill -TERM "$pid" 2>/dev/null && holders="$holders $pid" ;;
      *) kill -KILL "$pid" 2>/dev/null ;;
    esac || true
  done
  # shellcheck disable=SC2086 # several words
  [ -z "$holders" ] || wait $holders || true
}
