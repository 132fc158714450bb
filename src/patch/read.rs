//! Reading the YAML of a patch.

use serde_json::Value;
use serde_yaml::Error;

use super::error::{PatchError, PatchFault};
use super::field::PatchField;

/// One YAML document of a patch.
#[derive(Debug, Clone)]
pub(super) struct Document {
    /// What it holds.
    pub(super) value: Value,
    /// The line of the patch where it begins, from 1, if it is not the first document.
    pub(super) line: Option<u64>,
}

/// Reads all documents of a patch that hold something.
pub(super) fn documents(field: PatchField, text: &str) -> Result<Vec<Document>, PatchError> {
    let options = serde_yaml::options! { with_snippet: false };
    let values: Vec<serde_yaml::Spanned<Value>> =
        serde_yaml::from_multiple_with_options(text, options).map_err(|error| fault(field, &error))?;
    Ok(values
        .into_iter()
        .filter(|document| !document.value.is_null())
        .enumerate()
        .map(|(at, document)| Document {
            line: (at > 0).then(|| document.referenced.line()),
            value: document.value,
        })
        .collect())
}

fn fault(field: PatchField, error: &Error) -> PatchError {
    let error = error.without_snippet();
    let fault = match error {
        Error::DuplicateMappingKey { key: Some(key), .. } => PatchFault::DuplicateKey { key: key.clone() },
        other => {
            let text = other.to_string();
            let reason = text.split(" at line ").next().unwrap_or(&text).to_owned();
            PatchFault::Yaml { reason }
        }
    };
    PatchError::new(field, fault).at(error.location().map(|location| location.line()))
}

#[cfg(test)]
mod tests {
    use super::super::field::PatchList;
    use super::*;

    const FIELD: PatchField = PatchField {
        node: Some(1),
        list: PatchList::Kubeadm,
        index: 2,
    };

    fn error(text: &str) -> String {
        documents(FIELD, text).unwrap_err().to_string()
    }

    #[test]
    fn documents_that_hold_something() {
        let text = "---\nkind: A\n---\n# nothing\n---\nkind: B\nx: 1\n---\n";
        let documents = documents(FIELD, text).unwrap();
        assert_eq!(documents.len(), 2);
        assert_eq!((documents[0].line, documents[1].line), (None, Some(6)));
        assert_eq!(documents[1].value["x"], 1);
    }

    #[test]
    fn faults_have_their_line() {
        insta::assert_snapshot!(error("kind: A\nb: [1\n"), @"nodes[1].kubeadmConfigPatches[2]: line 2 of the patch: not valid YAML: unclosed bracket '['");
        insta::assert_snapshot!(error("kind: A\n---\na:\n  b: 1\n  c: 2\n  b: 3\n"), @"nodes[1].kubeadmConfigPatches[2]: line 6 of the patch: the key `b` is given twice; keep one");
        insta::assert_snapshot!(error("kind: A\n\tb: 1\n"), @"nodes[1].kubeadmConfigPatches[2]: line 1 of the patch: not valid YAML: while scanning a plain scalar, found a tab");
    }

    #[test]
    fn yaml_1_1_words() {
        let documents = documents(FIELD, "a: yes\nb: off\nc: true\nd: 010\ne: 1e3\nf: 0x10\n").unwrap();
        insta::assert_snapshot!(documents[0].value, @r#"{"a":true,"b":false,"c":true,"d":10.0,"e":1000.0,"f":16}"#);
    }
}
