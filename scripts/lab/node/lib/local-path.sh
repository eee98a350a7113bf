# k3s's local-storage: the StorageClass local-path, whose volumes are folders in the node. Run by the node itself, like CoreDNS.

start_local_path() {
  folder=/etc/kubernetes/local-path
  mkdir -p $folder
  cat > $folder/config.json <<J
{"nodePathMap": [{"node": "DEFAULT_PATH_FOR_NON_LISTED_NODES", "paths": ["$state/storage"]}]}
J
  # The provisioner makes and removes each folder by a pod.
  cat > $folder/helperPod.yaml <<Y
apiVersion: v1
kind: Pod
metadata: {name: helper-pod}
spec:
  containers: [{name: helper-pod, image: $busybox_image, imagePullPolicy: IfNotPresent}]
Y
  printf '#!/bin/sh\nset -eu\nmkdir -m 0777 -p "$VOL_DIR"\nchmod 700 "$VOL_DIR/.."\n' > $folder/setup
  printf '#!/bin/sh\nset -eu\nrm -rf "$VOL_DIR"\n' > $folder/teardown
  kubectl apply -f - >>$log/local-path.log <<Y
apiVersion: v1
kind: ServiceAccount
metadata: {name: local-path-provisioner-service-account, namespace: kube-system}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: local-path, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}
provisioner: rancher.io/local-path
volumeBindingMode: WaitForFirstConsumer
reclaimPolicy: Delete
Y
  kubectl -n kube-system create configmap local-path-config --dry-run=client -o yaml --from-file=$folder \
    | kubectl apply -f - >>$log/local-path.log
  start local-path env POD_NAMESPACE=kube-system local-path start --kubeconfig $kubeconfig --namespace kube-system \
    --config $folder/config.json --configmap-name local-path-config --helper-image $busybox_image \
    --service-account-name local-path-provisioner-service-account
}
