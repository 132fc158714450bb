//! Where the file may be looser than its types: a key without a value means "not given", as for kind.

use std::collections::BTreeMap;

use serde::de::{Deserialize, DeserializeOwned, Deserializer, IntoDeserializer};

use super::types::Protocol;

/// Reads a value, and nothing at all as the default.
pub(super) fn null_as_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}

/// Reads a map of strings in which an entry without a value is the empty string.
pub(super) fn string_map<'de, D>(deserializer: D) -> Result<BTreeMap<String, String>, D::Error>
where
    D: Deserializer<'de>,
{
    let entries = Option::<BTreeMap<String, Option<String>>>::deserialize(deserializer)?;
    Ok(entries
        .unwrap_or_default()
        .into_iter()
        .map(|(key, value)| (key, value.unwrap_or_default()))
        .collect())
}

/// Reads one of a set of words, the empty one as not given.
pub(super) fn choice<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    match Option::<String>::deserialize(deserializer)? {
        None => Ok(None),
        Some(word) if word.is_empty() => Ok(None),
        Some(word) => T::deserialize(word.into_deserializer()).map(Some),
    }
}

/// Reads a protocol in whatever case it is written.
pub(super) fn protocol<'de, D>(deserializer: D) -> Result<Option<Protocol>, D::Error>
where
    D: Deserializer<'de>,
{
    match Option::<String>::deserialize(deserializer)? {
        None => Ok(None),
        Some(word) if word.is_empty() => Ok(None),
        Some(word) => Protocol::deserialize(word.to_uppercase().into_deserializer()).map(Some),
    }
}
