# CoreDNS, run by the node itself in place of a Deployment: one image less to build, and names resolve as soon as the node is up.

start_dns() {
  cat > /etc/kubernetes/Corefile <<C
.:53 {
  bind $ip
  errors
  kubernetes cluster.local 10.43.0.0/16 {
    kubeconfig $kubeconfig
  }
  forward . /etc/resolv.conf
}
C
  start coredns coredns -conf /etc/kubernetes/Corefile
  kubectl apply -f - >>$log/dns.log <<Y
apiVersion: v1
kind: Service
metadata: {name: kube-dns, namespace: kube-system}
spec:
  clusterIP: 10.43.0.10
  ports: [{name: dns, port: 53, protocol: UDP}, {name: dns-tcp, port: 53, protocol: TCP}]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: kube-dns-node, namespace: kube-system, labels: {kubernetes.io/service-name: kube-dns}}
addressType: IPv4
endpoints: [{addresses: ["$ip"], conditions: {ready: true}}]
ports: [{name: dns, port: 53, protocol: UDP}, {name: dns-tcp, port: 53, protocol: TCP}]
Y
}
