#!/bin/bash
# Run by mmdebstrap on the fresh root of the node base image, before it is packed. Deleting is done here, not in a later
# layer, where it would only hide.
# usage: node-root-hook.sh ROOT
set -euo pipefail
root=$1

# A node's systemd has one task. Of what Debian starts at boot only the journal stays; the rest would wait for devices,
# change the host's kernel (binfmt, sysctl), or take seconds from every start.
find "$root"/etc/systemd/system "$root"/usr/lib/systemd/system -path '*.wants/*' \
  ! -name 'systemd-journald*' -delete
rm -f "$root"/usr/lib/systemd/system/sockets.target.wants/systemd-journald-audit.socket
for unit in systemd-binfmt.service systemd-update-utmp.service systemd-remount-fs.service console-getty.service; do
  ln -sf /dev/null "$root/etc/systemd/system/$unit"
done
ln -sf multi-user.target "$root/usr/lib/systemd/system/default.target"

# Programs of the containerd and plugin packages that a node does not use.
rm -f "$root"/usr/bin/containerd-shim "$root"/usr/bin/containerd-shim-runc-v1 "$root"/usr/bin/containerd-stress
rm -f "$root"/usr/lib/cni/{dhcp,firewall,vrf,sbr,macvlan,ipvlan,vlan,static}

# The default container, less its resource limits: 1024 open files, when a container should have what containerd has.
chroot "$root" ctr oci spec | jq 'del(.process.rlimits)' >"$root/etc/containerd/base-spec.json"

# Engines copy /var into a volume for each node, file by file. The package database is most of it, and never changes.
mv "$root/var/lib/dpkg" "$root/usr/lib/dpkg-database"
ln -s ../../usr/lib/dpkg-database "$root/var/lib/dpkg"
