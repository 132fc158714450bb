# shellcheck shell=bash disable=SC2154
# Part of the entrypoint: gives the kubelet a cgroup of its own below the container's.

prepare_cgroups() {
  if on_cgroup_v2; then
    # Here systemd must first move processes out of the root cgroup, see kubelet-cgroup.
    say "detected cgroup v2"
    return
  fi
  drop_misc_controller
  mount --make-rprivate /sys/fs/cgroup
  local own
  own=$(sed -n 's/^[0-9]*:\([^:]*,\)\?cpu\(,[^:]*\)\?://p' /proc/self/cgroup)
  if [ "$own" != / ]; then expose_own_paths "$own"; fi
  local mountpoints
  mapfile -t mountpoints < <(cgroup_mounts | cut -d' ' -f2)
  make_kubelet_cgroups "${mountpoints[@]}"
  say "detected cgroup v1"
}

# Prints the root and the mount point of each cgroup v1 hierarchy.
cgroup_mounts() {
  awk '{ for (i = 7; i < NF; i++) if ($i == "-") { if ($(i + 1) == "cgroup") print $4, $5; next } }' /proc/self/mountinfo
}

# Old runtimes know no misc controller on cgroup v1, and leave containers half in it. systemd mounts what /proc/cgroups
# lists, so it must not see it there; undo-mount-hacks takes the cover away later.
drop_misc_controller() {
  if [ ! -d /sys/fs/cgroup/misc ]; then return; fi
  if ! umount /sys/fs/cgroup/misc || ! rmdir /sys/fs/cgroup/misc; then say "cannot drop the misc controller"; fi
  grep -v ^misc /proc/cgroups >"$state/cgroups"
  mount --bind "$state/cgroups" /proc/cgroups
}

# Without a cgroup namespace /proc/PID/cgroup tells paths of the host, while the engine mounted the container's own cgroup
# as the root: put each hierarchy once more where those paths lead. A hierarchy that the engine did not scope to the
# container is the host's: out of reach with it.
expose_own_paths() {
  local own=$1 root mountpoint
  say "no cgroup namespace: run the container with --cgroupns=private if you can"
  while read -r root mountpoint; do
    if [[ $root != *"$own"* ]]; then
      if ! umount "$mountpoint" || ! rmdir "$mountpoint"; then say "cannot drop $mountpoint"; fi
    elif ! mountpoint -q "$mountpoint$root"; then
      mkdir -p "$mountpoint$root"
      mount --bind "$mountpoint" "$mountpoint$root"
    fi
  done < <(cgroup_mounts)
}

# The kubelet is told to live in /kubelet, so that it leaves other cgroups alone; with the systemd driver that is
# /kubelet.slice. A mount point cannot be removed, so systemd will not tidy them away before the kubelet is there.
make_kubelet_cgroups() {
  local groups=("${@/%//kubelet}" "${@/%//kubelet.slice}") group value
  mkdir -p "${groups[@]}"
  for group in "${groups[@]}"; do
    # A new cpuset has no processors, and takes no process until it is given some.
    if [ -f "$group/cpuset.cpus" ]; then
      for value in cpuset.cpus cpuset.mems; do echo "$(<"${group%/*}/$value")" >"$group/$value"; done
    fi
    mount --bind "$group" "$group"
  done
}
