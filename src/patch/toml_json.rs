//! TOML as JSON values and back, for JSON 6902 patches.

use serde_json::Value;
use toml::value::Table;

use super::error::PatchFault;

/// Turns TOML into JSON. Dates become texts; containerd has none.
pub(super) fn to_json(value: &toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::String(text.clone()),
        toml::Value::Integer(number) => (*number).into(),
        toml::Value::Float(number) => (*number).into(),
        toml::Value::Boolean(value) => Value::Bool(*value),
        toml::Value::Datetime(date) => Value::String(date.to_string()),
        toml::Value::Array(list) => list.iter().map(to_json).collect(),
        toml::Value::Table(table) => Value::Object(
            table
                .iter()
                .map(|(key, value)| (key.clone(), to_json(value)))
                .collect(),
        ),
    }
}

/// Turns a JSON object back into TOML.
pub(super) fn to_table(value: &Value) -> Result<Table, PatchFault> {
    match to_toml(value, "")? {
        toml::Value::Table(table) => Ok(table),
        _ => Err(not_toml("a value that is no table", "")),
    }
}

fn to_toml(value: &Value, path: &str) -> Result<toml::Value, PatchFault> {
    Ok(match value {
        Value::Null => return Err(not_toml("null", path)),
        Value::Bool(value) => toml::Value::Boolean(*value),
        Value::String(text) => toml::Value::String(text.clone()),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(number), _) => toml::Value::Integer(number),
            (None, Some(float)) if number.is_f64() => toml::Value::Float(float),
            _ => return Err(not_toml("a number of more than 64 bits", path)),
        },
        Value::Array(list) => {
            let list = list.iter().enumerate();
            toml::Value::Array(
                list.map(|(at, item)| to_toml(item, &format!("{path}/{at}")))
                    .collect::<Result<_, _>>()?,
            )
        }
        Value::Object(map) => {
            let mut table = Table::new();
            for (key, value) in map {
                table.insert(key.clone(), to_toml(value, &format!("{path}/{key}"))?);
            }
            toml::Value::Table(table)
        }
    })
}

fn not_toml(what: &'static str, path: &str) -> PatchFault {
    PatchFault::NotToml {
        what,
        path: if path.is_empty() { "/" } else { path }.to_owned(),
    }
}
