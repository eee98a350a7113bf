#!/bin/sh
# Makes a Debian file system look like that of the real k3s image. A script that leans on GNU tools, on bash, or on users that
# Debian knows must fail here as it would fail there.
set -eu
root=$1

# Real k3s's userland is busybox, except where Kubernetes needs the real thing (mount, ip, iptables, nsenter).
for package in coreutils sed grep findutils tar gzip mawk diffutils hostname login; do
  while read -r file; do
    case $file in /bin/?* | /sbin/?* | /usr/bin/?* | /usr/sbin/?*) rm -f "$root$file" ;; esac
  done < "$root/var/lib/dpkg/info/$package.list"
done
ln -sf busybox "$root/usr/bin/sh"
"$root/bin/busybox" --list | while read -r applet; do
  [ -e "$root/usr/bin/$applet" ] || [ -e "$root/usr/sbin/$applet" ] || ln -sf busybox "$root/usr/bin/$applet"
done
rm -f "$root/usr/bin/bash" "$root/usr/bin/dash" "$root"/usr/bin/perl*

# Real k3s knows root alone: Debian's nobody is 65534, which would lend the writer's uid a name and a group.
echo 'root:x:0:0:root:/:/bin/sh' > "$root/etc/passwd"
echo 'root:x:0:' > "$root/etc/group"
rm -f "$root/etc/shadow" "$root/etc/gshadow"

rm -rf "$root"/var/lib/apt "$root"/var/cache/apt "$root"/var/lib/dpkg "$root"/usr/lib/apt "$root"/usr/bin/apt* "$root"/usr/bin/dpkg* \
  "$root"/usr/share/doc "$root"/usr/share/man "$root"/usr/share/info "$root"/usr/share/locale "$root"/usr/share/zoneinfo \
  "$root"/usr/share/perl5 "$root"/usr/share/bash-completion "$root"/usr/bin/containerd-shim "$root"/usr/bin/containerd-shim-runc-v1
