# Moves the client's containers on to the image that Docker Hub now has under their tag. Reads NAMESPACE, DEPLOYMENT (which
# carries the notes), ROLLOUT_TIMEOUT, MAX_ATTEMPTS, MAX_SKIPS. Arguments, for each image:
# REPOSITORY:TAG NAMESPACE/KIND/NAME=CONTAINER[,NAMESPACE/KIND/NAME=CONTAINER]
say() { echo "image-refresh: $*"; }
note() { kubectl --namespace "$NAMESPACE" annotate --overwrite deployment "$DEPLOYMENT" "$@" >/dev/null; }
noted() {
  kubectl --namespace "$NAMESPACE" get deployment "$DEPLOYMENT" \
    --output "go-template={{ with index .metadata.annotations \"tracebloc.io/$1\" }}{{ . }}{{ end }}"
}

# The digest of the tag in hand, of the whole index and not of one architecture. The token goes by standard input: the
# arguments of a program are everybody's to read.
digest_of() {
  token=$(curl --silent --fail --max-time 30 \
    "https://auth.docker.io/token?service=registry.docker.io&scope=repository:$1:pull" |
    sed -n 's/.*"token" *: *"\([^"]*\)".*/\1/p')
  [ -n "$token" ] || return 1
  printf 'header = "Authorization: Bearer %s"\n' "$token" |
    curl --silent --fail --head --max-time 30 --config - \
      --header 'Accept: application/vnd.oci.image.index.v1+json' \
      --header 'Accept: application/vnd.docker.distribution.manifest.list.v2+json' \
      --header 'Accept: application/vnd.oci.image.manifest.v1+json' \
      --header 'Accept: application/vnd.docker.distribution.manifest.v2+json' \
      "https://registry-1.docker.io/v2/$1/manifests/$tag" |
    tr -d '\r' | sed -n 's/^[Dd]ocker-[Cc]ontent-[Dd]igest: *\(sha256:[0-9a-f]\{64\}\)$/\1/p'
}

roll() {
  for target in $(printf '%s' "$targets" | tr ',' ' '); do
    object=${target%%=*} container=${target#*=}
    in=${object%%/*} object=${object#*/}
    kubectl --namespace "$in" set image "$object" "$container=docker.io/$repository@$digest" >/dev/null || return 1
  done
  for target in $(printf '%s' "$targets" | tr ',' ' '); do
    object=${target%%=*}
    kubectl --namespace "${object%%/*}" rollout status "${object#*/}" --timeout "$ROLLOUT_TIMEOUT" >/dev/null || return 1
  done
}

failed=
skipped=
while [ $# -ge 2 ]; do
  repository=${1%:*} tag=${1##*:} targets=$2
  shift 2
  image=${repository##*/}

  digest=$(digest_of "$repository")
  if [ -z "$digest" ] || ! recorded=$(noted "last-refreshed-$image-digest"); then
    say "$image: not compared"
    skipped=yes
    continue
  fi
  if [ "$digest" = "$recorded" ]; then
    say "OK $image is $digest"
    continue
  fi
  # The first time there is nothing to compare with, and no reason to restart what runs.
  if [ -z "$recorded" ]; then
    say "OK $image is $digest, from now on"
    note "tracebloc.io/last-refreshed-$image-digest=$digest" || failed=yes
    continue
  fi

  # An image that never comes up is not tried for ever: each try restarts the client.
  tried=$(noted "refresh-attempt-$image")
  case $tried in "$digest "*) tries=${tried#* } ;; *) tries=0 ;; esac
  if [ "$tries" -ge "$MAX_ATTEMPTS" ]; then
    say "FAIL $image: $digest did not come up in $tries tries and is left alone; for another round: kubectl --namespace $NAMESPACE annotate deployment $DEPLOYMENT tracebloc.io/refresh-attempt-$image-"
    note "tracebloc.io/refresh-flap-detected=$image $digest"
    failed=yes
    continue
  fi
  if ! note "tracebloc.io/refresh-attempt-$image=$digest $((tries + 1))"; then
    failed=yes
    continue
  fi
  if roll; then
    # Only now: noted before, a rollout that failed would freeze the image without a word.
    say "OK $image was $recorded and is $digest"
    note "tracebloc.io/last-refreshed-$image-digest=$digest" "tracebloc.io/refresh-attempt-$image-" \
      tracebloc.io/refresh-flap-detected- || failed=yes
  else
    say "FAIL $image: $digest did not come up, try $((tries + 1)) of $MAX_ATTEMPTS"
    failed=yes
  fi
done

# A registry that is away for a while is none of our business; one that is away for good must be seen (#563).
streak=$(noted refresh-skip-streak)
if [ -n "$skipped" ]; then
  streak=$((${streak:-0} + 1))
  note "tracebloc.io/refresh-skip-streak=$streak"
  if [ "$streak" -ge "$MAX_SKIPS" ]; then
    say "FAIL images were not compared $streak times in a row: is Docker Hub reachable from the cluster?"
    failed=yes
  fi
elif [ -n "$streak" ]; then
  note tracebloc.io/refresh-skip-streak-
fi
[ -z "$failed" ]
