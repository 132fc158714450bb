#!/bin/bash
# Boots the rootless guest from a copy of its disk, runs SHARE/run.sh in it as root, and ends with its exit code. The guest
# sees the folder SHARE at /share; what the user `dev` is to read must be readable by others.
# usage: guest-boot.sh SHARE [SECONDS]
source "$(dirname "$0")/lib.sh"

share=$(cd "$1" && pwd)
readonly limit=${2:-1500} guest=$KINDR_TESTBED/guest
work=$(mktemp -d "$guest/run.XXXXXX")
trap 'rm -rf "$work"' EXIT
# A copy is quicker than the kernel's copy-on-write files.
cp --sparse=always "$guest/disk.img" "$work/disk.img"
# One processor: it is steadier than two on a busy host. What cannot go on when the time is up is ended with it.
TMPDIR=/dev/shm timeout --kill-after=10 "$limit" nice "$guest/linux" mem=8G seccomp=on ubd0="$work/disk.img" root=/dev/ubda rw \
  con=null con0=fd:0,fd:1 ssl=null quiet guest_share="$share" </dev/null 2>&1 | tee "$work/console" | sed -u '/^guest-exit/d; s/\r$//' || true
code=$(sed -n 's/^guest-exit \([0-9]*\).*/\1/p' "$work/console" | tail -1)
if [ -z "$code" ]; then fail "the guest ended, or its $limit s were up, before its work was done"; fi
exit "$code"
