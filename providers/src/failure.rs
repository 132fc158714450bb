//! What an engine's words mean: its output as a typed failure.
//!
//! The texts are those of docker 20.10 to 28, podman 3 to 5 and nerdctl 1 and 2, each with a test.

/// The meaning of a failed call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The engine's daemon does not answer.
    NotAnswering,
    /// The daemon is there, but this user may not talk to it.
    NotPermitted,
    /// A container of that name exists.
    NameTaken,
    /// A host port is in use.
    PortInUse,
    /// A host port is below the first one that this user may use.
    PortNotPermitted,
    /// The host has no such address.
    NoSuchAddress,
    /// The image is not on this machine.
    NoSuchImage,
    /// The registry does not have the image, or not for this user.
    ImageNotServed,
    /// The registry cannot be reached.
    RegistryUnreachable,
    /// A container of that name does not exist.
    NoSuchContainer,
    /// A network of that name does not exist.
    NoSuchNetwork,
    /// A network of that name exists already.
    NetworkExists,
    /// A volume of that name exists already.
    VolumeExists,
    /// A network's subnet is taken by another.
    SubnetTaken,
    /// The host or the engine has no IPv6.
    NoIpv6,
    /// The container is not running.
    NotRunning,
    /// The engine keeps no log of the container.
    NoLog,
    /// The program that a container should run is not in its image.
    NoSuchProgram,
    /// Nothing that is known; the output tells.
    Other,
}

/// Phrases and their meaning, the more particular first. Compared without case.
const PHRASES: &[(&str, Failure)] = &[
    ("permission denied while trying to connect", Failure::NotPermitted),
    (
        "dial unix /var/run/docker.sock: connect: permission denied",
        Failure::NotPermitted,
    ),
    ("cannot connect to the docker daemon", Failure::NotAnswering),
    ("error during connect", Failure::NotAnswering),
    ("failed to connect to the docker api", Failure::NotAnswering),
    ("cannot connect to podman", Failure::NotAnswering),
    ("unable to connect to podman", Failure::NotAnswering),
    ("cannot access containerd socket", Failure::NotAnswering),
    ("rootless containerd not running", Failure::NotAnswering),
    ("is already in use by container", Failure::NameTaken),
    ("the container name", Failure::NameTaken),
    ("name-store error", Failure::NameTaken),
    ("cannot expose privileged port", Failure::PortNotPermitted),
    ("cannot assign requested address", Failure::NoSuchAddress),
    ("port is already allocated", Failure::PortInUse),
    ("address already in use", Failure::PortInUse),
    ("ports are not available", Failure::PortInUse),
    ("pull access denied", Failure::ImageNotServed),
    ("manifest unknown", Failure::ImageNotServed),
    ("manifest for ", Failure::ImageNotServed),
    ("repository does not exist", Failure::ImageNotServed),
    (
        "requested access to the resource is denied",
        Failure::ImageNotServed,
    ),
    ("no such image", Failure::NoSuchImage),
    ("image not known", Failure::NoSuchImage),
    ("unable to find image", Failure::NoSuchImage),
    ("no such host", Failure::RegistryUnreachable),
    ("server misbehaving", Failure::RegistryUnreachable),
    ("i/o timeout", Failure::RegistryUnreachable),
    ("tls handshake timeout", Failure::RegistryUnreachable),
    ("connection refused", Failure::RegistryUnreachable),
    ("connection reset by peer", Failure::RegistryUnreachable),
    ("network is unreachable", Failure::RegistryUnreachable),
    ("unexpected eof", Failure::RegistryUnreachable),
    ("client.timeout exceeded", Failure::RegistryUnreachable),
    ("no such container", Failure::NoSuchContainer),
    ("no container with name or id", Failure::NoSuchContainer),
    ("no such object", Failure::NoSuchContainer),
    ("no such network", Failure::NoSuchNetwork),
    ("no network found matching", Failure::NoSuchNetwork),
    (
        "pool overlaps with other one on this address space",
        Failure::SubnetTaken,
    ),
    ("volume already exists", Failure::VolumeExists),
    ("networks have overlapping", Failure::SubnetTaken),
    (
        "overlaps with other one on this address space",
        Failure::SubnetTaken,
    ),
    (
        "is already used on the host or by another config",
        Failure::SubnetTaken,
    ),
    ("is being used by a network interface", Failure::SubnetTaken),
    (
        "is already being used by a cni configuration",
        Failure::SubnetTaken,
    ),
    ("cannot read ipv6 setup for bridge", Failure::NoIpv6),
    ("iptables failed: ip6tables", Failure::NoIpv6),
    ("unknown flag: --ipv6", Failure::NoIpv6),
    ("is ipv6 enabled in the kernel", Failure::NoIpv6),
    ("is not running", Failure::NotRunning),
    ("no running task found", Failure::NotRunning),
    (
        "can only create exec sessions on running containers",
        Failure::NotRunning,
    ),
    ("does not support reading", Failure::NoLog),
    ("cannot read logs", Failure::NoLog),
    ("failed to load logging config", Failure::NoLog),
    ("no log viewer type registered", Failure::NoLog),
    ("executable file not found", Failure::NoSuchProgram),
    ("no such file or directory: unknown", Failure::NoSuchProgram),
];

