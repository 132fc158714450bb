#!/bin/bash
# Proves that kindr works for a user without root's rights: clusters of rootless engines in a guest with cgroup v2.
# usage: test-rootless.sh [ENGINE...]    podman and docker if none is named
source "$(dirname "$0")/lib.sh"

engines=("$@")
if [ ${#engines[@]} = 0 ]; then engines=(podman docker); fi
"$TESTBED_DIR/cargo-static.sh" kindr
share=$(mktemp -d "$KINDR_TESTBED/guest/share.XXXXXX")
trap 'rm -rf "$share"' EXIT
chmod 0755 "$share"
mkdir "$share/bin"
install -m 0755 "$KINDR_TESTBED/bin/kindr" "$RELEASE/bin/kubectl" "$share/bin/"
# hostfs shows the host's files with the host's modes, and follows no links out of the folder.
for archive in "$RELEASE/images/node.tar:node.tar" "$KINDR_TESTBED/images/test-tools.tar:tools.tar"; do
  ln "${archive%:*}" "$share/${archive#*:}" 2>/dev/null || cp "${archive%:*}" "$share/${archive#*:}"
  chmod 0644 "$share/${archive#*:}"
done
sed "s|kindr/node:VERSION|$NODE_IMAGE|" "$TESTBED_DIR/guest/test.sh" >"$share/test.sh"
printf 'bash /share/test.sh %s\n' "${engines[*]}" >"$share/run.sh"
"$TESTBED_DIR/guest-boot.sh" "$share" 2400
