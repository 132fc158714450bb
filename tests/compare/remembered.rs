//! What the real kind made of a case, kept in the test bed's folder.
//!
//! It is the same each time for one kind, one engine, one node image, one case and one way to look at it, so only kindr's
//! half is made anew where nothing of that changed. Names that a run picks are kept as words that stand for them.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::case::{Case, Place};
use crate::common::{TestEnvironment, is_peer, node_image, peer};
use crate::image::Images;
use crate::verdicts::Verdict;

/// What decides what is seen: a change in any of it makes all memories void.
const WAYS_TO_LOOK: [&str; 5] = [
    include_str!("case.rs"),
    include_str!("image.rs"),
    include_str!("inspected.rs"),
    include_str!("observed.rs"),
    include_str!("verdicts.rs"),
];

/// Memories of one kind, engine and node image.
pub struct Remembered {
    /// Where they are; none without a folder of the test bed, nor where kind is compared with itself.
    folder: Option<PathBuf>,
    base: Sha256,
}

impl Remembered {
    /// Finds out what they depend on.
    pub fn of(world: &TestEnvironment) -> Self {
        let folder = env::var_os("KINDR_TESTBED").map(|bed| PathBuf::from(bed).join("kind-made"));
        let mut base = Sha256::new();
        base.update(fs::read(peer()).expect("read the real kind"));
        base.update(world.engine().run(["version"]));
        base.update(
            world
                .engine()
                .run(["info", "--format", "{{.Driver}} {{.CgroupVersion}}"]),
        );
        base.update(
            world
                .engine()
                .run(["image", "inspect", "--format", "{{.Id}}", &node_image()]),
        );
        WAYS_TO_LOOK.iter().for_each(|text| base.update(text));
        Self {
            folder: folder.filter(|_| !is_peer()),
            base,
        }
    }

    /// Returns what kind made of a case, with the names of this run.
    pub fn recall(&self, world: &TestEnvironment, case: &Case, at: &Place, images: &Images) -> Option<Value> {
        let mut text = fs::read_to_string(self.file(case)?).ok()?;
        for (name, word) in names(world, case, at, images) {
            text = text.replace(word, &name);
        }
        serde_json::from_str(&text).ok()
    }

    /// Keeps what kind made of a case.
    pub fn keep(&self, world: &TestEnvironment, case: &Case, at: &Place, images: &Images, seen: &Value) {
        let Some(file) = self.file(case) else { return };
        let mut text = seen.to_string();
        for (name, word) in names(world, case, at, images) {
            text = text.replace(&name, word);
        }
        write(&file, &text);
    }

    /// Returns what kind thinks of a case: what is remembered, or else what `judge` finds out, which may say more.
    pub fn verdict<T>(&self, case: &Case, judge: impl FnOnce() -> (Verdict, T)) -> (Verdict, Option<T>) {
        let Some(file) = self.place(case, "verdict") else {
            let (verdict, said) = judge();
            return (verdict, Some(said));
        };
        if let Some(verdict) = fs::read_to_string(&file)
            .ok()
            .and_then(|text| serde_json::from_str(&text).ok())
        {
            return (verdict, None);
        }
        let (verdict, said) = judge();
        write(&file, &serde_json::to_string(&verdict).expect("a word"));
        (verdict, Some(said))
    }

    fn file(&self, case: &Case) -> Option<PathBuf> {
        // The name of a network, another in each run, decides its subnet.
        self.place(case, "").filter(|_| !case.own_network)
    }

    fn place(&self, case: &Case, what: &str) -> Option<PathBuf> {
        let folder = self.folder.as_ref()?;
        let mut hash = self.base.clone();
        hash.update(what);
        hash.update(&case.name);
        hash.update(&case.text);
        let hash: String = hash.finalize()[..16]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        Some(folder.join(hash))
    }
}

fn write(file: &Path, text: &str) {
    let folder = file.parent().expect("a file in a folder");
    fs::create_dir_all(folder).expect("make a folder");
    // Two runs may keep the same at once.
    let new = tempfile::NamedTempFile::new_in(folder).expect("make a file");
    fs::write(new.path(), text).expect("write a file");
    new.persist(file).expect("put a file in its place");
}

/// Names that are others in each run, and the words for them, so that none is spoiled by another that is part of it.
fn names(world: &TestEnvironment, case: &Case, at: &Place, images: &Images) -> Vec<(String, &'static str)> {
    let image = images.of(case.version.as_deref());
    let id = world
        .engine()
        .run(["image", "inspect", "--format", "{{.Id}}", image]);
    let home = world.path("");
    let mut names = vec![
        (id.trim().to_owned(), "@@IMAGE-ID@@"),
        (image.to_owned(), "@@IMAGE@@"),
        (images.other().to_owned(), "@@OTHER-IMAGE@@"),
        (
            home.to_string_lossy().trim_end_matches('/').to_owned(),
            "@@HOME@@",
        ),
        (at.cluster.clone(), "@@CLUSTER@@"),
    ];
    names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    names
}
