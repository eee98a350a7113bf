# Proves the road from a pod to the backend. Argument: its URL. Any answer will do: what counts is that there is one.
url=$1
if said=$(curl --silent --show-error --output /dev/null --write-out '%{http_code}' --retry 2 --retry-connrefused \
  --connect-timeout 10 --max-time 30 "$url" 2>&1); then
  echo "backend-reachability: OK $url answered $said"
  exit 0
fi
echo "backend-reachability: FAIL $url: $said"
echo "backend-reachability: a proxy belongs into env.HTTP_PROXY_HOST, a site's own certificate authority into caBundle"
exit 1
