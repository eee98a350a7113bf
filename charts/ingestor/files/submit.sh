# Hands a submission to the jobs manager and says what it answered. Arguments: URL, BODY file, TOKEN file, SECONDS.
# Asks again while nobody is there to answer: the jobs manager may be starting, and one key starts one run however often
# it is sent.
url=$1 body=$2 token=$3 limit=$4
end=$(($(date +%s) + limit))
newline='
'

fail() {
  echo "submit: FAIL $*"
  exit 1
}

[ -s "$token" ] || fail "there is no token in $token: the pod has none of its service account"
[ -s "$body" ] || fail "there is nothing to submit in $body"
echo "submit: POST $url, at most $limit s"

code=28 answer=
while left=$((end - $(date +%s))) && [ "$left" -gt 0 ]; do
  # The token goes in on standard input: arguments are for everybody to see.
  answer=$(printf 'Authorization: Bearer %s\n' "$(cat "$token")" |
    curl --silent --show-error --max-time "$left" --header @- --header 'Content-Type: application/json' \
      --data-binary "@$body" --write-out '\n%{http_code}' "$url" 2>&1)
  code=$?
  # What curl says when the name is not known (6), the port is closed (7), nothing was said (52) or the connection broke
  # (56); and what stands before the jobs manager while it is not ready.
  case $code:${answer##*"$newline"} in
    6:* | 7:* | 52:* | 56:* | 0:50[234]) sleep 1 ;;
    *) break ;;
  esac
done

if [ "$code" -ne 0 ]; then
  echo "submit: is the client of this namespace ready? kubectl get deployments --selector app.kubernetes.io/name=client"
  fail "no answer from $url: ${answer%%"$newline"*}"
fi
status=${answer##*"$newline"}
echo "${answer%"$newline"*}"
case $status in
  200) echo "submit: OK 200, the jobs manager has this run already and begins no other" ;;
  2??) echo "submit: OK $status, the run is accepted" ;;
  401 | 403) fail "$status, this service account may not ingest into that table: see ingestionAuthz in the client's values" ;;
  409) fail "409, the key is that of another submission: choose one with --set idempotencyKey=KEY, or uninstall and install again" ;;
  *) fail "$status, the jobs manager does not take it" ;;
esac
