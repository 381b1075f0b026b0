//! The tool registry, synchronised with the files by scans.
//!
//! The files are authoritative. `meta.json` and a private cache only save work: an entry is reused if this registry
//! generated it, as the cache proves, from the current text; a text is not even read if the file's fingerprint is
//! unchanged.
//!
//! The cost of writing `meta.json` grows with the number of tools. So it is written at once only while tools are few,
//! otherwise after a fixed share of them has changed, or on request. The amortised cost per write is constant.

use super::memory::ToolSource;
use super::meta_lag::{MetaLag, MetaText};
use super::registry_state::{BackgroundScan, RegistryState, ScannedFile};
use super::tool_entry::tool_entry;
use super::use_counter::UseCounter;
use crate::kernel::bounded_cache::BoundedCache;
use crate::kernel::look_alike::{is_alike, without_look_alikes};
use crate::kernel::private_files::PrivateFiles;
use crate::kernel::tool_paths::{TOOLS, is_tool};
use parking_lot::{Mutex, MutexGuard};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use tgp_base::error::Error;
use tgp_base::threads;
use tgp_compile::Compiler;
use tgp_registry::{ContentHash, META_FILE, Meaning, Registry, ToolMatch, ToolMeta};
use tgp_vfs::{DiskVfs, JailPath, ListedFile, Vfs, VfsError};

/// Age of a scan after which a query scans again.
const FRESH_FOR: Duration = Duration::from_secs(1);
/// With more tools than this, a scan runs in the background, and only later queries see its result.
const MANY: usize = if cfg!(test) { 40 } else { 1000 };
/// `meta.json` is written when one in this many tools has changed: every time while there are no more tools than this.
const META_SHARE: usize = 32;

/// Cached entries of checked texts that are not registered yet.
const CHECKED: usize = 16;

const CACHE: &str = "registry-stamps.json";

/// The files of a registry.
pub struct RegistryFiles {
    /// The root.
    pub tools: Arc<dyn Vfs>,
    /// The place of `meta.json`: the root with a larger file limit.
    pub meta: Arc<DiskVfs>,
    /// The place of a committed `meta.json` that this registry does not write.
    pub shared_meta: Option<Arc<DiskVfs>>,
    /// Private files outside of Git.
    pub private: PrivateFiles,
}

pub struct ToolRegistry {
    /// For background scans.
    own: Weak<Self>,
    files: RegistryFiles,
    compiler: Arc<Compiler>,
    /// By path.
    checked: BoundedCache<String, ToolMeta>,
    state: Mutex<RegistryState>,
    /// Separate from the state, so that the end of a run never waits for a scan.
    pub(super) uses: UseCounter,
    lag: MetaLag,
}

/// Whether a scan trusts fingerprints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scan {
    Quick,
    Thorough,
}

/// A tool and how often it was run.
pub type Counted = (Arc<ToolMeta>, u64);

impl ToolRegistry {
    #[must_use]
    pub fn new(files: RegistryFiles, compiler: Arc<Compiler>) -> Arc<Self> {
        let uses = UseCounter::new(files.private.clone());
        Arc::new_cyclic(|own| Self {
            own: Weak::clone(own),
            files,
            compiler,
            checked: BoundedCache::new(CHECKED),
            state: Mutex::default(),
            uses,
            lag: MetaLag::default(),
        })
    }

    /// Scans all files now.
    pub fn refresh(&self, scan: Scan) -> Result<(), Error> {
        self.scan(&mut self.state.lock(), scan)
    }

    /// Makes the next query scan, after files changed.
    pub fn expire(&self) {
        self.state.lock().expire();
    }

    /// Handles a pull, which may have changed `meta.json`.
    pub fn was_overtaken(&self) {
        self.lag.overtaken();
        self.expire();
    }

    /// The tools that match `query` lexically and semantically, best first.
    pub fn find(&self, query: &str, meanings: &[Meaning], limit: usize) -> Result<Vec<ToolMatch>, Error> {
        let mut found = self.fresh()?.registry.find(query, meanings, limit);
        let counts = self.uses.counts();
        // Among equal scores, the most used comes first.
        found.sort_by(|left, right| {
            let uses = |found: &ToolMatch| counts.of(&found.tool.path);
            right.score.total_cmp(&left.score).then_with(|| uses(right).cmp(&uses(left)))
        });
        Ok(found)
    }

