//! What the registry remembers of files, and what a look at them changes.

use std::collections::{HashMap, HashSet};
use std::time::Instant;
use tgp_registry::{ContentHash, Registry, ToolMeta};
use tgp_vfs::{Fingerprint, ListedFile};

#[derive(Default)]
pub(super) struct State {
    pub(super) registry: Registry,
    pub(super) seen: HashMap<String, Seen>,
    /// What `meta.json` says, as it was last read or made here.
    pub(super) in_meta: HashMap<String, ContentHash>,
    /// Files that are not tools because people would take them for another one.
    pub(super) left_out: Vec<String>,
    pub(super) looked: Option<Instant>,
    /// Whether files are known to have changed since.
    pub(super) is_stale: bool,
    /// A look that is made in the background; without it, one that ends has been overtaken by another.
    pub(super) background: Option<BackgroundLook>,
    /// How many looks were begun in the background.
    pub(super) backgrounds: u64,
    /// Whether `seen` differs from the stored cache.
    pub(super) unstored: bool,
}

pub(super) struct BackgroundLook {
    pub(super) number: u64,
    /// What was registered since it began.
    pub(super) noted: HashSet<String>,
}

#[derive(Clone, serde::Serialize, serde::Deserialize)]
pub(super) struct Seen {
    pub(super) stamp: Fingerprint,
    pub(super) hash: ContentHash,
    /// The entry that was made of it here.
    #[serde(default)]
    pub(super) made: Option<ContentHash>,
}

/// What a file turned out to be.
pub(super) struct Looked {
    pub(super) path: String,
    pub(super) stamp: Option<Fingerprint>,
    pub(super) hash: ContentHash,
    /// `None` when the known entry still holds.
    pub(super) entry: Option<ToolMeta>,
}

impl State {
    /// Files are known to have changed: what was seen of them before does not count.
    pub(super) fn expire(&mut self) {
        self.is_stale = true;
        self.background = None;
    }

    /// What was registered since a look of this number began in the background; nothing when another has overtaken it.
    pub(super) fn end_background(&mut self, number: u64) -> Option<HashSet<String>> {
        let look = self.background.take_if(|look| look.number == number)?;
        Some(look.noted)
    }

    /// Whether a file is what it was when its entry was made.
    pub(super) fn knows(&self, entries: &HashMap<String, ToolMeta>, file: &ListedFile) -> bool {
        let path = file.path.as_str();
        let Some(seen) = self.seen.get(path).filter(|seen| Some(seen.stamp) == file.fingerprint) else { return false };
        self.registry.hash_of(path) == Some(&seen.hash)
            || entries.get(path).is_some_and(|entry| entry.hash == seen.hash)
    }

    pub(super) fn take_note(&mut self, file: Looked, entries: &mut HashMap<String, ToolMeta>) {
        let Looked { path, stamp, hash, entry } = file;
        let stored = || entries.remove(&path).filter(|entry| entry.hash == hash);
        if let Some(entry) = entry.or_else(stored) {
            self.registry.insert(entry);
        }
        match stamp {
            Some(stamp) => {
                let made = self.registry.get(&path).map(|tool| Registry::fingerprint(tool));
                self.seen.insert(path, Seen { stamp, hash, made });
            }
            None => drop(self.seen.remove(&path)),
        }
        self.unstored = true;
    }

    pub(super) fn forget_all_but(&mut self, present: &HashSet<&str>) {
        let gone: Vec<String> = self
            .registry
            .list()
            .map(|tool| &tool.path)
            .filter(|path| !present.contains(path.as_str()))
            .cloned()
            .collect();
        for path in gone {
            self.registry.remove(&path);
            self.seen.remove(&path);
            self.unstored = true;
        }
    }
}
