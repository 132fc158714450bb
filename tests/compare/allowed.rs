//! The differences that are meant.

use std::cell::RefCell;
use std::collections::BTreeSet;

use regex::Regex;
use serde::Deserialize;

use crate::common::is_peer;
use crate::difference::Difference;
use crate::verdicts::Verdict;

const LIST: &str = include_str!("allowed.yaml");

/// The list, as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    containers: Vec<InContainers>,
    verdicts: Vec<InVerdicts>,
}

/// A difference of what comes of a configuration.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct InContainers {
    /// Its path, a regular expression for the whole.
    path: String,
    /// What kind has there; anything if not given.
    #[serde(default = "anything")]
    kind: String,
    /// What kindr has there.
    #[serde(default = "anything")]
    kindr: String,
    /// The version of cgroups on whose machines it is needed; on all if not given.
    cgroup: Option<String>,
    why: String,
}

/// A configuration of which the two think differently.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct InVerdicts {
    /// The case's name.
    case: String,
    kind: Verdict,
    kindr: Verdict,
    why: String,
}

fn anything() -> String {
    ".*".to_owned()
}

/// The list with a memory of what was needed of it.
pub struct Allowed {
    list: List,
    patterns: Vec<[Regex; 3]>,
    needed: RefCell<BTreeSet<String>>,
}

impl Allowed {
    /// Reads the list. kind compared with itself has no differences, so then it is empty.
    pub fn read() -> Self {
        let mut list: List = serde_yaml::from_str(LIST).expect("allowed.yaml can be read");
        let reasons = list.containers.iter().map(|entry| &entry.why);
        let reasons: Vec<_> = reasons
            .chain(list.verdicts.iter().map(|entry| &entry.why))
            .collect();
        assert!(
            reasons.iter().all(|why| why.len() > 10),
            "each entry has a reason"
        );
        if is_peer() {
            list.containers.clear();
            list.verdicts.clear();
        }
        let whole = |text: &str| Regex::new(&format!("(?s)^(?:{text})$")).expect("a regular expression");
        let patterns = list
            .containers
            .iter()
            .map(|entry| [&entry.path, &entry.kind, &entry.kindr].map(|text| whole(text)));
        let patterns = patterns.collect();
        Self {
            list,
            patterns,
            needed: RefCell::default(),
        }
    }

    /// Tells whether a difference is meant.
    pub fn allows(&self, difference: &Difference) -> bool {
        let texts = [&difference.path, &difference.kind, &difference.kindr];
        let found = self.patterns.iter().position(|patterns| {
            patterns
                .iter()
                .zip(texts)
                .all(|(pattern, text)| pattern.is_match(text))
        });
        if let Some(at) = found {
            self.needed.borrow_mut().insert(self.list.containers[at].label());
        }
        found.is_some()
    }

    /// Tells whether different verdicts about a configuration are meant.
    pub fn allows_verdicts(&self, case: &str, kind: Verdict, kindr: Verdict) -> bool {
        let mut entries = self.list.verdicts.iter();
        let found =
            entries.any(|entry| (entry.case.as_str(), entry.kind, entry.kindr) == (case, kind, kindr));
        if found {
            self.needed.borrow_mut().insert(case.to_owned());
        }
        found
    }

    /// Returns the entries about containers and files that nothing needed on a machine with this version of cgroups.
    pub fn idle_in_containers(&self, cgroup: &str) -> Vec<String> {
        let entries = self.list.containers.iter();
        let here = entries.filter(|entry| entry.cgroup.as_ref().is_none_or(|version| version == cgroup));
        self.idle(here.map(InContainers::label))
    }

    /// Returns the entries about verdicts that nothing needed.
    pub fn idle_in_verdicts(&self) -> Vec<String> {
        self.idle(self.list.verdicts.iter().map(|entry| entry.case.clone()))
    }

    fn idle(&self, entries: impl Iterator<Item = String>) -> Vec<String> {
        let needed = self.needed.borrow();
        entries.filter(|entry| !needed.contains(entry)).collect()
    }
}

impl InContainers {
    fn label(&self) -> String {
        format!("{} (kind: {}, kindr: {})", self.path, self.kind, self.kindr)
    }
}
