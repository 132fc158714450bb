# shellcheck shell=bash
# Puts images together from layers, without any engine: an image archive is a tar file with the layers, a configuration
# that lists their digests, and a manifest. docker, podman, nerdctl and ctr load it alike.

# pack_layer FOLDER OUT: one layer, the same bytes for the same files.
pack_layer() {
  tar --create --file "$2" --directory "$1" --sort=name --mtime=@0 --numeric-owner --owner=0 --group=0 .
}

# assemble OUT NAME CONFIG LAYER...: CONFIG is the JSON of what the image runs: {"Entrypoint": [...], "Env": [...], ...}.
# A layer that is there compressed too, as LAYER.gz, goes in so; its digest in the configuration is of the plain one.
assemble() {
  local out=$1 name=$2 config=$3 work layer digest digests=() files=()
  shift 3
  work=$(mktemp -d "$KINDR_TESTBED/assemble.XXXXXX")
  for layer in "$@"; do
    digest=$(layer_digest "$layer")
    digests+=("sha256:$digest")
    files+=("$digest.tar")
    if [ "$layer.gz" -nt "$layer" ]; then ln -s "$layer.gz" "$work/$digest.tar"; else ln -s "$layer" "$work/$digest.tar"; fi
  done
  jq -nc --argjson config "$config" --arg architecture "$(go_architecture)" \
    '{architecture: $architecture, os: "linux", created: "1970-01-01T00:00:00Z", config: $config,
      rootfs: {type: "layers", diff_ids: $ARGS.positional}, history: [$ARGS.positional[] | {created: "1970-01-01T00:00:00Z", created_by: "testbed"}]}' \
    --args "${digests[@]}" >"$work/config.json"
  jq -nc --arg name "$name" '[{Config: "config.json", RepoTags: [$name], Layers: $ARGS.positional}]' \
    --args "${files[@]}" >"$work/manifest.json"
  tar --create --file "$out" --directory "$work" --dereference manifest.json config.json "${files[@]}"
  rm -rf "$work"
}

# A layer's digest is kept beside it: the large ones take seconds.
layer_digest() {
  if [ "$1.sha256" -ot "$1" ] || [ ! -f "$1.sha256" ]; then sha256sum "$1" | cut -d' ' -f1 >"$1.sha256"; fi
  cat "$1.sha256"
}

go_architecture() {
  case $(uname -m) in
    x86_64) echo amd64 ;;
    aarch64) echo arm64 ;;
    *) uname -m ;;
  esac
}

readonly NO_DOCS=(
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/info/*'
  --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/bash-completion/*'
  --dpkgopt='path-exclude=/usr/lib/udev/hwdb.d/*'
)

# debian_root OUT PACKAGES MMDEBSTRAP-FLAGS...: a Debian root as a layer. The packages are a comma separated list.
debian_root() {
  need mmdebstrap=mmdebstrap
  as_root mmdebstrap --quiet --variant=minbase --format=tar "${NO_DOCS[@]}" --include="$2" "${@:3}" \
    --customize-hook='rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/* "$1"/var/log/* "$1"/etc/udev/hwdb.bin "$1"/usr/lib/udev/hwdb.bin' \
    --customize-hook='rm -f "$1"/etc/resolv.conf "$1"/etc/hostname "$1"/etc/machine-id' \
    "$DEBIAN" "$1.new"
  mv "$1.new" "$1"
}

# What every node image runs, and how systemd learns that it is in a container.
node_config() {
  jq -nc '{Entrypoint: ["/usr/local/bin/entrypoint", "/sbin/init"], StopSignal: "SIGRTMIN+3", WorkingDir: "/",
    Env: ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "container=docker"]}'
}
