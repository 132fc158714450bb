//! JSON 6902 patches.

use json_patch::jsonptr::Pointer;
use json_patch::{PatchErrorKind, PatchOperation};
use serde_json::Value;

use super::error::{PatchError, PatchFault};
use super::field::PatchField;
use super::read;

/// Reads a JSON 6902 patch, a list in YAML or JSON.
pub(super) fn parse(field: PatchField, text: &str) -> Result<Vec<PatchOperation>, PatchError> {
    let fault = |reason: String| PatchError::new(field, PatchFault::Operations { reason });
    let operations = match read::documents(field, text)?.as_mut_slice() {
        [] => return Ok(Vec::new()),
        [
            read::Document {
                value: Value::Array(list),
                ..
            },
        ] => std::mem::take(list),
        [_] => {
            return Err(fault(
                "it must be a list of operations, each with `op` and `path`".to_owned(),
            ));
        }
        _ => return Err(fault("it has more than one YAML document".to_owned())),
    };
    operations
        .into_iter()
        .enumerate()
        .map(|(at, operation)| {
            serde_json::from_value(operation).map_err(|error| fault(format!("operation {at}: {error}")))
        })
        .collect()
}

/// Applies a patch to a value, which `target` names; all of it, or nothing and the operation that fails.
pub(super) fn apply(
    value: &mut Value,
    operations: &[PatchOperation],
    target: &str,
) -> Result<(), PatchFault> {
    let Err(error) = json_patch::patch(value, operations) else {
        return Ok(());
    };
    // The value as the failing operation found it.
    let mut before = value.clone();
    let earlier = operations.get(..error.operation).unwrap_or_default();
    let before = json_patch::patch(&mut before, earlier).map_or(&*value, |()| &before);
    let operation = operations.get(error.operation);
    Err(PatchFault::Operation {
        operation: error.operation,
        action: operation.map_or("?", action),
        path: error.path.to_string(),
        target: target.to_owned(),
        reason: reason(before, &error, operation),
    })
}

const fn action(operation: &PatchOperation) -> &'static str {
    match operation {
        PatchOperation::Add(_) => "add",
        PatchOperation::Remove(_) => "remove",
        PatchOperation::Replace(_) => "replace",
        PatchOperation::Move(_) => "move",
        PatchOperation::Copy(_) => "copy",
        PatchOperation::Test(_) => "test",
    }
}

fn reason(before: &Value, error: &json_patch::PatchError, operation: Option<&PatchOperation>) -> String {
    match error.kind {
        PatchErrorKind::TestFailed => "the value there is another one".to_owned(),
        PatchErrorKind::CannotMoveInsideItself => "a value cannot be moved into itself".to_owned(),
        PatchErrorKind::InvalidPointer => missing(before, &error.path),
        PatchErrorKind::InvalidFromPointer => match operation {
            Some(PatchOperation::Move(moved)) => missing(before, &moved.from),
            Some(PatchOperation::Copy(copied)) => missing(before, &copied.from),
            _ => "the path in `from` does not exist".to_owned(),
        },
        // The crate's list may grow.
        _ => error.kind.to_string(),
    }
}

/// Says how far a path leads.
fn missing(value: &Value, path: &Pointer) -> String {
    let mut here = value;
    let mut known = String::new();
    for token in path.tokens() {
        let name = token.decoded();
        let next = match here {
            Value::Object(map) => map.get(name.as_ref()),
            Value::Array(list) => name.parse::<usize>().ok().and_then(|at| list.get(at)),
            _ => None,
        };
        let Some(next) = next else {
            let parent = if known.is_empty() {
                "the document"
            } else {
                known.as_str()
            };
            return match here {
                Value::Object(_) => format!("{parent} has no `{name}`"),
                Value::Array(list) if args_by_name(&known, &name) => format!(
                    "{parent} is a list of `name` and `value` in this version of kubeadm's API, of {} elements; \
                     a merge patch works with every version",
                    list.len()
                ),
                Value::Array(list) => format!(
                    "{parent} is a list of {} elements; `-` is the place after its end",
                    list.len()
                ),
                _ => format!("{parent} is a single value"),
            };
        };
        known = format!("{known}/{}", token.encoded());
        here = next;
    }
    "the path does not exist".to_owned()
}

/// Whether somebody addresses a component's argument by its name.
fn args_by_name(list: &str, name: &str) -> bool {
    list.rsplit('/').next().is_some_and(super::args::is_args) && name.parse::<usize>().is_err() && name != "-"
}
