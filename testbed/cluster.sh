#!/usr/bin/env bash
# Creates a cluster with the node image that is easiest to get, and shows what runs in it.
# usage: cluster.sh KINDR [NAME]
source "$(dirname "$0")/lib.sh"

kindr=$1
name=${2:-kind}
control_plane=$name-control-plane

# The image in use: the one that the user names, the published one, or else the test bed's own.
choose_image() {
  local published
  if [ -n "${KINDR_NODE_IMAGE:-}" ]; then return; fi
  if have_image "$NODE_IMAGE"; then
    export KINDR_NODE_IMAGE=$NODE_IMAGE
    return
  fi
  published=$(sed -n 's/.*"\(kindest\/node:[^"]*\)".*/\1/p' "$REPO_DIR/src/cli/create.rs" | head -1)
  if have_image "$published"; then return; fi
  say "looking for a registry that serves $published"
  if timeout 30 docker manifest inspect "$published" >/dev/null 2>&1 && docker pull "$published" >&2; then return; fi
  say "no registry answers: building $NODE_IMAGE here"
  make --no-print-directory -C "$REPO_DIR" node-image
  export KINDR_NODE_IMAGE=$NODE_IMAGE
}

choose_image
if "$kindr" get nodes --name "$name" -q | grep -q .; then
  say "cluster $name is there already"
else
  "$kindr" create cluster --name "$name" --wait 5m
fi
# The node's own kubectl: this machine may have none.
docker exec "$control_plane" kubectl get nodes,pods -A
