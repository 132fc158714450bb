//! What an engine's command line can do and how it spells it: data, not code.

/// How an engine's command line differs from the others'.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// The engine's name, as in `kind://NAME/CLUSTER/NODE` of a node's provider id.
    pub name: &'static str,
    /// Passes `--security-opt seccomp=unconfined` and `apparmor=unconfined`; podman's `--privileged` implies both.
    pub security_opts: bool,
    /// What follows `--restart=`; podman has no daemon that would restart anything.
    pub restart: Option<&'static str>,
    /// Passes `--init=false`, for engines whose configuration can switch an init process on for every container.
    pub init_false: bool,
    /// Environment that tells systemd where it runs.
    pub container_env: Option<&'static str>,
    /// What the volume for /var needs: `None` for an anonymous one, else the options of one made beforehand.
    pub var_volume: Option<&'static str>,
    /// Protocols of mapped ports in lower case.
    pub lower_case_protocol: bool,
    /// A port that the engine picks is written `ADDRESS::PORT` and not `ADDRESS:0:PORT`.
    pub empty_random_port: bool,
    /// Puts `--net` before `--label` (an order that is seen in `ps` output alone, kept comparable with kind's).
    pub net_before_label: bool,
    /// Marks the network so that what leaves it is masqueraded; only docker must be told.
    pub masquerade_option: bool,
    /// The default network's MTU can be asked for and set on another.
    pub network_mtu: bool,
    /// What goes into the choice of a network's IPv6 subnet beside its name. An engine's bridge is gone while nothing is on
    /// it, so that another engine does not see that a subnet is taken: they must not wish for the same ones.
    pub subnet_salt: &'static str,
    /// Several networks can share a name.
    pub duplicate_networks: bool,
    /// How `ps --format` is asked for a label; `KEY` stands for it. podman's templates differ between its versions, so that
    /// one is asked for JSON.
    pub ps_label: Option<&'static str>,
    /// An image's name must be whole, with its registry.
    pub whole_image_names: bool,
    /// The host's ports that its containers have are in the firewall alone: no other program sees that they are taken.
    pub hides_ports: bool,
    /// Its containers find each other's names by a resolver, and not by a file.
    pub resolver: bool,
    /// It can publish on `::1` with root's rights; by a firewall's rules that is impossible.
    pub ipv6_loopback: bool,
    /// How an image is asked for.
    pub image_inspect: &'static [&'static str],
    /// How images are written to standard output as one archive.
    pub save: &'static [&'static str],
    /// The user namespace of the host must be asked for where the engine remaps users.
    pub userns_host: bool,
}

/// docker, and what speaks its command line.
pub const DOCKER: Dialect = Dialect {
    name: "docker",
    security_opts: true,
    restart: Some("on-failure:1"),
    init_false: true,
    container_env: None,
    var_volume: None,
    lower_case_protocol: false,
    empty_random_port: false,
    net_before_label: false,
    masquerade_option: true,
    network_mtu: true,
    subnet_salt: "",
    duplicate_networks: true,
    ps_label: Some(r#"{{.Label "KEY"}}"#),
    whole_image_names: false,
    hides_ports: false,
    resolver: true,
    ipv6_loopback: true,
    image_inspect: &["inspect", "--type=image"],
    save: &["save"],
    userns_host: true,
};

/// podman.
pub const PODMAN: Dialect = Dialect {
    name: "podman",
    security_opts: false,
    restart: None,
    init_false: false,
    container_env: Some("podman"),
    var_volume: Some("suid,exec,dev"),
    lower_case_protocol: true,
    empty_random_port: true,
    net_before_label: true,
    masquerade_option: false,
    network_mtu: false,
    subnet_salt: "podman",
    duplicate_networks: false,
    ps_label: None,
    whole_image_names: true,
    hides_ports: false,
    resolver: true,
    ipv6_loopback: false,
    image_inspect: &["inspect", "--type=image"],
    save: &["save", "--quiet", "--multi-image-archive"],
    userns_host: false,
};

/// nerdctl and finch.
pub const NERDCTL: Dialect = Dialect {
    name: "nerdctl",
    masquerade_option: false,
    network_mtu: false,
    subnet_salt: "nerdctl",
    duplicate_networks: false,
    userns_host: false,
    hides_ports: true,
    resolver: false,
    ipv6_loopback: false,
    empty_random_port: true,
    // Its docker-like answer ends in a panic for an image whose history has no dates (nerdctl 2.1).
    image_inspect: &["inspect", "--type=image", "--mode=native"],
    ..DOCKER
};
