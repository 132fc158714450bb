# shellcheck shell=bash
# The layers that most images of the test bed have: busybox, and the files that programs look for everywhere.

busybox_layers() {
  need busybox=busybox-static
  step busybox-layers "busybox, and files for all images" have_busybox_layers "$TESTBED_DIR/busybox.sh" -- make_busybox_layers
}

have_busybox_layers() { [ -f "$KINDR_TESTBED/layers/busybox.tar" ] && [ -f "$KINDR_TESTBED/layers/etc.tar" ]; }

make_busybox_layers() {
  local work
  work=$(mktemp -d "$KINDR_TESTBED/busybox.XXXXXX")
  mkdir -p "$work"/etc/etc "$work"/etc/tmp "$work"/etc/run
  chmod 1777 "$work/etc/tmp"
  printf 'root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n' >"$work/etc/etc/passwd"
  printf 'root:x:0:\nnogroup:x:65534:\n' >"$work/etc/etc/group"
  echo 'hosts: files dns' >"$work/etc/etc/nsswitch.conf"
  pack_layer "$work/etc" "$KINDR_TESTBED/layers/etc.tar"
  install -D -m 0755 "$(command -v busybox)" "$work/busybox/bin/busybox"
  link_applets "$work/busybox"
  pack_layer "$work/busybox" "$KINDR_TESTBED/layers/busybox.tar"
  rm -rf "$work"
}

# link_applets ROOT: names for what busybox can do, where no real program has the name.
link_applets() {
  local applet
  for applet in $("$1/bin/busybox" --list); do
    [ -e "$1/bin/$applet" ] || [ -e "$1/sbin/$applet" ] || [ -e "$1/usr/bin/$applet" ] || [ -e "$1/usr/sbin/$applet" ] ||
      [ -L "$1/usr/sbin/$applet" ] || as_root ln -s busybox "$1/bin/$applet"
  done
}
