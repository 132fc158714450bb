#!/bin/bash
# Loads an image archive into the podman of the guest's user, on the guest's disk, without the guest. Runs as root in mount
# and PID namespaces of its own, which end what podman leaves running.
# usage: load-outside.sh DISK MOUNT_POINT ARCHIVE
set -euo pipefail
disk=$1 mount_point=$2 archive=$3

mount -o loop "$disk" "$mount_point"
cd "$mount_point"
touch mnt/archive
mkdir -p mnt/old
mount --bind "$archive" mnt/archive
mount -t proc proc proc
mount --rbind /dev dev
# podman's locks are not the host's.
mount -t tmpfs tmpfs dev/shm
mount -t tmpfs tmpfs run
# A user namespace cannot be made in a chroot, so the disk becomes the root.
pivot_root . mnt/old
cd /
umount -l /mnt/old
install -d -m 0700 -o 1000 -g 1000 /run/user/1000
setpriv --reuid 1000 --regid 1000 --init-groups --reset-env \
  env HOME=/home/dev XDG_RUNTIME_DIR=/run/user/1000 timeout 600 podman --cgroup-manager cgroupfs load --quiet --input /mnt/archive
sync
umount /mnt/archive
rm -rf /mnt/archive /mnt/old
