//! Reading a kubeconfig file.

use std::fs;
use std::io;
use std::path::Path;

use super::document::Document;
use super::{KubeconfigError, access};

/// Reads a file; `None` if there is none.
///
/// # Errors
/// [`KubeconfigError::NotAFile`] (a pipe is not opened, that could block), [`KubeconfigError::Read`],
/// [`KubeconfigError::NotUtf8`], [`KubeconfigError::Syntax`], [`KubeconfigError::Shape`].
pub(super) fn read(path: &Path) -> Result<Option<Document>, KubeconfigError> {
    let failed = |reason| KubeconfigError::Read {
        path: path.to_owned(),
        reason,
    };
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => {
            return Err(access::not_a_file(path, &metadata));
        }
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    }
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let text = std::str::from_utf8(&bytes).map_err(|error| KubeconfigError::NotUtf8 {
        path: path.to_owned(),
        line: bytes[..error.valid_up_to()]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count()
            + 1,
    })?;
    let document = Document::parse(text).map_err(|fault| match fault.column {
        0 => KubeconfigError::Shape {
            path: path.to_owned(),
            line: fault.line,
            reason: fault.reason,
        },
        column => KubeconfigError::Syntax {
            path: path.to_owned(),
            line: fault.line,
            column,
            reason: fault.reason,
        },
    })?;
    Ok(Some(document))
}

#[cfg(test)]
mod tests {
    use super::super::testing::Sandbox;
    use super::*;

    #[test]
    fn bad_content_is_refused_with_file_and_line() {
        let sandbox = Sandbox::new();
        let path = sandbox.write("config", "users:\n- name: a\n  user: {token: [}\n");
        let error = read(&path).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("kubeconfig `{}`, line 3, column ", path.display())),
            "{error}"
        );
        fs::write(&path, b"a: b\nc: \xff\n").unwrap();
        assert!(matches!(
            read(&path),
            Err(KubeconfigError::NotUtf8 { line: 2, .. })
        ));
        fs::write(&path, "a: b\nusers: 3\n").unwrap();
        assert!(matches!(read(&path), Err(KubeconfigError::Shape { line: 2, .. })));
    }

    #[test]
    fn a_missing_file_is_none_and_an_empty_one_is_not() {
        let sandbox = Sandbox::new();
        assert!(read(&sandbox.path("a/b")).unwrap().is_none());
        assert!(read(&sandbox.write("config", "")).unwrap().is_some());
    }
}
