#!/bin/bash
# Gets the real kind, to compare with and to prove that the node image is one that it accepts. Debian packages it; it is
# unpacked beside the cache's other things, not installed.
# usage: peer-kind.sh
source "$(dirname "$0")/lib.sh"
take_lock

readonly kind_version=0.33.0 place=$KINDR_TESTBED/kind

# Only Debian's development release has a kind this new, so apt gets lists and sources of its own for this one download.
get_kind() {
  local mirror options
  command -v apt-get >/dev/null || fail "put kind $kind_version at $place/usr/bin/kind by hand: this system has no apt-get"
  rm -rf "$place"
  mkdir -p "$place"/apt/{lists,archives}/partial
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep -m1 -E 'debian/?$' || true)
  [ -n "$mirror" ] || fail "found no Debian mirror in apt's configuration"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror sid main" >"$place/apt/sources.list"
  options=(
    -o "Dir::Etc::sourcelist=$place/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
    -o "Dir::State::lists=$place/apt/lists" -o "Dir::Cache=$place/apt" -o "Dir::Cache::archives=$place/apt/archives"
    # As root, apt would hand the download to a user that may not enter this folder.
    -o APT::Sandbox::User=root
  )
  cd "$place"
  apt-get "${options[@]}" update -qq
  apt-get "${options[@]}" download -qq kind
  dpkg -x kind_*.deb .
  rm -rf apt kind_*.deb
  usr/bin/kind version | grep -q "v$kind_version" || fail "wanted kind $kind_version, got $(usr/bin/kind version)"
}

have_kind() { [ -x "$place/usr/bin/kind" ]; }
step peer-kind "getting kind $kind_version" have_kind "=$kind_version" -- get_kind
