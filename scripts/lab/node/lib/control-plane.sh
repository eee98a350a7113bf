# etcd, API server, controller manager, scheduler.

start_api_server() {
  # Nothing here outlives a crash of the machine, so etcd need not wait for its disk.
  start etcd etcd --data-dir $state/server/db --unsafe-no-fsync \
    --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \
    --listen-peer-urls http://127.0.0.1:2380
  start kube-apiserver kube-apiserver \
    --etcd-servers=http://127.0.0.1:2379 --advertise-address=$ip --secure-port=6443 \
    --allow-privileged=true --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction \
    --service-cluster-ip-range=10.43.0.0/16 \
    --client-ca-file=$pki/ca.crt --tls-cert-file=$pki/apiserver.crt --tls-private-key-file=$pki/apiserver.key \
    --kubelet-client-certificate=$pki/apiserver-kubelet-client.crt \
    --kubelet-client-key=$pki/apiserver-kubelet-client.key \
    --service-account-issuer=https://kubernetes.default.svc.cluster.local \
    --service-account-key-file=$pki/sa.pub --service-account-signing-key-file=$pki/sa.key \
    --proxy-client-cert-file=$pki/front-proxy-client.crt --proxy-client-key-file=$pki/front-proxy-client.key \
    --requestheader-client-ca-file=$pki/front-proxy-ca.crt --requestheader-allowed-names=front-proxy-client \
    --requestheader-extra-headers-prefix=X-Remote-Extra- --requestheader-group-headers=X-Remote-Group \
    --requestheader-username-headers=X-Remote-User
}

start_controllers() {
  # kubeadm's admin.conf, which the super admin's certificate does not need, belongs to this group.
  kubectl create clusterrolebinding kubeadm:cluster-admins --clusterrole=cluster-admin \
    --group=kubeadm:cluster-admins >/dev/null 2>&1 || true
  conf=/etc/kubernetes/controller-manager.conf
  start kube-controller-manager kube-controller-manager \
    --kubeconfig=$conf --authentication-kubeconfig=$conf --authorization-kubeconfig=$conf \
    --use-service-account-credentials=true --leader-elect=false --allocate-node-cidrs=false \
    --root-ca-file=$pki/ca.crt --client-ca-file=$pki/ca.crt --requestheader-client-ca-file=$pki/front-proxy-ca.crt \
    --cluster-signing-cert-file=$pki/ca.crt --cluster-signing-key-file=$pki/ca.key \
    --service-account-private-key-file=$pki/sa.key
  conf=/etc/kubernetes/scheduler.conf
  start kube-scheduler kube-scheduler --leader-elect=false \
    --kubeconfig=$conf --authentication-kubeconfig=$conf --authorization-kubeconfig=$conf
}
