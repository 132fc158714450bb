# shellcheck shell=bash disable=SC2154
# Part of the entrypoint: name resolution that pods can use too, and repair after the node's address changed.

readonly engine_resolver=127.0.0.11

prepare_network() {
  # Pods are behind this node, and ask for names at an address that leads to its loopback.
  echo 1 >/proc/sys/net/ipv4/ip_forward
  echo 1 >/proc/sys/net/ipv4/conf/all/route_localnet
  # Pod addresses have no subnet in common with the node's, so requests for them must be answered on any interface.
  echo 0 >/proc/sys/net/ipv4/conf/all/arp_ignore
  /usr/local/sbin/choose-iptables
  prepare_resolver
  follow_address ipv4 "$(own_address 4)"
  follow_address ipv6 "$(own_address 6)"
  if $address_changed; then renew_certificates; fi
}

# The engine's resolver listens on a loopback address: only this network namespace reaches it, pods have their own. The
# gateway's address stands in for it, and requests to it are redirected.
prepare_resolver() {
  local address protocol target
  if [ ! -f "$state/resolv.conf" ] || grep -qF $engine_resolver /etc/resolv.conf; then cp /etc/resolv.conf "$state/resolv.conf"; fi
  address=$(gateway_address)
  if [ -n "$address" ]; then
    while read -r protocol target; do
      for chain in PREROUTING OUTPUT; do
        iptables -t nat -A $chain -d "$address" -p "$protocol" --dport 53 -j DNAT --to-destination "$target"
      done
    done < <(resolver_ports)
  fi
  # The file is a mount of the engine's: write into it, do not replace it.
  render_resolv_conf "${address:-$engine_resolver}" <"$state/resolv.conf" >/run/resolv.conf
  cat /run/resolv.conf >/etc/resolv.conf
}

# The engine redirects port 53 of its resolver to two ports picked at start: prints a protocol and an address a line.
resolver_ports() {
  iptables-save -t nat | sed -n "s/^-A DOCKER_OUTPUT .*-p \([a-z]*\) .*--to-destination \($engine_resolver:[0-9]*\).*/\1 \2/p"
}

gateway_address() {
  local host
  host=$(timeout 2 getent ahostsv4 host.docker.internal 2>/dev/null | awk 'NR == 1 { print $1 }') || true
  if [ -z "$host" ] || [[ $host == 127.* ]]; then host=$(ip -4 route show default | awk 'NR == 1 { print $3 }'); fi
  printf '%s' "$host"
}

# KIND_DNS_SEARCH replaces the search domains; set but empty, it removes them.
render_resolv_conf() {
  if [ -n "${KIND_DNS_SEARCH:-}" ]; then echo "search $KIND_DNS_SEARCH"; fi
  sed -e "s/$engine_resolver/$1/g" ${KIND_DNS_SEARCH+-e '/^search/d'}
}

# A host without IPv6 answers with its IPv4 address in disguise.
own_address() { getent "ahostsv$1" "$(</etc/hostname)" | awk '!/^::ffff:/ { print $1; exit }'; }

address_changed=false

# An engine may give a restarted container another address, and kubeadm wrote the old one into these files.
follow_address() {
  local family=$1 now=$2 record=$state/address-$1 before file
  before=$(cat "$record" 2>/dev/null || true)
  if [ -z "$now" ]; then
    if [ -n "$before" ]; then say "this node had the $family address $before and has none now"; fi
    return
  fi
  printf '%s' "$now" >"$record"
  if [ -z "$before" ] || [ "$before" = "$now" ]; then return; fi
  say "the $family address moved from $before to $now"
  address_changed=true
  for file in /etc/kubernetes/manifests/*.yaml /etc/kubernetes/*.conf $state/kubeadm.conf /var/lib/kubelet/kubeadm-flags.env; do
    # admin.conf and its kin name the cluster's endpoint, which may be another node: only whole addresses are replaced.
    if [ -f "$file" ]; then sed -i -E "s/(^|[^0-9a-fA-F.:])${before//./\\.}($|[^0-9a-fA-F.])/\1$now\2/g" "$file"; fi
  done
}

# The certificates of a control plane name its address. They are made anew from what they say, as only the first control
# plane has the configuration that kubeadm would need. Names they had stay, as a user may have asked for them.
renew_certificates() {
  local pki=/etc/kubernetes/pki
  renew_certificate $pki/apiserver $pki/ca serverAuth
  renew_certificate $pki/etcd/server $pki/etcd/ca serverAuth,clientAuth
  renew_certificate $pki/etcd/peer $pki/etcd/ca serverAuth,clientAuth
}

renew_certificate() {
  local certificate=$1 authority=$2 usage=$3 names family new
  # A worker has none, and an authority may be kept elsewhere.
  if [ ! -f "$certificate.crt" ] || [ ! -f "$authority.key" ]; then return; fi
  say "renewing ${certificate##*/}.crt, which names the old address"
  names=$(openssl x509 -in "$certificate.crt" -noout -ext subjectAltName | sed -n 's/IP Address:/IP:/g; s/ //g; /:/{/^X509/!p}')
  for family in ipv4 ipv6; do
    if [ -s $state/address-$family ]; then names+=",IP:$(<$state/address-$family)"; fi
  done
  new=$(mktemp "$certificate.XXXXXX")
  if openssl x509 -x509toreq -in "$certificate.crt" -signkey "$certificate.key" 2>/dev/null |
    openssl x509 -req -CA "$authority.crt" -CAkey "$authority.key" -set_serial "0x$(openssl rand -hex 8)" -days 365 -sha256 \
      -extfile <(printf '%s\n' "keyUsage=critical,digitalSignature,keyEncipherment" "extendedKeyUsage=$usage" \
        "basicConstraints=critical,CA:FALSE" "authorityKeyIdentifier=keyid" "subjectAltName=$names") \
      -out "$new" 2>/dev/null; then
    mv "$new" "$certificate.crt"
  else
    rm -f "$new"
    say "cannot renew $certificate.crt"
  fi
}
