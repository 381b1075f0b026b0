//! The state of the tool registry, and its update by a scan of the files.

use std::collections::{HashMap, HashSet};
use std::time::Instant;
use tgp_registry::{ContentHash, Registry, ToolMeta};
use tgp_vfs::{Fingerprint, ListedFile};

#[derive(Default)]
pub(super) struct RegistryState {
    pub(super) registry: Registry,
    pub(super) seen: HashMap<String, SeenFile>,
    /// The entries of `meta.json`, as last read or generated.
    pub(super) in_meta: HashMap<String, ContentHash>,
    /// Files that are left out because their names are confusable.
    pub(super) left_out: Vec<String>,
    pub(super) scanned: Option<Instant>,
    /// Whether files are known to have changed since the last scan.
    pub(super) is_stale: bool,
    /// The current background scan; none when it was superseded.
    pub(super) background: Option<BackgroundScan>,
    /// The number of background scans so far.
    pub(super) backgrounds: u64,
    /// Whether `seen` differs from the stored cache.
    pub(super) unstored: bool,
}

pub(super) struct BackgroundScan {
    pub(super) number: u64,
    /// Paths that were registered since it began.
    pub(super) noted: HashSet<String>,
}

#[derive(Clone, serde::Serialize, serde::Deserialize)]
pub(super) struct SeenFile {
    pub(super) stamp: Fingerprint,
    pub(super) hash: ContentHash,
    /// The fingerprint of the entry that this registry generated.
    #[serde(default)]
    pub(super) made: Option<ContentHash>,
}

/// A file that was read by a scan.
pub(super) struct ScannedFile {
    pub(super) path: String,
    pub(super) stamp: Option<Fingerprint>,
    pub(super) hash: ContentHash,
    /// `None` when the known entry is still valid.
    pub(super) entry: Option<ToolMeta>,
}

impl RegistryState {
    /// Invalidates the scan after files changed.
    pub(super) fn expire(&mut self) {
        self.is_stale = true;
        self.background = None;
    }

    /// Ends a background scan and returns the paths registered since it began; none when it was superseded.
    pub(super) fn end_background(&mut self, number: u64) -> Option<HashSet<String>> {
        let scan = self.background.take_if(|scan| scan.number == number)?;
        Some(scan.noted)
    }

    /// Whether a file is unchanged since its entry was generated.
    pub(super) fn knows(&self, entries: &HashMap<String, ToolMeta>, file: &ListedFile) -> bool {
        let path = file.path.as_str();
        let Some(seen) = self.seen.get(path).filter(|seen| Some(seen.stamp) == file.fingerprint) else { return false };
        self.registry.hash_of(path) == Some(&seen.hash)
            || entries.get(path).is_some_and(|entry| entry.hash == seen.hash)
    }

    pub(super) fn record(&mut self, file: ScannedFile, entries: &mut HashMap<String, ToolMeta>) {
        let ScannedFile { path, stamp, hash, entry } = file;
        let stored = || entries.remove(&path).filter(|entry| entry.hash == hash);
        if let Some(entry) = entry.or_else(stored) {
            self.registry.insert(entry);
        }
        match stamp {
            Some(stamp) => {
                let made = self.registry.get(&path).map(|tool| Registry::fingerprint(tool));
                self.seen.insert(path, SeenFile { stamp, hash, made });
            }
            None => drop(self.seen.remove(&path)),
        }
        self.unstored = true;
    }

    pub(super) fn forget_all_but(&mut self, present: &HashSet<&str>) {
        let removed: Vec<String> = self
            .registry
            .list()
            .map(|tool| &tool.path)
            .filter(|path| !present.contains(path.as_str()))
            .cloned()
            .collect();
        for path in removed {
            self.registry.remove(&path);
            self.seen.remove(&path);
            self.unstored = true;
        }
    }
}
