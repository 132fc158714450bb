use super::*;
use crate::dialect::{DOCKER, NERDCTL, PODMAN};
use crate::testing::StandIn;

#[test]
fn the_subnet_of_the_default_network_is_kinds() {
    assert_eq!(ula_subnet("kind", 0), "fc00:f853:ccd:e793::/64");
    assert_ne!(ula_subnet("kind", 1), ula_subnet("kind", 0));
}

#[test]
fn the_network_in_use_wins_then_the_oldest_then_the_id() {
    let network = |id: &str, created: &str, containers| Network {
        id: id.to_owned(),
        created: created.to_owned(),
        containers,
        ..Network::default()
    };
    let ids = |networks: Vec<Network>| {
        let (keep, lose) = choose(networks);
        keep.into_iter().chain(lose).map(|n| n.id).collect::<Vec<_>>()
    };
    assert_eq!(
        ids(vec![
            network("a", "2", 0),
            network("b", "1", 0),
            network("c", "3", 1)
        ]),
        ["c", "b", "a"]
    );
    assert_eq!(ids(vec![network("b", "1", 0), network("a", "1", 0)]), ["a", "b"]);
    assert!(ids(vec![]).is_empty());
}

#[test]
fn each_engine_is_told_what_it_understands() {
    let args = |dialect, mtu| {
        create_call(dialect, "kind", mtu, Some("fc00::/64"))
            .args()
            .join(" ")
    };
    assert_eq!(
        args(&crate::dialect::DOCKER, Some(1450)),
        "network create -d=bridge -o com.docker.network.bridge.enable_ip_masquerade=true \
         -o com.docker.network.driver.mtu=1450 --ipv6 --subnet fc00::/64 kind"
    );
    assert_eq!(
        args(&crate::dialect::PODMAN, None),
        "network create -d=bridge --ipv6 --subnet fc00::/64 kind"
    );
    assert_eq!(
        args(&crate::dialect::NERDCTL, None),
        "network create -d=bridge --ipv6 --subnet fc00::/64 kind"
    );
}

/// An engine without the network at first, which takes the first subnet that it does not call taken.
fn engine_that_refuses(first: &str, words: &str) -> StandIn {
    StandIn::new(
        "engine",
        &format!(
            r#"case "$1 $2" in
  "network inspect")
    if [ -e "$0.made" ]; then echo '[{{"Name": "kind", "Id": "1"}}]'; else echo 'Error: No such network: kind' >&2; exit 1; fi;;
  "network create")
    case "$*" in *{first}*) echo '{words}' >&2; exit 1;; esac
    >"$0.made";;
esac"#
        ),
    )
}

#[tokio::test]
async fn a_subnet_that_is_taken_is_followed_by_the_next() {
    for (dialect, words) in [
        (
            &DOCKER,
            "Error response from daemon: Pool overlaps with other one on this address space",
        ),
        (
            &PODMAN,
            "Error: subnet x is already used on the host or by another config",
        ),
        (
            &NERDCTL,
            "level=fatal msg=\"subnet x overlaps with other one on this address space\"",
        ),
    ] {
        let first = ula_subnet(&format!("kind{}", dialect.subnet_salt), 0);
        let second = ula_subnet(&format!("kind{}", dialect.subnet_salt), 1);
        let engine = engine_that_refuses(&first, words);
        ensure(&engine.engine(), dialect, "kind", true).await.unwrap();
        let calls = engine.calls();
        assert!(calls.contains(&first) && calls.contains(&second), "{calls}");
    }
}

#[tokio::test]
async fn a_host_without_ipv6_gets_a_network_without_it() {
    for (dialect, words) in [
        (
            &DOCKER,
            "Error response from daemon: Cannot read IPv6 setup for bridge br-1",
        ),
        (
            &PODMAN,
            "Error: cannot set sysctl: is ipv6 enabled in the kernel?",
        ),
    ] {
        let engine = engine_that_refuses("--ipv6", words);
        ensure(&engine.engine(), dialect, "kind", true).await.unwrap();
        let calls = engine.calls();
        let made = calls
            .lines()
            .rfind(|call| call.starts_with("network create"))
            .unwrap();
        assert!(!made.contains("--ipv6"), "{calls}");
    }
}

#[tokio::test]
async fn a_host_that_is_known_to_have_no_ipv6_is_not_tried() {
    let engine = engine_that_refuses("--ipv6", "an error that nobody knows");
    ensure(&engine.engine(), &PODMAN, "kind", false).await.unwrap();
    assert!(!engine.calls().contains("--ipv6"), "{}", engine.calls());
}

#[tokio::test]
async fn too_many_subnets_that_are_taken_are_an_error() {
    let engine = engine_that_refuses("--ipv6", "networks have overlapping IPv6");
    let error = ensure(&engine.engine(), &DOCKER, "kind", true).await.unwrap_err();
    assert!(
        matches!(
            error,
            EngineError::NoSubnet {
                attempts: ATTEMPTS,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn engines_on_one_host_wish_for_different_subnets() {
    let wish = |dialect: &Dialect| ula_subnet(&format!("kind{}", dialect.subnet_salt), 0);
    assert_eq!(wish(&DOCKER), "fc00:f853:ccd:e793::/64");
    assert_ne!(wish(&PODMAN), wish(&DOCKER));
    assert_ne!(wish(&PODMAN), wish(&NERDCTL));
}
