# shellcheck shell=bash
# What the steps of the test bed share: where things are kept, one lock, and steps that are skipped when nothing changed.
set -euo pipefail

TESTBED_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
REPO_DIR=$(dirname "$TESTBED_DIR")
KINDR_TESTBED=${KINDR_TESTBED:-$HOME/.cache/kindr-testbed}
# shellcheck disable=SC2034 # used by the scripts that source this one
BASE_IMAGE=kindr/node-base:bookworm
# shellcheck disable=SC2034
DEBIAN=bookworm
export KINDR_TESTBED
mkdir -p "$KINDR_TESTBED"/{done,bin,images,layers}

# use_release VERSION: turns to a Kubernetes. What is its own has folders of its own, in the cache and in go/.
use_release() {
  KUBERNETES_VERSION=$1
  KUBERNETES_MINOR=$(cut -d. -f2 <<<"$KUBERNETES_VERSION")
  # shellcheck disable=SC2034
  NODE_IMAGE=kindr/node:$KUBERNETES_VERSION RELEASE=$KINDR_TESTBED/$KUBERNETES_VERSION RELEASE_MODULES=go/1.$KUBERNETES_MINOR
  [ -d "$TESTBED_DIR/$RELEASE_MODULES" ] || fail "no modules are pinned for Kubernetes $KUBERNETES_VERSION"
  mkdir -p "$RELEASE"/{bin,images,layers}
}

say() { printf '%s\n' "testbed: $*" >&2; }
fail() { say "$*"; exit 1; }

# Two makes at once must not build into the same folder. Whoever comes second waits, then finds the work done. What takes
# long and touches nothing of the others has a lock of its own.
take_lock() { take_lock_named lock; }
take_lock_named() {
  exec 9>"$KINDR_TESTBED/$1"
  flock --nonblock 9 && return
  say "waiting for another run of the test bed to finish"
  flock 9
}

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

# need PROGRAM=PACKAGE...: installs the packages whose program is missing, and nothing when none is.
need() {
  local pair missing=()
  for pair in "$@"; do
    PATH=$PATH:/usr/sbin:/sbin command -v "${pair%%=*}" >/dev/null || missing+=("${pair#*=}")
  done
  if [ ${#missing[@]} -gt 0 ]; then install_packages "${missing[@]}"; fi
}

install_packages() {
  command -v apt-get >/dev/null || fail "please install: $* (this system has no apt-get)"
  say "installing $*"
  # An old package list is the usual reason for a failed install, so refresh it once a day.
  if [ -z "$(find "$KINDR_TESTBED/done/apt-update" -mmin -1440 2>/dev/null)" ]; then
    as_root apt-get update -qq
    touch "$KINDR_TESTBED/done/apt-update"
  fi
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >"$KINDR_TESTBED/apt.log" 2>&1 ||
    { tail -20 "$KINDR_TESTBED/apt.log" >&2; fail "apt-get could not install $*"; }
}

# digest INPUT...: one hash over files, whole folders, and plain words (given as =WORD).
digest() {
  local input
  for input in "$@"; do
    case $input in
      =*) printf '%s\n' "$input" ;;
      *) find "$input" -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sed "s|$REPO_DIR/||" ;;
    esac
  done | sha256sum | cut -c1-24
}

# step NAME TEXT CHECK INPUT... -- COMMAND...: runs COMMAND unless it was done with the same inputs and CHECK still holds.
step() {
  local name=$1 text=$2 check=$3 inputs=() key stamp started
  shift 3
  while [ "$1" != -- ]; do inputs+=("$1"); shift; done
  shift
  key=$(digest "${inputs[@]}")
  stamp=$KINDR_TESTBED/done/$name
  if [ "$(cat "$stamp" 2>/dev/null)" = "$key" ] && $check; then
    say "$name: up to date"
    return
  fi
  say "$name: $text"
  started=$(date +%s%N)
  rm -f "$stamp"
  "$@"
  echo "$key" >"$stamp"
  say "$name: done in $(seconds_since "$started")"
}

seconds_since() { awk -v ns=$(($(date +%s%N) - $1)) 'BEGIN { printf "%.1f s", ns / 1e9 }'; }
stamp_of() { cat "$KINDR_TESTBED/done/$1" 2>/dev/null || true; }
have_image() { has_image docker "$1"; }
has_image() { image_id "$1" "$2" >/dev/null; }
image_id() { "$1" image inspect --format '{{.Id}}' "$2" 2>/dev/null; }

# load_image ARCHIVE NAME [ENGINE]: gives the image to an engine, and takes away the one that had the name, unless something
# runs it.
load_image() {
  local engine=${3:-docker} before
  before=$(image_id "$engine" "$2" || true)
  "$engine" load --quiet --input "$1" >/dev/null
  if [ -n "$before" ] && [ "$before" != "$(image_id "$engine" "$2")" ]; then
    "$engine" image rm "$before" >/dev/null 2>&1 || true
  fi
}

# load_beside STEP ARCHIVE NAME: gives an image that the step STEP made for docker to the other engines that answer.
load_beside() {
  local engine
  for engine in podman nerdctl; do
    if "$engine" info >/dev/null 2>&1; then
      step "$1-$engine" "giving $3 to $engine" "has_image $engine $3" "=$(stamp_of "$1")" -- load_image "$2" "$3" "$engine"
    fi
  done
}

# The default: the newest that starts on every kernel without being told to.
use_release v1.34.4