    /// Other tools with descriptions similar to `tool`, best first.
    pub fn alike(&self, tool: &ToolMeta, meanings: &[Meaning], limit: usize) -> Result<Vec<ToolMatch>, Error> {
        Ok(self.fresh()?.registry.similar(tool, meanings, limit))
    }

    /// The first tools that are wanted, in the order of their paths.
    pub fn wanted(&self, limit: usize, is_wanted: impl Fn(&ToolMeta) -> bool) -> Result<Vec<Arc<ToolMeta>>, Error> {
        Ok(self.fresh()?.registry.list().filter(|tool| is_wanted(tool)).take(limit).map(Arc::clone).collect())
    }

    /// The entry of a tool with this text; cached, as it is usually written next.
    pub fn entry_of(&self, path: &str, text: &str) -> ToolMeta {
        let entry = tool_entry(&self.compiler, path, text, ContentHash::of(text));
        self.checked.put(path.to_owned(), entry.clone());
        entry
    }

    /// Another tool with a confusable path.
    pub fn look_alike_of(&self, path: &str) -> Result<Option<String>, Error> {
        let state = self.fresh()?;
        let is_twin = |other: &str| {
            let is_near = other.len() == path.len() || !other.is_ascii() || !path.is_ascii();
            is_near && other != path && is_alike(other, path)
        };
        Ok(state.registry.list().find(|tool| is_twin(&tool.path)).map(|tool| tool.path.clone()))
    }

    /// Changes whenever the tools do.
    pub fn version(&self) -> Result<u32, Error> {
        Ok(self.fresh()?.registry.version())
    }

    /// A source of the tools for followers, which does not keep the registry alive.
    pub fn source(registry: &Arc<Self>) -> ToolSource {
        let registry = Arc::downgrade(registry);
        Box::new(move |since| {
            let registry = registry.upgrade()?;
            let state = registry.fresh().ok()?;
            let version = state.registry.version();
            let all = || state.registry.list().map(Arc::clone).collect();
            Some((version, (since != Some(version)).then(all)))
        })
    }

    /// Every tool with its number of runs, sorted by path.
    pub fn list(&self) -> Result<Vec<Counted>, Error> {
        let state = self.fresh()?;
        let uses = self.uses.counts();
        Ok(state.registry.list().map(|tool| (Arc::clone(tool), uses.of(&tool.path))).collect())
    }

    /// One tool with its number of runs.
    pub fn one(&self, path: &str) -> Result<Option<Counted>, Error> {
        let state = self.fresh()?;
        Ok(state.registry.get(path).map(|tool| (Arc::clone(tool), self.uses.counts().of(path))))
    }

    /// Registers a written file. Returns `meta.json` when it is due.
    pub fn register(&self, path: &JailPath) -> Result<Option<MetaText>, Error> {
        let mut state = self.state.lock();
        self.note(&mut state, path)?;
        let behind = self.lag.behind();
        let is_due = behind > 0 && behind * META_SHARE >= state.registry.len();
        let meta = if is_due { self.regenerate_meta(&mut state)? } else { None };
        Ok(meta)
    }

    /// Regenerates `meta.json` on disk; none while there are no tools.
    pub fn sync_meta(&self) -> Result<Option<MetaText>, Error> {
        self.regenerate_meta(&mut self.state.lock())
    }

    /// This `meta.json` was committed.
    pub fn meta_was_committed(&self, meta: &MetaText) {
        self.lag.committed(meta);
    }

    /// Whether the committed `meta.json` may lack registered changes.
    pub fn is_meta_behind(&self) -> bool {
        self.lag.is_behind()
    }

    /// Counts a run; returns the number of runs before it.
    pub fn count_use(&self, path: &str) -> u64 {
        self.uses.count(path)
    }

    /// Stores the private cache, which can be regenerated.
    pub fn store(&self) {
        // Does not wait for a running scan: the next kernel scans again.
        let Some(mut state) = self.state.try_lock() else { return };
        if state.unstored
            && let Ok(text) = serde_json::to_string(&state.seen)
        {
            self.files.private.write(CACHE, &text);
            state.unstored = false;
        }
    }

