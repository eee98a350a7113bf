# containerd with the lab's images, the pod network, kubelet and kube-proxy.

start_containerd() {
  registries /etc/rancher/k3s/registries.yaml /etc/containerd/certs.d
  cat > /etc/containerd/config.toml <<T
version = 2
root = "$state/agent/containerd"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "$pause_image"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "/etc/containerd/certs.d"
T
  # host-local gives each pod an address out of this node's part of the cluster's range, as flannel would.
  mkdir -p /etc/cni/net.d
  cat > /etc/cni/net.d/10-lab.conflist <<J
{"cniVersion": "0.4.0", "name": "lab", "plugins": [
  {"type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": true, "hairpinMode": true,
   "ipam": {"type": "host-local", "ranges": [[{"subnet": "10.42.0.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
J
  start containerd containerd
}

# import_images : the lab's own, and those that a person put where k3s looks for them.
import_images() {
  wait_for "containerd" 30 ctr version
  for archive in /images/*.tar $state/agent/images/*.tar; do
    [ ! -f "$archive" ] || ctr --namespace k8s.io images import "$archive" >>$log/images.log 2>&1
  done
}

start_kubelet() {
  # failCgroupV1, cgroupsPerQOS and KubeletInUserNamespace: without them the kubelet refuses to run in a container on
  # machines with cgroup v1 or without all capabilities.
  cat > /etc/kubernetes/kubelet.yaml <<Y
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
cgroupDriver: cgroupfs
cgroupsPerQOS: false
enforceNodeAllocatable: []
failCgroupV1: false
failSwapOn: false
featureGates: {KubeletInUserNamespace: true}
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
clusterDNS: [10.43.0.10]
clusterDomain: cluster.local
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $pki/ca.crt}}
authorization: {mode: Webhook}
evictionHard: {memory.available: 50Mi, nodefs.available: "0%", imagefs.available: "0%"}
Y
  # shellcheck disable=SC2086 # kubelet_args holds several words
  start kubelet kubelet --config=/etc/kubernetes/kubelet.yaml --kubeconfig=/etc/kubernetes/kubelet.conf \
    --hostname-override="$name" --node-ip="$ip" ${node_labels:+--node-labels=${node_labels#,}} $kubelet_args
}

start_kube_proxy() {
  cat > /etc/kubernetes/kube-proxy.yaml <<Y
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clientConnection: {kubeconfig: $kubeconfig}
hostnameOverride: $name
clusterCIDR: 10.42.0.0/16
conntrack: {maxPerCore: 0, min: 0}
mode: iptables
Y
  start kube-proxy kube-proxy --config=/etc/kubernetes/kube-proxy.yaml
}
