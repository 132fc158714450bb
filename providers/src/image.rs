//! What an engine calls an image.

/// Where images without a registry come from.
const REGISTRY: &str = "docker.io";

/// Where podman puts images that no registry gave it: built here, or loaded from an archive without a registry's name.
const LOCAL: &str = "localhost";

/// An image's whole name, as docker would complete it: registry, `library/` for a bare name, and no tag beside a digest.
///
/// podman takes short names only where its configuration lists registries to search, and asks the user which.
pub fn qualified(name: &str) -> String {
    let name = match name.split_once('@') {
        // A digest says more than a tag, and podman refuses both at once.
        Some((named, digest)) => format!("{}@{digest}", without_tag(named)),
        None => name.to_owned(),
    };
    match name.split_once('/') {
        None => format!("{REGISTRY}/library/{name}"),
        Some((first, _)) if is_registry(first) => name,
        Some(_) => format!("{REGISTRY}/{name}"),
    }
}

/// The name that podman gives an image of this name which no registry gave it; `None` where the name has a registry.
pub fn local(name: &str) -> Option<String> {
    let first = name.split_once('/').map(|(first, _)| first);
    let has_registry = first.is_some_and(is_registry);
    (!has_registry).then(|| format!("{LOCAL}/{name}"))
}

fn is_registry(first: &str) -> bool {
    first.contains(['.', ':']) || first == LOCAL
}

fn without_tag(name: &str) -> &str {
    let file = name.rfind('/').map_or(0, |slash| slash + 1);
    name[file..].find(':').map_or(name, |colon| &name[..file + colon])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_completed_as_docker_does() {
        for (name, whole) in [
            ("busybox", "docker.io/library/busybox"),
            ("busybox:1.36", "docker.io/library/busybox:1.36"),
            ("kindest/node:v1.37.0", "docker.io/kindest/node:v1.37.0"),
            (
                "kindest/node:v1.37.0@sha256:abc",
                "docker.io/kindest/node@sha256:abc",
            ),
            ("localhost:5000/node:v1", "localhost:5000/node:v1"),
            ("localhost:5000/node@sha256:abc", "localhost:5000/node@sha256:abc"),
            ("localhost/node:v1", "localhost/node:v1"),
            ("registry.example/a/b", "registry.example/a/b"),
        ] {
            assert_eq!(qualified(name), whole, "{name}");
        }
    }

    #[test]
    fn only_a_name_without_registry_may_be_local() {
        assert_eq!(local("kindr/node:v1").as_deref(), Some("localhost/kindr/node:v1"));
        assert_eq!(local("node").as_deref(), Some("localhost/node"));
        assert_eq!(local("registry.example/node"), None);
        assert_eq!(local("localhost/node"), None);
    }
}
