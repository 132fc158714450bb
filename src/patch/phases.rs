//! kubeadm's phases that kindr leaves out of `kubeadm init`, beside those that the user's patches leave out.

use serde_json::{Value, json};

use crate::config::ProxyMode;

/// The phase that installs kubeadm's add-ons, which kindr runs by itself while the workers join.
const ADDON: &str = "addon";

/// Takes kindr's own `addon` out of the documents of `kubeadm init`, so that patches find there what they find in kind's.
pub(super) fn before_patches(documents: &mut [Value]) {
    for document in documents
        .iter_mut()
        .filter(|document| document["kind"] == "InitConfiguration")
    {
        if let Some(phases) = document.get_mut("skipPhases").and_then(Value::as_array_mut) {
            phases.retain(|phase| phase != ADDON);
        }
    }
}

/// Adds what kindr leaves out to what the user does, and returns the phase below `addon` that is left to run after init.
pub(super) fn after_patches(documents: &mut [Value], own: &[&str], mode: ProxyMode) -> Option<&'static str> {
    let init = documents
        .iter_mut()
        .find(|document| document["kind"] == "InitConfiguration")?;
    let skips = |name: &str| {
        let phases = init.get("skipPhases").and_then(Value::as_array);
        phases.is_some_and(|phases| phases.iter().any(|phase| phase == ADDON || phase == name))
    };
    let dns = !skips("addon/coredns");
    let proxy = mode != ProxyMode::None && !skips("addon/kube-proxy");
    if !own.is_empty() {
        add(&mut init["skipPhases"], own);
    }
    match (dns, proxy) {
        (true, true) => Some("all"),
        (true, false) => Some("coredns"),
        (false, true) => Some("kube-proxy"),
        (false, false) => None,
    }
}

/// Adds phases to a list of those to leave out.
pub(super) fn add(phases: &mut Value, own: &[&str]) {
    if !phases.is_array() {
        *phases = json!([]);
    }
    if let Some(phases) = phases.as_array_mut() {
        for phase in own {
            if !phases.iter().any(|other| other == phase) {
                phases.push(json!(phase));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: [&str; 2] = ["preflight", ADDON];

    fn after(phases: &Value, mode: ProxyMode) -> (Option<&'static str>, String) {
        let mut documents = [json!({"kind": "InitConfiguration", "skipPhases": phases})];
        let left = after_patches(&mut documents, &OWN, mode);
        (left, documents[0]["skipPhases"].to_string())
    }

    #[test]
    fn what_is_left_of_the_add_ons() {
        let plain = after(&json!(["preflight"]), ProxyMode::Iptables);
        assert_eq!(plain, (Some("all"), r#"["preflight","addon"]"#.to_owned()));
        assert_eq!(after(&json!(["preflight"]), ProxyMode::None).0, Some("coredns"));
        let (left, phases) = after(&json!(["addon/kube-proxy"]), ProxyMode::Iptables);
        assert_eq!(
            (left, phases.as_str()),
            (Some("coredns"), r#"["addon/kube-proxy","preflight","addon"]"#)
        );
        assert_eq!(
            after(&json!(["addon/coredns"]), ProxyMode::Ipvs).0,
            Some("kube-proxy")
        );
        assert_eq!(after(&json!(["addon"]), ProxyMode::Ipvs).0, None);
    }

    #[test]
    fn patches_find_the_phases_of_kind() {
        let mut documents = [json!({"kind": "InitConfiguration", "skipPhases": ["preflight", "addon"]})];
        before_patches(&mut documents);
        assert_eq!(documents[0]["skipPhases"], json!(["preflight"]));
    }

    #[test]
    fn old_versions_have_no_such_field() {
        let mut documents = [json!({"kind": "InitConfiguration"})];
        before_patches(&mut documents);
        assert_eq!(
            after_patches(&mut documents, &[], ProxyMode::Iptables),
            Some("all")
        );
        assert_eq!(documents[0], json!({"kind": "InitConfiguration"}));
    }
}