    /// The current tools; with many tools, those of the last scan.
    pub(super) fn fresh(&self) -> Result<MutexGuard<'_, RegistryState>, Error> {
        let mut state = self.state.lock();
        let is_old = state.scanned.is_none_or(|scanned| scanned.elapsed() > FRESH_FOR);
        let may_wait = state.scanned.is_some() && !state.is_stale && state.registry.len() > MANY;
        if state.is_stale || (is_old && !(may_wait && self.scan_later(&mut state))) {
            self.scan(&mut state, Scan::Quick)?;
        }
        Ok(state)
    }

    /// Scans in the background; `false` when no thread starts.
    fn scan_later(&self, state: &mut RegistryState) -> bool {
        if state.background.is_some() {
            return true;
        }
        let number = state.backgrounds + 1;
        let own = Weak::clone(&self.own);
        let scan = move || {
            let Some(registry) = own.upgrade() else { return };
            let began = Instant::now();
            let files = threads::contain(|| registry.list_files());
            let state = &mut *registry.state.lock();
            let Some(noted) = state.end_background(number) else { return };
            let taken_in = match files {
                Ok(Ok(files)) => registry.apply_listing(state, Scan::Quick, files, &noted, began).is_ok(),
                Ok(Err(_)) | Err(threads::Panicked) => false,
            };
            if !taken_in {
                // The next query scans and reports the error.
                state.is_stale = true;
            }
        };
        let is_under_way = threads::spawn("tgp-look", scan).is_ok();
        state.backgrounds = number;
        state.background = is_under_way.then(|| BackgroundScan { number, noted: HashSet::new() });
        is_under_way
    }

    fn regenerate_meta(&self, state: &mut RegistryState) -> Result<Option<MetaText>, Error> {
        self.lag.regenerate(|| {
            self.scan(state, Scan::Quick)?;
            let text = self.write_meta(state)?;
            state.in_meta = state.registry.list().map(|tool| (tool.path.clone(), tool.hash.clone())).collect();
            Ok(text)
        })
    }

    /// Examines one file regardless of its fingerprint.
    fn note(&self, state: &mut RegistryState, path: &JailPath) -> Result<(), Error> {
        state.seen.remove(path.as_str());
        if let Some(scan) = &mut state.background {
            scan.noted.insert(path.as_str().to_owned());
        }
        if state.scanned.is_none() {
            self.scan(state, Scan::Quick)?;
        } else if is_tool(path) {
            let file = ListedFile { path: path.clone(), fingerprint: None };
            let held = |path: &str, hash: &ContentHash| state.registry.hash_of(path) == Some(hash);
            match self.examine(held, &file)? {
                Some(scanned) => state.record(scanned, &mut HashMap::new()),
                None => drop(state.registry.remove(path.as_str())),
            }
        }
        // A concurrent scan may have registered the file already, so compares with `meta.json`.
        if state.registry.hash_of(path.as_str()) != state.in_meta.get(path.as_str()) {
            self.lag.registered();
        }
        Ok(())
    }

    fn scan(&self, state: &mut RegistryState, scan: Scan) -> Result<(), Error> {
        let began = Instant::now();
        let files = self.list_files()?;
        state.background = None;
        self.apply_listing(state, scan, files, &HashSet::new(), began)
    }

    /// The files of tools, and the paths left out as confusable.
    fn list_files(&self) -> Result<(Vec<ListedFile>, Vec<String>), Error> {
        let mut files = self.files.tools.list_with_fingerprints(&JailPath::parse(TOOLS)?)?;
        files.retain(|file| is_tool(&file.path));
        Ok(without_look_alikes(files, |file| file.path.as_str()))
    }

    /// Applies a listing of files from time `began`, except for files that were registered (`noted`) since.
    fn apply_listing(
        &self,
        state: &mut RegistryState,
        scan: Scan,
        (mut files, left_out): (Vec<ListedFile>, Vec<String>),
        noted: &HashSet<String>,
        began: Instant,
    ) -> Result<(), Error> {
        let mut known = match state.scanned {
            None => self.load(state),
            Some(_) => HashMap::new(),
        };
        if scan == Scan::Thorough {
            state.seen.clear();
        }
        files.retain(|file| !noted.contains(file.path.as_str()));
        state.left_out = left_out;
        let (same, changed): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| state.knows(&known, file));
        let held = |path: &str, hash: &ContentHash| {
            state.registry.hash_of(path) == Some(hash) || known.get(path).is_some_and(|entry| entry.hash == *hash)
        };
        let scanned = threads::parallel_map("tgp-look", &changed, |file| self.examine(held, file));
        let scanned = scanned.into_iter().filter_map(Result::transpose).collect::<Result<Vec<ScannedFile>, _>>()?;
        for entry in same.iter().filter_map(|file| known.remove(file.path.as_str())) {
            state.registry.insert(entry);
        }
        let listed = same.iter().map(|file| file.path.as_str()).chain(scanned.iter().map(|file| file.path.as_str()));
        let present: HashSet<&str> = listed.chain(noted.iter().map(String::as_str)).collect();
        state.forget_all_but(&present);
        for file in scanned {
            state.record(file, &mut known);
        }
        state.scanned = Some(began);
        state.is_stale = false;
        Ok(())
    }

    /// Loads `meta.json` and the cache, either of which may be missing, damaged or stale.
    fn load(&self, state: &mut RegistryState) -> HashMap<String, ToolMeta> {
        state.seen = serde_json::from_str(&self.files.private.read(CACHE)).unwrap_or_default();
        let read = |files: &Arc<DiskVfs>| {
            let text = JailPath::parse(META_FILE).ok().and_then(|path| files.read(&path).ok()).unwrap_or_default();
            Registry::read_meta(&text)
        };
        // `meta.json` is untrusted: others can push one with correct hashes. Only entries that this registry generated
        // are used.
        let is_ours = |tool: &ToolMeta| {
            let made =
                state.seen.get(&tool.path).filter(|seen| seen.hash == tool.hash).and_then(|seen| seen.made.as_ref());
            made == Some(&Registry::fingerprint(tool))
        };
        let shared = self.files.shared_meta.iter().flat_map(read).filter(is_ours);
        let own: Vec<ToolMeta> = read(&self.files.meta).into_iter().filter(is_ours).collect();
        let in_meta = own.iter().map(|tool| (tool.path.clone(), tool.hash.clone())).collect();
        let known = shared.chain(own).map(|tool| (tool.path.clone(), tool)).collect();
        state.in_meta = in_meta;
        known
    }

    /// Reads a file with a new fingerprint; `None` when it cannot be read and so is not a tool. A lack of file
    /// descriptors or memory is an error instead.
    fn examine(
        &self,
        held: impl Fn(&str, &ContentHash) -> bool,
        file: &ListedFile,
    ) -> Result<Option<ScannedFile>, VfsError> {
        let text = match self.files.tools.read(&file.path) {
            Ok(text) => text,
            Err(error) if error.is_exhaustion() => return Err(error),
            Err(_) => return Ok(None),
        };
        let hash = ContentHash::of(&text);
        let path = file.path.as_str();
        let checked = || self.checked.get(path).filter(|entry| entry.hash == hash);
        let made = || checked().unwrap_or_else(|| tool_entry(&self.compiler, path, &text, hash.clone()));
        let entry = (!held(path, &hash)).then(made);
        Ok(Some(ScannedFile { path: path.to_owned(), stamp: file.fingerprint, hash, entry }))
    }

    fn write_meta(&self, state: &RegistryState) -> Result<Option<String>, Error> {
        let path = JailPath::parse(META_FILE)?;
        let present = self.files.meta.read(&path).ok();
        if present.is_none() && state.registry.is_empty() {
            return Ok(None);
        }
        let text = state.registry.print_meta();
        if present.as_deref() != Some(text.as_str()) {
            // No flush: the file can be regenerated.
            self.files.meta.restore(&path, text.as_bytes())?;
        }
        Ok(Some(text))
    }
}

#[cfg(test)]
#[path = "tool_registry_tests.rs"]
mod tests;
