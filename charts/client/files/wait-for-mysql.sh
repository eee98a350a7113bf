# Waits until MySQL accepts connections, so that the jobs manager does not crash on the first refused one (backend#2913).
# Arguments: HOST, PORT, SECONDS. The Service has no endpoint before MySQL is ready: to connect is to know that it is.
host=$1 port=$2 limit=$3
end=$(($(date +%s) + limit))

echo "wait-for-mysql: waiting for $host:$port, at most $limit s"
# -e instead of -z, which not every busybox has.
until nc -w 3 "$host" "$port" -e true 2>/dev/null; do
  if [ "$(date +%s)" -ge "$end" ]; then
    echo "wait-for-mysql: FAIL $host:$port accepted no connection in $limit s; see the logs of its pod"
    exit 1
  fi
  sleep 1
done
echo "wait-for-mysql: OK"
