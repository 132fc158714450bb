//! Whether a YAML document has the shape of a kubeconfig.

use super::document::Section;
use super::yaml::{Fault, Node};

/// Checks the root, the three lists with their entries, and that the document is not one of another kind;
/// what kindr does not use may have any shape.
///
/// # Errors
/// The first place where something else was found.
pub(super) fn check(root: &Node) -> Result<(), Fault> {
    if root.as_map().is_none() {
        return Err(Fault::shape(
            root.line,
            format!("a kubeconfig is a mapping, this is {}", root.kind()),
        ));
    }
    for (key, expected) in [("apiVersion", "v1"), ("kind", "Config")] {
        let Some(node) = root.get(key) else { continue };
        if !matches!(node.as_str(), Some("")) && node.as_str() != Some(expected) {
            let found = node.as_str().unwrap_or(node.kind());
            return Err(Fault::shape(
                node.line,
                format!("not a kubeconfig: {key} is `{found}`, not `{expected}`"),
            ));
        }
    }
    scalar_or_absent(root, "current-context")?;
    Section::ALL
        .into_iter()
        .try_for_each(|section| check_list(root, section))
}

fn scalar_or_absent(node: &Node, key: &str) -> Result<(), Fault> {
    match node.get(key) {
        Some(value) if value.as_str().is_none() => Err(Fault::shape(
            value.line,
            format!("{key} must be a string, this is {}", value.kind()),
        )),
        _ => Ok(()),
    }
}

fn check_list(root: &Node, section: Section) -> Result<(), Fault> {
    let (key, body) = (section.list(), section.body());
    let Some(list) = root.get(key).filter(|list| !list.is_null()) else {
        return Ok(());
    };
    let items = list.as_list().ok_or_else(|| {
        Fault::shape(
            list.line,
            format!("{key} must be a list, this is {}", list.kind()),
        )
    })?;
    for item in items {
        if item.as_map().is_none() {
            return Err(Fault::shape(
                item.line,
                format!("an item of {key} must be a mapping, this is {}", item.kind()),
            ));
        }
        scalar_or_absent(item, "name")?;
        if let Some(content) = item
            .get(body)
            .filter(|content| !content.is_null() && content.as_map().is_none())
        {
            return Err(Fault::shape(
                content.line,
                format!("{body} must be a mapping, this is {}", content.kind()),
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    fn fault(text: &str) -> (usize, String) {
        let fault = super::super::document::Document::parse(text).unwrap_err();
        (fault.line, fault.reason)
    }

    #[test]
    fn other_shapes_are_refused_with_their_line() {
        assert_eq!(
            fault("- a\n"),
            (1, "a kubeconfig is a mapping, this is a list".into())
        );
        assert_eq!(
            fault("\njust words\n"),
            (2, "a kubeconfig is a mapping, this is a scalar".into())
        );
        assert_eq!(
            fault("kind: Config\nusers: {a: b}\n"),
            (2, "users must be a list, this is a mapping".into())
        );
        assert_eq!(
            fault("users:\n- a\n"),
            (2, "an item of users must be a mapping, this is a scalar".into())
        );
        assert_eq!(
            fault("users:\n- name: [x]\n"),
            (2, "name must be a string, this is a list".into())
        );
        assert_eq!(
            fault("clusters:\n- cluster: 1\n"),
            (2, "cluster must be a mapping, this is a scalar".into())
        );
        assert_eq!(
            fault("current-context: {}\n"),
            (1, "current-context must be a string, this is a mapping".into())
        );
    }

    #[test]
    fn a_document_of_another_kind_is_refused() {
        let text = "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\n";
        assert_eq!(
            fault(text),
            (
                2,
                "not a kubeconfig: apiVersion is `kind.x-k8s.io/v1alpha4`, not `v1`".into()
            )
        );
        assert_eq!(fault("kind: Secret\napiVersion: v1\n").0, 1);
    }
}
