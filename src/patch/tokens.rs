//! Bootstrap tokens that the user's patches set, beside kindr's own.

use serde_json::{Value, json};

use crate::kubeadm::{BootstrapToken, KubeadmError};

/// The group that may join, by kubeadm's default.
const JOINERS: &str = "system:bootstrappers:kubeadm:default-node-token";

/// Makes patched documents of `kubeadm init` agree with the nodes that will join, and returns the token for those whose
/// patches set none: the first of the user's that can be joined with, or else kindr's own, which is then added.
///
/// `expected` are the tokens that patches of the join documents set ([`join_tokens`]): init makes them too, as they would
/// have to be made by hand otherwise.
///
/// # Errors
/// The user's token is not well-formed.
pub fn settle_init_tokens(
    documents: &mut [Value],
    own: &BootstrapToken,
    expected: &[String],
) -> Result<BootstrapToken, KubeadmError> {
    let Some(init) = documents
        .iter_mut()
        .find(|document| document["kind"] == "InitConfiguration")
    else {
        return Ok(own.clone());
    };
    if !init["bootstrapTokens"].is_array() {
        init["bootstrapTokens"] = json!([]);
    }
    let Some(tokens) = init["bootstrapTokens"].as_array_mut() else {
        return Ok(own.clone());
    };
    let joining = tokens
        .iter()
        .filter(|token| can_join(token))
        .find_map(|token| token["token"].as_str());
    let joining = match joining {
        Some(text) => text.parse()?,
        None => own.clone(),
    };
    let expected = expected
        .iter()
        .map(String::as_str)
        .filter(|&token| token != own.expose());
    for wanted in expected.chain([joining.expose()]) {
        if !tokens.iter().any(|token| token["token"] == wanted) {
            wanted.parse::<BootstrapToken>()?;
            tokens.push(json!({"token": wanted}));
        }
    }
    Ok(joining)
}

/// Whether nodes can join with a token: it signs the cluster's address, authenticates, and is of the right group.
fn can_join(token: &Value) -> bool {
    let has = |field: &str, wanted: &str| match &token[field] {
        Value::Array(list) if !list.is_empty() => list.iter().any(|item| item == wanted),
        _ => true,
    };
    has("usages", "signing")
        && has("usages", "authentication")
        && has("groups", JOINERS)
        && token["expires"].is_null()
}

/// Returns the tokens that patched documents of `kubeadm join` name.
#[must_use]
pub fn join_tokens(documents: &[Value]) -> Vec<String> {
    let discovery = documents.iter().map(|document| &document["discovery"]);
    discovery
        .flat_map(|discovery| {
            [
                &discovery["bootstrapToken"]["token"],
                &discovery["tlsBootstrapToken"],
            ]
        })
        .filter_map(Value::as_str)
        .filter(|token| !token.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Removes what kindr wrote into documents of `kubeadm join` and what contradicts the user's patches: the token beside a
/// file for discovery, and the authority's hash beside the wish not to verify it.
pub fn settle_discovery(documents: &mut [Value], ca_cert_hash: Option<&str>) {
    for discovery in documents
        .iter_mut()
        .filter_map(|document| document.get_mut("discovery"))
    {
        let has_file = discovery.get("file").is_some_and(|file| !file.is_null());
        let Some(discovery) = discovery.as_object_mut() else {
            continue;
        };
        if has_file {
            discovery.shift_remove("bootstrapToken");
        }
        let Some(token) = discovery.get_mut("bootstrapToken").and_then(Value::as_object_mut) else {
            continue;
        };
        let trusting = token.get("unsafeSkipCAVerification") == Some(&Value::Bool(true));
        if trusting && token.get("caCertHashes") == Some(&json!([ca_cert_hash])) {
            token.shift_remove("caCertHashes");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "owntok.0123456789abcdef";
    const USER: &str = "abcdef.0123456789abcdef";

    fn settle(tokens: &Value, expected: &[&str]) -> (String, String) {
        let mut documents = [json!({"kind": "InitConfiguration", "bootstrapTokens": tokens})];
        let expected: Vec<String> = expected.iter().map(|&token| token.to_owned()).collect();
        let token = settle_init_tokens(&mut documents, &OWN.parse().unwrap(), &expected).unwrap();
        (
            token.expose().to_owned(),
            documents[0]["bootstrapTokens"].to_string(),
        )
    }

    #[test]
    fn kindrs_own_token_stays_where_nothing_is_patched() {
        let (token, _) = settle(&json!([{"token": OWN}]), &[OWN]);
        assert_eq!(token, OWN);
    }

    #[test]
    fn the_users_token_is_joined_with() {
        let (token, tokens) = settle(&json!([{"token": USER, "ttl": "0s"}]), &[]);
        assert_eq!(token, USER);
        assert!(!tokens.contains(OWN));
    }

    #[test]
    fn a_token_that_cannot_be_joined_with_stays_and_gets_company() {
        for tokens in [
            json!([{"token": USER, "usages": ["signing"]}]),
            json!([{"token": USER, "groups": ["system:bootstrappers:others"]}]),
        ] {
            let (token, tokens) = settle(&tokens, &[]);
            assert_eq!(token, OWN);
            assert!(tokens.contains(USER) && tokens.contains(OWN));
        }
        // Without a token kubeadm makes one up, which nobody knows.
        assert_eq!(settle(&json!([{"ttl": "1h"}]), &[]).0, OWN);
        assert_eq!(settle(&Value::Null, &[]).0, OWN);
    }

    #[test]
    fn tokens_of_join_patches_are_made() {
        let (token, tokens) = settle(&json!([{"token": OWN}]), &[USER]);
        assert_eq!(token, OWN);
        insta::assert_snapshot!(tokens, @r#"[{"token":"owntok.0123456789abcdef"},{"token":"abcdef.0123456789abcdef"}]"#);
    }

    #[test]
    fn a_malformed_token_is_an_error() {
        let mut documents = [json!({"kind": "InitConfiguration", "bootstrapTokens": [{"token": "x"}]})];
        let own = OWN.parse().unwrap();
        assert_eq!(
            settle_init_tokens(&mut documents, &own, &[]),
            Err(KubeadmError::Token)
        );
    }

    #[test]
    fn discovery_does_not_contradict_itself() {
        let mut documents = [json!({"discovery": {"bootstrapToken": {
            "token": USER, "caCertHashes": ["sha256:00"], "unsafeSkipCAVerification": true}}})];
        assert_eq!(join_tokens(&documents), [USER]);
        settle_discovery(&mut documents, Some("sha256:ff"));
        assert_eq!(
            documents[0]["discovery"]["bootstrapToken"]["caCertHashes"],
            json!(["sha256:00"])
        );
        settle_discovery(&mut documents, Some("sha256:00"));
        assert_eq!(
            documents[0]["discovery"]["bootstrapToken"].get("caCertHashes"),
            None
        );
        documents[0]["discovery"]["file"] = json!({"kubeConfigPath": "/x"});
        settle_discovery(&mut documents, None);
        assert_eq!(
            documents[0],
            json!({"discovery": {"file": {"kubeConfigPath": "/x"}}})
        );
    }
}
