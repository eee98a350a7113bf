# Proves that the claims lie where the chart says. Arguments: the namespace, the storage class, then CLAIM:DIRECTORY for
# each claim, DIRECTORY being that of the node, or empty where the class provides it.
namespace=$1 class=$2
shift 2

failed=
fail() {
  failed=yes
  echo "storage-assertions: FAIL $*"
}
of_claim() {
  kubectl --namespace "$namespace" get pvc "$claim" --output "jsonpath={$1}"
}

for entry do
  claim=${entry%%:*} directory=${entry#*:}
  if ! said=$(kubectl --namespace "$namespace" wait pvc "$claim" --for='jsonpath={.status.phase}=Bound' --timeout=120s 2>&1); then
    fail "$claim is not bound: $said"
    continue
  fi
  found=$(of_claim .spec.storageClassName)
  if [ "$found" != "$class" ]; then
    fail "$claim is of class $found, not $class"
    continue
  fi

  volume=$(of_claim .spec.volumeName)
  # Volumes belong to no namespace: an account that is kept to its own cannot read them.
  if ! path=$(kubectl get pv "$volume" --output 'jsonpath={.spec.hostPath.path}' 2>/dev/null); then
    echo "storage-assertions: OK $claim is bound to $volume, which may not be looked at"
    continue
  fi
  # A directory of the node that no provisioner looks after is lost with the node.
  case $directory:$path in
    "$path:$path" | : | :/var/lib/rancher/* | :/opt/local-path-provisioner/*)
      echo "storage-assertions: OK $claim is bound to $volume${path:+ in $path}"
      ;;
    :*) fail "$claim lies in $path of a node, and hostPath is not enabled" ;;
    *) fail "$claim lies in ${path:-no directory of the node}, not in $directory" ;;
  esac
done
[ -z "$failed" ]
