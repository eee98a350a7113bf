# Proves that a training which is locked down reaches nothing outside, from a pod that the policy takes for one.
# Arguments: a host outside, the gateway (empty where trainings do not use it), a URL that the gateway lets through.
host=$1 gateway=$2 allowed=$3

# What curl says last is how long the connection took to stand: 0 when it never did.
took=$(curl --silent --output /dev/null --noproxy '*' --insecure --connect-timeout 8 --max-time 12 \
  --write-out '%{time_connect}' "https://$host/")
code=$?
if [ "$code" -eq 6 ]; then
  echo "egress-enforcement: FAIL not checked: $host has no address; set networkPolicy.training.enforcementProbeHost"
  exit 1
fi
case $took in
  *[1-9]*)
    echo "egress-enforcement: FAIL $host was reached: the network plugin of this cluster does not enforce policies"
    exit 1
    ;;
esac
echo "egress-enforcement: OK $host cannot be reached"

[ -n "$gateway" ] || exit 0
tunnel() {
  curl --silent --output /dev/null --noproxy '' --insecure --proxy "$gateway" --connect-timeout 10 --max-time 20 \
    --write-out '%{http_connect}' "$1"
}
case $(tunnel "https://$host/") in
  403) echo "egress-enforcement: OK the gateway refuses $host" ;;
  *)
    echo "egress-enforcement: FAIL the gateway $gateway does not refuse $host"
    exit 1
    ;;
esac
case $(tunnel "$allowed") in
  200) echo "egress-enforcement: OK the gateway lets $allowed through" ;;
  *)
    echo "egress-enforcement: FAIL the gateway $gateway does not let $allowed through; see egressProxy.allowlist"
    exit 1
    ;;
esac