impl Failure {
    /// Reads the meaning from what a failed call printed.
    pub fn of(output: &str) -> Self {
        let text = output.to_lowercase();
        // "network with name kind already exists" (docker, nerdctl), "network name kind already used" (podman)
        if text.contains("network") && (text.contains("already exists") || text.contains("already used:")) {
            return Self::NetworkExists;
        }
        // "network kind not found" (docker 20.10 and newer), "unable to find network ..." (podman)
        let names_missing_network = text.split("network ").skip(1).any(|rest| {
            let mut words = rest.split_whitespace().skip(1);
            words.next() == Some("not") && words.next().is_some_and(|word| word.starts_with("found"))
        });
        if names_missing_network || text.contains("unable to find network") {
            return Self::NoSuchNetwork;
        }
        PHRASES
            .iter()
            .find(|(phrase, _)| text.contains(phrase))
            .map_or(Self::Other, |(_, failure)| failure.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_words_have_a_meaning() {
        for (words, failure) in [
            (
                "Cannot connect to the Docker daemon at unix:///nonexistent.sock. Is the docker daemon running?",
                Failure::NotAnswering,
            ),
            (
                "Got permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock",
                Failure::NotPermitted,
            ),
            (
                "docker: Error response from daemon: Conflict. The container name \"/x\" is already in use by container \"1\". You have to remove",
                Failure::NameTaken,
            ),
            (
                "docker: Error response from daemon: driver failed programming external connectivity on endpoint x: Bind for 127.0.0.1:18080 failed: port is already allocated.",
                Failure::PortInUse,
            ),
            (
                "Error starting userland proxy: listen tcp4 127.0.0.1:18080: bind: address already in use",
                Failure::PortInUse,
            ),
            (
                "Error starting userland proxy: listen tcp6 [::1]:32777: bind: cannot assign requested address",
                Failure::NoSuchAddress,
            ),
            ("Error: No such image: kindr/none:v1", Failure::NoSuchImage),
            (
                "Error response from daemon: pull access denied for x, repository does not exist or may require 'docker login'",
                Failure::ImageNotServed,
            ),
            (
                "Error response from daemon: Get \"https://registry.example/v2/\": dial tcp: lookup registry.example: no such host",
                Failure::RegistryUnreachable,
            ),
            (
                "Error response from daemon: network with name kind already exists",
                Failure::NetworkExists,
            ),
            (
                "Error response from daemon: Pool overlaps with other one on this address space",
                Failure::SubnetTaken,
            ),
            (
                "Error response from daemon: cannot create network 1 (br-1): conflicts with network 2 (br-2): networks have overlapping IPv6",
                Failure::SubnetTaken,
            ),
            (
                "subnet fc00:f853:ccd:e793::/64 overlaps with other one on this address space",
                Failure::SubnetTaken,
            ),
            (
                "Error: subnet fc00::/64 is already used on the host or by another config",
                Failure::SubnetTaken,
            ),
            (
                "Error response from daemon: Cannot read IPv6 setup for bridge br-1: open /proc/sys/net/ipv6",
                Failure::NoIpv6,
            ),
            (
                "Error response from daemon: network kind not found",
                Failure::NoSuchNetwork,
            ),
            (
                "manifest for network-tools:v1 not found: manifest unknown",
                Failure::ImageNotServed,
            ),
            ("Error: No such network: kind", Failure::NoSuchNetwork),
            (
                "Error: unable to find network with name or ID kind: network not found",
                Failure::NoSuchNetwork,
            ),
            ("Error: No such container: x", Failure::NoSuchContainer),
            (
                "Error response from daemon: Container 1 is not running",
                Failure::NotRunning,
            ),
            (
                "Error: creating container storage: the container name \"x\" is already in use by 02c7. You have to remove that container to be able to reuse that name: that name is already in use",
                Failure::NameTaken,
            ),
            (
                "time=\"t\" level=fatal msg=\"name-store error\\nname \\\"x\\\" is already used by ID \\\"18dd\\\"\"",
                Failure::NameTaken,
            ),
            (
                "Error: cannot listen on the TCP port: listen tcp4 127.0.0.1:18099: bind: address already in use",
                Failure::PortInUse,
            ),
            (
                "Error: inspecting object: nope/x:v1: image not known",
                Failure::NoSuchImage,
            ),
            (
                "time=\"t\" level=error msg=\"no network found matching: nope\"",
                Failure::NoSuchNetwork,
            ),
            (
                "level=fatal msg=\"no such network: \\\"kt-none\\\"\"",
                Failure::NoSuchNetwork,
            ),
            (
                "Error: network name kt-n already used: network already exists",
                Failure::NetworkExists,
            ),
            (
                "level=fatal msg=\"cannot access containerd socket \\\"/x.sock\\\": no such file or directory\"",
                Failure::NotAnswering,
            ),
            (
                "Error: can only create exec sessions on running containers: container state improper",
                Failure::NotRunning,
            ),
            (
                "level=fatal msg=\"no running task found: task 7456 not found\"",
                Failure::NotRunning,
            ),
            (
                "Error: bounded: runc create failed: unable to start container process: exec: \"x\": executable file not found in $PATH",
                Failure::NoSuchProgram,
            ),
            (
                "Error response from daemon: configured logging driver does not support reading",
                Failure::NoLog,
            ),
            (
                "Error: this container is using the 'none' log driver, cannot read logs: this container is not logging output",
                Failure::NoLog,
            ),
            (
                "level=fatal msg=\"failed to load logging config: failed to read log config file\"",
                Failure::NoLog,
            ),
            ("something new", Failure::Other),
        ] {
            assert_eq!(Failure::of(words), failure, "{words}");
        }
    }
}
