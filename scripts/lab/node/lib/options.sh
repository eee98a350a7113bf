# The options of `k3s server` that k3d and the product pass.

disable_local_storage=
tls_sans=
node_labels=
kubelet_args=

read_options() {
  while [ $# -gt 0 ]; do
    case $1 in
      --*=*) option=${1%%=*}; value=${1#*=}; shift ;;
      --*) option=$1; value=${2:-}; shift; [ $# -eq 0 ] || shift ;;
      *) echo "k3s-lab: ignoring $1"; shift; continue ;;
    esac
    case $option in
      --tls-san) tls_sans="$tls_sans, $value" ;;
      --node-label) node_labels="$node_labels,$value" ;;
      --kubelet-arg) kubelet_args="$kubelet_args --$value" ;;
      --disable)
        case ,$value, in *,local-storage,*) disable_local_storage=yes ;; esac ;;
      *) echo "k3s-lab: ignoring $option" ;;
    esac
  done
}
