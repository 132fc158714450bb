//! Checks of a node's limits.

use super::error::Problems;
use super::path::FieldPath;
use super::resolved::Limits;
use super::types::Resources;
use super::validate::non_empty;

/// Units of memory from bytes on; each counts 1024 of the one before.
const UNITS: [char; 5] = ['b', 'k', 'm', 'g', 't'];

/// The least memory that docker and podman give a container.
const MIN_MEMORY: u64 = 6 << 20;

/// Checks a node's limits.
pub(super) fn check(resources: &Resources, path: &FieldPath, problems: &mut Problems) -> Limits {
    let cpus = non_empty(resources.cpus.as_ref()).filter(|text| {
        let good = is_cpus(text);
        if !good {
            let message =
                format!("`{text}` is no number of processors; write one such as `2` or `0.5`, at least 0.01");
            problems.add(path.field("cpus"), message);
        }
        good
    });
    let memory = non_empty(resources.memory.as_ref()).and_then(|text| {
        let bytes = parse_memory(text);
        let message = match bytes {
            None => format!("`{text}` is no amount of memory; write one such as `2g`, `512Mi` or `1.5GiB`"),
            Some(bytes) if bytes < MIN_MEMORY => {
                format!("`{text}` is too little: no container runs with less than 6m")
            }
            Some(_) => return bytes,
        };
        problems.add(path.field("memory"), message);
        None
    });
    Limits {
        cpus: cpus.map(str::to_owned),
        memory,
    }
}

/// Writes bytes in the largest unit that leaves no rest.
pub(super) fn memory_text(bytes: u64) -> String {
    let mut number = bytes;
    let mut units = UNITS.iter();
    let mut unit = units.next();
    while number > 0 && number.is_multiple_of(1024) {
        let Some(next) = units.next() else { break };
        number /= 1024;
        unit = Some(next);
    }
    match unit {
        Some('b') | None => number.to_string(),
        Some(unit) => format!("{number}{unit}"),
    }
}

/// A plain decimal number that the engines take: they count billionths, and refuse less than a hundredth.
fn is_cpus(text: &str) -> bool {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits =
        |part: &str, most| (1..=most).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
    digits(whole, 6) && digits(fraction, 9) && text.parse::<f64>().is_ok_and(|cpus| cpus >= 0.01)
}

/// Reads a number with a unit as docker and Kubernetes write it: `g`, `G`, `gb`, `Gi` and `GiB` are the same.
fn parse_memory(text: &str) -> Option<u64> {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit = unit.trim_start().to_ascii_lowercase();
    let exponent = match unit.as_str() {
        "" => 0,
        unit => {
            let exponent = UNITS.iter().position(|letter| unit.starts_with(*letter))?;
            let rest = &unit[1..];
            let known = if exponent == 0 {
                [""].as_slice()
            } else {
                &["", "b", "i", "ib"]
            };
            if !known.contains(&rest) {
                return None;
            }
            exponent
        }
    };
    let factor = 1_u64 << (10 * exponent);
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(factor);
    }
    let (whole, fraction) = number.split_once('.')?;
    if fraction.is_empty() || fraction.len() > 9 || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let scale = 10_u128.pow(u32::try_from(fraction.len()).ok()?);
    let digits: u128 = format!("{whole}{fraction}").parse().ok()?;
    u64::try_from(digits * u128::from(factor) / scale).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors() {
        for text in ["1", "2", "1.5", "0.01", "0.125", "64"] {
            assert!(is_cpus(text), "{text}");
        }
        for text in [
            "0", "0.001", "-1", "1,5", "two", "1e3", ".5", "1.", "", "500m", "inf",
        ] {
            assert!(!is_cpus(text), "{text}");
        }
    }

    #[test]
    fn amounts_of_memory() {
        for (text, bytes) in [
            ("1073741824", 1 << 30),
            ("2g", 2 << 30),
            ("2G", 2 << 30),
            ("2gb", 2 << 30),
            ("2Gi", 2 << 30),
            ("2 GiB", 2 << 30),
            ("1.5g", 3 << 29),
            ("512Mi", 512 << 20),
            ("100000k", 102_400_000),
            ("9000000b", 9_000_000),
        ] {
            assert_eq!(parse_memory(text), Some(bytes), "{text}");
        }
        for text in [
            "",
            "g",
            "-1g",
            "2x",
            "2gx",
            "1.g",
            "2e9",
            "99999999999t",
            "1.5.5g",
            "2 g g",
            "5bb",
        ] {
            assert_eq!(parse_memory(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for (bytes, text) in [
            (2 << 30, "2g"),
            (3 << 29, "1536m"),
            (9_000_001, "9000001"),
            (1 << 50, "1024t"),
        ] {
            assert_eq!(memory_text(bytes), text);
            assert_eq!(parse_memory(text), Some(bytes));
        }
    }
}
