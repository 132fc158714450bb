#!/bin/bash
# What the guest's root has beyond Debian's packages. Called by mmdebstrap.
# usage: root-hook.sh ROOT FILES
set -euo pipefail
root=$1 files=$2

chroot "$root" useradd --create-home --shell /bin/bash --uid 1000 dev
mkdir -p "$root"/{lib/modules,share,var/lib/systemd/linger,etc/systemd/system/user@.service.d,home/dev/.config/containers}
touch "$root/var/lib/systemd/linger/dev"
printf '[Service]\nDelegate=cpu cpuset io memory pids\n' >"$root/etc/systemd/system/user@.service.d/delegate.conf"
printf '[storage]\ndriver = "overlay"\n' >"$root/home/dev/.config/containers/storage.conf"
chown -R 1000:1000 "$root/home/dev"
printf 'fs.inotify.max_user_instances=512\nfs.inotify.max_user_watches=524288\n' >"$root/etc/sysctl.d/guest.conf"
echo guest >"$root/etc/hostname"
echo '127.0.0.1 localhost guest' >"$root/etc/hosts"
echo '/dev/root / ext4 defaults 0 1' >"$root/etc/fstab"
install -m 0755 "$files/guest-run" "$root/usr/local/sbin/guest-run"
cat >"$root/etc/systemd/system/guest-run.service" <<'U'
[Unit]
After=multi-user.target user@1000.service
Wants=user@1000.service
[Service]
ExecStart=/usr/local/sbin/guest-run
U
mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
ln -sf ../guest-run.service "$root/etc/systemd/system/multi-user.target.wants/"
for unit in docker.service docker.socket containerd.service apt-daily.timer apt-daily-upgrade.timer; do
  ln -sf /dev/null "$root/etc/systemd/system/$unit"
done
