use std::time::Instant;

use super::*;
use crate::testing::StandIn;

fn selected(option: Option<&str>, env: &[(&str, &str)]) -> std::result::Result<Option<String>, SelectError> {
    let get = |name: &str| env.iter().find(|(k, _)| *k == name).map(|(_, v)| (*v).to_owned());
    let engines = select(option, get)?;
    Ok(engines.named().map(|p| p.dialect().name.to_owned()))
}

#[test]
fn the_option_comes_before_the_variables() {
    let named = |option, env: &[_]| selected(option, env).unwrap().unwrap_or_default();
    assert_eq!(named(Some("docker"), &[("KINDR_PROVIDER", "bogus")]), "docker");
    let both = [
        ("KINDR_PROVIDER", "podman"),
        ("KIND_EXPERIMENTAL_PROVIDER", "docker"),
    ];
    assert_eq!(named(None, &both), "podman");
    assert_eq!(named(None, &[("KIND_EXPERIMENTAL_PROVIDER", "finch")]), "nerdctl");
    assert_eq!(named(None, &[("KINDR_PROVIDER", "")]), "");
    assert_eq!(named(None, &[]), "");
}

#[test]
fn a_wrong_name_is_told_with_its_origin() {
    for name in ["Podman", "bogus", " docker"] {
        let error = selected(None, &[("KIND_EXPERIMENTAL_PROVIDER", name)]).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "KIND_EXPERIMENTAL_PROVIDER names the provider `{name}`, which is none of: \
                 docker, podman, nerdctl, finch, nerdctl.lima"
            )
        );
    }
}

const SILENT: &str = "echo 'Cannot connect to the Docker daemon' >&2; exit 1";
const DOCKER: &str = r#"echo '{"ServerVersion": "28.0.0", "DockerRootDir": "/var/lib/docker"}'"#;
const PODMAN: &str = r#"echo '{"host": {}, "version": {"Version": "5.0.0"}}'"#;

fn candidates(docker: &str, podman: &str) -> ([StandIn; 2], Vec<Arc<dyn Provider>>) {
    let programs = [StandIn::new("docker", docker), StandIn::new("podman", podman)];
    let docker = Docker::with(programs[0].engine());
    let podman = Podman::with(programs[1].engine());
    (programs, vec![Arc::new(docker), Arc::new(podman)])
}

#[tokio::test]
async fn the_first_that_answers_is_taken_and_not_the_first_installed() {
    let (_programs, providers) = candidates(DOCKER, PODMAN);
    assert_eq!(race(&providers).await.0, Some(0));
    let (_programs, providers) = candidates(SILENT, PODMAN);
    let (at, silent) = race(&providers).await;
    assert_eq!(at, Some(1));
    assert!(silent[0].to_string().contains("Cannot connect"), "{silent:?}");
    let (_programs, providers) = candidates(SILENT, SILENT);
    let (at, silent) = race(&providers).await;
    assert_eq!((at, silent.len()), (None, 2));
}

#[tokio::test]
async fn a_slow_one_is_waited_for_while_the_next_is_asked() {
    let started = Instant::now();
    let slow = format!("sleep 1; {DOCKER}");
    let (_programs, providers) = candidates(&slow, &format!("sleep 1; {PODMAN}"));
    assert_eq!(race(&providers).await.0, Some(0));
    let (_programs, providers) = candidates(&format!("sleep 1; {SILENT}"), &format!("sleep 1; {PODMAN}"));
    assert_eq!(race(&providers).await.0, Some(1));
    assert!(
        started.elapsed() < Duration::from_millis(2900),
        "they were asked one by one"
    );
}

#[tokio::test]
async fn an_engine_under_anothers_name_is_not_taken_for_it() {
    let (_programs, providers) = candidates(PODMAN, PODMAN);
    let (at, passed) = race(&providers).await;
    assert_eq!(at, Some(1));
    assert!(passed[0].to_string().contains("is really podman"), "{passed:?}");
}
