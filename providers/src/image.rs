//! What an engine calls an image.

/// Where images without a registry come from.
const REGISTRY: &str = "docker.io";

/// Where podman puts images that no registry gave it: built here, or loaded from an archive without a registry's name.
const LOCAL: &str = "localhost";

/// An image's whole name, as docker would complete it: registry, `library/` for a bare name, and no tag beside a digest.
///
/// podman takes short names only where its configuration lists registries to search, and asks the user which.
pub fn qualified(name: &str) -> String {
    let name = one_of_tag_and_digest(name);
    match name.split_once('/') {
        None => format!("{REGISTRY}/library/{name}"),
        Some((first, _)) if is_registry(first) => name,
        Some(_) => format!("{REGISTRY}/{name}"),
    }
}

/// The whole name of an image that podman found by a name, and that has these tags and digests: from docker's registry,
/// or made here.
pub(crate) fn found(name: &str, tags: &[String]) -> String {
    let whole = qualified(name);
    let local = format!("{LOCAL}/{name}");
    if !tags.contains(&whole) && tags.contains(&local) {
        local
    } else {
        whole
    }
}

/// A name without its tag where it has a digest, which says more: podman refuses both at once.
pub(crate) fn one_of_tag_and_digest(name: &str) -> String {
    match name.split_once('@') {
        Some((named, digest)) => format!("{}@{digest}", without_tag(named)),
        None => name.to_owned(),
    }
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
    fn an_image_that_was_loaded_has_a_local_name() {
        let tags = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let local = tags(&["localhost/kindr/node:v1"]);
        assert_eq!(found("kindr/node:v1", &local), "localhost/kindr/node:v1");
        let both = tags(&["localhost/kindr/node:v1", "docker.io/kindr/node:v1"]);
        assert_eq!(found("kindr/node:v1", &both), "docker.io/kindr/node:v1");
        let registry = tags(&["registry.example/node:v1"]);
        assert_eq!(
            found("registry.example/node:v1", &registry),
            "registry.example/node:v1"
        );
        let digest = tags(&["docker.io/kindest/node@sha256:abc"]);
        assert_eq!(
            found("kindest/node:v1@sha256:abc", &digest),
            "docker.io/kindest/node@sha256:abc"
        );
    }
}
