# A kubeconfig of the pod's own account: a kubectl that finds none may ask localhost:8080 instead of the cluster (#634).
export KUBECONFIG=/tmp/kubeconfig
case $KUBERNETES_SERVICE_HOST in
  *:*) server="[$KUBERNETES_SERVICE_HOST]:$KUBERNETES_SERVICE_PORT" ;;
  *) server="$KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT" ;;
esac
account=/var/run/secrets/kubernetes.io/serviceaccount
cat >"$KUBECONFIG" <<CONFIG
apiVersion: v1
kind: Config
clusters: [{ name: pod, cluster: { server: "https://$server", certificate-authority: $account/ca.crt } }]
users: [{ name: pod, user: { tokenFile: $account/token } }]
contexts: [{ name: pod, context: { cluster: pod, user: pod } }]
current-context: pod
CONFIG
