//! What failed, in a few lines.

use std::fmt::Write;

use serde_json::Value;

use super::node::Read;

/// Says which nodes, units, containers and pods are not as they should be, and what each said last.
pub(super) fn text(nodes: &[Read], pods: Option<&[u8]>) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let mut say = |line: String| {
        let _ = writeln!(text, "{line}");
    };
    for node in nodes {
        if let Some(code) = node.stopped {
            let code = code.map_or_else(String::new, |code| format!(" with exit code {code}"));
            say(format!("node {} has stopped{code}", node.name));
            node.last.iter().for_each(|line| say(format!("  | {line}")));
        }
        for unit in &node.units {
            say(format!("node {}: unit {unit}", node.name));
        }
        for ended in ended(&node.ended) {
            say(format!("node {}: {ended}", node.name));
        }
    }
    match pods.map(serde_json::from_slice::<Value>) {
        Some(Ok(list)) => failing(&list).into_iter().for_each(&mut say),
        _ => say("no API server answered, so nothing is said of pods".to_owned()),
    }
    if text.is_empty() {
        text.push_str("nothing that failed was found\n");
    }
    text
}

/// The containers that ended, of those that their kubelet has not started again since.
fn ended(json: &[u8]) -> Vec<String> {
    let list: Value = serde_json::from_slice(json).unwrap_or_default();
    let containers = list["containers"].as_array().cloned().unwrap_or_default();
    let lines = containers.iter().filter_map(|container| {
        let pod = container["labels"]["io.kubernetes.pod.name"].as_str()?;
        let name = container["metadata"]["name"].as_str()?;
        let attempt = container["metadata"]["attempt"].as_u64().unwrap_or_default();
        Some(format!(
            "container {name} of pod {pod} has ended (attempt {attempt})"
        ))
    });
    lines.collect()
}

/// The pods that are neither ready nor done, with the reason that is told of them.
fn failing(list: &Value) -> Vec<String> {
    let pods = list["items"].as_array().cloned().unwrap_or_default();
    let lines = pods.iter().filter_map(|pod| {
        let status = &pod["status"];
        let phase = status["phase"].as_str().unwrap_or("Unknown");
        let conditions = status["conditions"].as_array().cloned().unwrap_or_default();
        let ready = conditions
            .iter()
            .any(|condition| condition["type"] == "Ready" && condition["status"] == "True");
        if ready || phase == "Succeeded" {
            return None;
        }
        let name = format!(
            "pod {}/{}",
            pod["metadata"]["namespace"].as_str().unwrap_or_default(),
            pod["metadata"]["name"].as_str().unwrap_or_default()
        );
        let mut why: Vec<String> = Vec::new();
        for list in ["initContainerStatuses", "containerStatuses"] {
            for container in status[list].as_array().into_iter().flatten() {
                for state in [&container["state"], &container["lastState"]] {
                    for kind in ["waiting", "terminated"] {
                        why.extend(told(&state[kind]));
                    }
                }
            }
        }
        why.extend(
            conditions
                .iter()
                .filter(|condition| condition["status"] != "True")
                .flat_map(told),
        );
        why.dedup();
        Some(format!("{name} is {phase}: {}", why.join("; ")))
    });
    lines.collect()
}

/// A reason and its message, as far as they are told.
fn told(of: &Value) -> Option<String> {
    let text = |field: &str| of[field].as_str().map(str::trim).filter(|text| !text.is_empty());
    match (text("reason"), text("message")) {
        (None, None) => None,
        (Some(one), None) | (None, Some(one)) => Some(one.to_owned()),
        (Some(reason), Some(message)) => Some(format!("{reason}: {message}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_is_named_with_its_reason() {
        let nodes = [
            Read {
                name: "dev-worker".to_owned(),
                stopped: Some(Some(255)),
                last: vec!["Failed to allocate manager object: Too many open files".to_owned()],
                ..Read::default()
            },
            Read {
                name: "dev-control-plane".to_owned(),
                units: vec!["kubelet.service loaded failed failed kubelet".to_owned()],
                ..Read::default()
            },
        ];
        let pods = br#"{"items":[
          {"metadata":{"namespace":"default","name":"web"},"status":{"phase":"Pending",
            "conditions":[{"type":"Ready","status":"False","reason":"ContainersNotReady"}],
            "containerStatuses":[{"state":{"waiting":{"reason":"ImagePullBackOff","message":"no such image"}}}]}},
          {"metadata":{"namespace":"default","name":"done"},"status":{"phase":"Succeeded"}},
          {"metadata":{"namespace":"kube-system","name":"fine"},"status":{"phase":"Running",
            "conditions":[{"type":"Ready","status":"True"}]}}]}"#;
        assert_eq!(
            text(&nodes, Some(pods)),
            "node dev-worker has stopped with exit code 255
  | Failed to allocate manager object: Too many open files
node dev-control-plane: unit kubelet.service loaded failed failed kubelet
pod default/web is Pending: ImagePullBackOff: no such image; ContainersNotReady
"
        );
    }

    #[test]
    fn silence_and_health_are_told_apart() {
        assert_eq!(
            text(&[], Some(br#"{"items":[]}"#)),
            "nothing that failed was found\n"
        );
        assert!(text(&[], None).starts_with("no API server answered"));
    }
}
