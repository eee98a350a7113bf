# Makes sure that the node's kernel knows file systems, loading the host's own modules for those it does not.
# Arguments: the kernel's list (/proc/filesystems), the directory that holds the host's lib, then the names.
list=$1 root=$2
shift 2

# Each line is `nodev<tab>overlay` or `<tab>ext4`. The whole name counts: erofs is no erofs2.
is_registered() {
  while read -r first second; do
    case ${second:-$first} in "$1") return 0 ;; esac
  done <"$list"
  return 1
}

failed=
fail() {
  failed="$failed $name"
  echo "prepare-filesystems: FAIL $name: $1"
}

if [ ! -r "$list" ]; then
  echo "prepare-filesystems: FAIL what the kernel knows cannot be read from $list"
  exit 1
fi

for name do
  # First, and for most nodes all: a kernel with the file system built in has neither module nor need of modprobe.
  if is_registered "$name"; then
    echo "prepare-filesystems: OK $name is registered"
    continue
  fi

  kernel=$(uname -r)
  if [ ! -d "$root/lib/modules/$kernel" ]; then
    fail "kernel $kernel does not know it, and the node has no modules for this kernel in /lib/modules/$kernel"
    continue
  fi
  if ! command -v modprobe >/dev/null; then
    fail "kernel $kernel does not know it, and the image of this container has no modprobe to load it with"
    continue
  fi

  if said=$(modprobe -d "$root" -- "$name" 2>&1); then
    # Believed only when the kernel says so: a module may bear the name and register nothing, and an alias may be blacklisted.
    if is_registered "$name"; then
      echo "prepare-filesystems: OK $name is loaded"
    else
      fail "modprobe succeeded, and kernel $kernel still does not know it"
    fi
    continue
  fi
  case $said in
    *'not permitted'* | *ermission*)
      fail "this container may not load modules into kernel $kernel (capability SYS_MODULE, Secure Boot, lockdown): $said"
      ;;
    *) fail "modprobe could not load it into kernel $kernel: $said" ;;
  esac
done

[ -n "$failed" ] || exit 0
echo "prepare-filesystems: no agent starts on this node before the kernel knows:$failed"
echo "prepare-filesystems: on the node, as root: modprobe NAME, and NAME into /etc/modules-load.d/tracebloc.conf;"
echo "prepare-filesystems: or use a kernel that has it, or take it out of nodePrep.filesystems"
exit 1
