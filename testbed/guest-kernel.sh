#!/bin/bash
# Builds the kernel of the rootless guest: user-mode Linux, which runs as an ordinary process of an ordinary user, from the
# newest kernel source that Debian packages. Leaves $KINDR_TESTBED/guest/linux.
# usage: guest-kernel.sh
source "$(dirname "$0")/lib.sh"
take_lock_named guest-lock

readonly kernel=$KINDR_TESTBED/guest/linux options=$TESTBED_DIR/guest/kernel-options
# Large parts of the source that a kernel without devices never reads; their Kconfig files stay.
readonly unused=(drivers/gpu drivers/media drivers/staging drivers/net/ethernet drivers/net/wireless sound)

# apt with a package list of its own, of the distribution that has the newest source.
sid_apt() {
  local tool=$1
  shift
  "$tool" -o Dir::Etc::sourcelist="$work/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::State::lists="$work/apt/lists" -o Dir::State::status=/dev/null \
    -o Dir::Cache="$work/apt" -o Dir::Cache::archives="$work/apt/archives" "$@"
}

fetch_source() {
  local mirror package
  mirror=$(cat /etc/apt/sources.list.d/* /etc/apt/sources.list 2>/dev/null |
    sed -nE '/^URIs:|^deb /{s/.*(https?:[^ ]+).*/\1/p;q}' || true)
  [ -n "$mirror" ] || fail "apt has no sources, from which the kernel's source would come"
  mkdir -p "$work"/apt/{lists,archives}/partial
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror sid main" >"$work/apt/sources.list"
  sid_apt apt-get update -qq
  package=$(sid_apt apt-cache pkgnames linux-source- | grep -E '^linux-source-[0-9.]+$' | sort -V | tail -1)
  (cd "$work" && sid_apt apt-get download -qq "$package")
  dpkg -x "$work/$package"_*.deb "$work/package"
  tar -xf "$work/package/usr/src/$package.tar.xz" -C "$work" --exclude='*/Documentation/*' "${unused[@]/#/--exclude=$package/}"
  tar -xf "$work/package/usr/src/$package.tar.xz" -C "$work" --wildcards '*/Kconfig*'
  mv "$work/$package" "$work/source"
  for folder in "${unused[@]}"; do
    mkdir -p "$work/source/$folder"
    [ -f "$work/source/$folder/Makefile" ] || : >"$work/source/$folder/Makefile"
  done
}

# The kubelet wants to know the processor's clock, of which user-mode Linux says nothing.
tell_a_clock() {
  python3 - "$work/source/arch/um/kernel/um_arch.c" <<'P'
import sys
path = sys.argv[1]
text = open(path).read()
at = text.rfind('seq_printf', 0, text.index('bogomips') + 5)
open(path, 'w').write(text[:at] + 'seq_printf(m, "cpu MHz\\t\\t: 2000.000\\n");\n\t' + text[at:])
P
}

build() {
  work=$(mktemp -d "$KINDR_TESTBED/guest-kernel.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  need make=build-essential gcc=build-essential flex=flex bison=bison bc=bc xz=xz-utils python3=python3
  fetch_source
  tell_a_clock
  cd "$work/source"
  make ARCH=um x86_64_defconfig >/dev/null
  local option
  while read -r option; do
    case $option in -*) scripts/config -d "${option#-}" ;; *) scripts/config -e "$option" ;; esac
  done < <(sed '/^#/d' "$options" | tr -s ' \n' '\n' | sed '/^$/d')
  scripts/config --set-val NR_CPUS 2 -e DEBUG_INFO_NONE
  make ARCH=um olddefconfig >/dev/null
  nice make ARCH=um -j"$(nproc)" linux >"$KINDR_TESTBED/guest-kernel.log" 2>&1 9>&- ||
    { tail -20 "$KINDR_TESTBED/guest-kernel.log" >&2; fail "the guest's kernel cannot be built"; }
  mkdir -p "${kernel%/*}"
  strip -o "$kernel.new" linux
  mv "$kernel.new" "$kernel"
}

have_kernel() { [ -x "$kernel" ]; }
step guest-kernel "building a user-mode Linux (some 6 minutes)" have_kernel "${BASH_SOURCE[0]}" "$options" -- build
