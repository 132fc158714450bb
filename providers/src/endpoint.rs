//! Where an engine is, if it is not on this machine.

use serde::Deserialize;

use crate::classify::EngineError;
use crate::exec::{Call, Engine};
use crate::provider::Result;

/// docker's endpoint where nothing names another.
pub const DOCKER_LOCAL: &str = "unix:///var/run/docker.sock";

/// The host that an endpoint such as `ssh://me@engine.example:22/run/podman.sock` names; `None` for this machine.
///
/// The usual names of the loopback count as this machine: virtual machines of desktop engines are reached by them, and
/// what they publish is published here.
pub fn host_of(endpoint: &str) -> Option<String> {
    let (scheme, rest) = endpoint.split_once("://")?;
    if !["tcp", "ssh", "http", "https"].contains(&scheme) {
        return None;
    }
    let authority = rest.split(['/', '?']).next()?;
    let place = authority.rsplit_once('@').map_or(authority, |(_, place)| place);
    let host = match place.strip_prefix('[') {
        Some(rest) => rest.split(']').next()?,
        None => place.split(':').next()?,
    };
    let here = ["", "localhost", "127.0.0.1", "::1", "0.0.0.0"];
    (!here.contains(&host)).then(|| host.to_owned())
}

/// docker's endpoint, by docker's own rules: DOCKER_HOST, or the context that DOCKER_CONTEXT or the client's configuration
/// (its text) names. Only a context is asked for.
///
/// # Errors
/// docker does not know the context.
pub(crate) async fn docker<F>(engine: &Engine, get: F, config: Option<&str>) -> Result<String>
where
    F: Fn(&str) -> Option<String>,
{
    #[derive(Deserialize, Default)]
    #[serde(rename_all = "camelCase", default)]
    struct Config {
        current_context: String,
    }
    let set = |name: &str| get(name).filter(|value| !value.is_empty());
    if let Some(host) = set("DOCKER_HOST") {
        return Ok(host);
    }
    let context = set("DOCKER_CONTEXT").unwrap_or_else(|| {
        config
            .and_then(|text| serde_json::from_str::<Config>(text).ok())
            .unwrap_or_default()
            .current_context
    });
    if context.is_empty() || context == "default" {
        return Ok(DOCKER_LOCAL.to_owned());
    }
    let format = r#"{{ (index .Endpoints "docker").Host }}"#;
    let call = Call::new(["context", "inspect", "--format", format, &context]);
    Ok(engine.run(call).await?.text().trim().to_owned())
}

/// podman's endpoint, if its program talks to one: CONTAINER_HOST, or the connection that CONTAINER_CONNECTION names.
///
/// # Errors
/// podman cannot list its connections.
pub(crate) async fn podman<F>(engine: &Engine, get: F) -> Result<Option<String>>
where
    F: Fn(&str) -> Option<String>,
{
    #[derive(Deserialize)]
    #[serde(rename_all = "PascalCase")]
    struct Connection {
        name: String,
        #[serde(rename = "URI")]
        uri: String,
    }
    let set = |name: &str| get(name).filter(|value| !value.is_empty());
    if let Some(host) = set("CONTAINER_HOST") {
        return Ok(Some(host));
    }
    let Some(name) = set("CONTAINER_CONNECTION") else {
        return Ok(None);
    };
    let call = Call::new(["system", "connection", "list", "--format", "json"]);
    let output = engine.run(call).await?;
    let connections: Vec<Connection> =
        serde_json::from_slice(&output.stdout).map_err(|error| EngineError::Unreadable {
            engine: engine.name(),
            what: "system connection list".to_owned(),
            reason: error.to_string(),
        })?;
    Ok(connections
        .into_iter()
        .find(|connection| connection.name == name)
        .map(|connection| connection.uri))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::StandIn;

    #[test]
    fn hosts_of_endpoints() {
        for (endpoint, host) in [
            ("tcp://engine.example:2375", Some("engine.example")),
            ("ssh://me@engine.example", Some("engine.example")),
            (
                "ssh://core@engine.example:22/run/user/1000/podman/podman.sock",
                Some("engine.example"),
            ),
            ("tcp://[2001:db8::7]:2376", Some("2001:db8::7")),
            ("tcp://192.0.2.7:2375", Some("192.0.2.7")),
            ("tcp://127.0.0.2:2375", Some("127.0.0.2")),
            ("tcp://localhost:2375", None),
            ("ssh://core@127.0.0.1:50123/run/podman.sock", None),
            ("unix:///var/run/docker.sock", None),
            ("npipe:////./pipe/docker_engine", None),
            ("", None),
        ] {
            assert_eq!(host_of(endpoint).as_deref(), host, "{endpoint}");
        }
    }

    async fn docker_endpoint(env: &[(&str, &str)], config: Option<&str>) -> String {
        let get = |name: &str| env.iter().find(|(k, _)| *k == name).map(|(_, v)| (*v).to_owned());
        // The program prints its last argument, the context's name.
        let program = StandIn::new("docker", "echo \"tcp://$5:1\"");
        docker(&program.engine(), get, config).await.unwrap()
    }

    #[tokio::test]
    async fn docker_is_found_by_its_own_rules() {
        let config = Some(r#"{"currentContext": "far"}"#);
        assert_eq!(docker_endpoint(&[], None).await, DOCKER_LOCAL);
        assert_eq!(docker_endpoint(&[], config).await, "tcp://far:1");
        assert_eq!(
            docker_endpoint(&[("DOCKER_CONTEXT", "default")], config).await,
            DOCKER_LOCAL
        );
        let both = [("DOCKER_CONTEXT", "near"), ("DOCKER_HOST", "tcp://a.example:2")];
        assert_eq!(docker_endpoint(&both[..1], config).await, "tcp://near:1");
        assert_eq!(docker_endpoint(&both, config).await, "tcp://a.example:2");
    }
}
