# Certificates and kubeconfigs, made by kubeadm.

make_certificates() {
  mkdir -p $pki
  # The serving certificate names the node's address, which Docker may change between two starts.
  rm -f $pki/apiserver.crt $pki/apiserver.key
  cat > /etc/kubernetes/kubeadm.yaml <<Y
apiVersion: kubeadm.k8s.io/v1beta4
kind: InitConfiguration
localAPIEndpoint: {advertiseAddress: $ip, bindPort: 6443}
nodeRegistration: {name: $name, criSocket: unix:///run/containerd/containerd.sock}
---
apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
kubernetesVersion: $kubernetes_version
certificatesDir: $pki
networking: {serviceSubnet: 10.43.0.0/16, podSubnet: 10.42.0.0/16}
apiServer: {certSANs: [127.0.0.1, localhost, $name$tls_sans]}
Y
  kubeadm init phase certs all --config /etc/kubernetes/kubeadm.yaml >$log/kubeadm.log 2>&1
}

make_kubeconfigs() {
  rm -f /etc/kubernetes/*.conf
  kubeadm init phase kubeconfig all --config /etc/kubernetes/kubeadm.yaml >>$log/kubeadm.log 2>&1
  sed -i 's#server: .*#server: https://127.0.0.1:6443#' /etc/kubernetes/*.conf
  # k3d panics unless cluster, user and context are all called "default".
  sed 's/kubernetes-super-admin@kubernetes/default/; s/kubernetes-super-admin/default/; s/: kubernetes$/: default/' \
    /etc/kubernetes/super-admin.conf > $kubeconfig
  cp $kubeconfig /output/kubeconfig.yaml # where k3d's K3S_KUBECONFIG_OUTPUT points
}
