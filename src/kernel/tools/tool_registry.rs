//! Keeps the registry level with the files, however those were changed.
//!
//! The files are the truth. `meta.json` and a private cache only save work: an entry is taken over when this registry has made it,
//! as the cache tells, of the text that the file has, and a text is not even read when the file's stamp is the known one.
//!
//! Writing `meta.json` costs as much as there are tools. So it follows a change at once only while tools are few; of many
//! it waits until a fixed share of them has changed, or until somebody asks for it. Per write that is a fixed price.

use super::memory::ToolSource;
use super::meta_lag::{MetaLag, MetaText};
use super::registry_state::{BackgroundLook, Looked, State};
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

/// A question looks at the files again when the last look is longer ago than this.
const FRESH_FOR: Duration = Duration::from_secs(1);
/// With more tools than this a look takes too long to wait for: it is made in the background, and the next question knows of it.
const MANY: usize = if cfg!(test) { 40 } else { 1000 };
/// `meta.json` is written when one in this many tools has changed since: every time as long as there are no more.
const META_SHARE: usize = 32;

/// Entries that are kept from the check of a new text until it is registered.
const CHECKED: usize = 16;

const CACHE: &str = "registry-stamps.json";

/// The files that a registry follows.
pub struct RegistryFiles {
    /// The root, as agents see it.
    pub tools: Arc<dyn Vfs>,
    /// Where `meta.json` is written: the root again, as it may be larger than any tool.
    pub meta: Arc<DiskVfs>,
    /// Where another `meta.json` may be, which is not this registry's to write.
    pub shared_meta: Option<Arc<DiskVfs>>,
    /// Outside the history.
    pub private: PrivateFiles,
}

pub struct ToolRegistry {
    /// For looks in the background.
    own: Weak<Self>,
    files: RegistryFiles,
    compiler: Arc<Compiler>,
    /// By path.
    checked: BoundedCache<String, ToolMeta>,
    state: Mutex<State>,
    /// Apart from the state, so that the end of a run never waits for files.
    pub(super) uses: UseCounter,
    lag: MetaLag,
}

/// Whether the stamps of files are believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
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

    /// Looks at all files now.
    pub fn refresh(&self, look: Look) -> Result<(), Error> {
        self.look(&mut self.state.lock(), look)
    }

    /// Files have changed: the next question looks at them, however soon it comes.
    pub fn expire(&self) {
        self.state.lock().expire();
    }

    /// Others' commits have come in, and with them perhaps another `meta.json`.
    pub fn was_overtaken(&self) {
        self.lag.overtaken();
        self.expire();
    }

    /// The tools that fit `query`, best first, by words and by what is known of its meaning.
    pub fn find(&self, query: &str, meanings: &[Meaning], limit: usize) -> Result<Vec<ToolMatch>, Error> {
        let mut found = self.fresh()?.registry.find(query, meanings, limit);
        let counts = self.uses.counts();
        // Of equals the one that has proved itself comes first.
        found.sort_by(|left, right| {
            let uses = |found: &ToolMatch| counts.of(&found.tool.path);
            right.score.total_cmp(&left.score).then_with(|| uses(right).cmp(&uses(left)))
        });
        Ok(found)
    }

    /// Other tools that are described as `tool` is, best first.
    pub fn alike(&self, tool: &ToolMeta, meanings: &[Meaning], limit: usize) -> Result<Vec<ToolMatch>, Error> {
        Ok(self.fresh()?.registry.similar(tool, meanings, limit))
    }

    /// The entry that a tool with this text would have. Most often it is written next.
    pub fn entry_of(&self, path: &str, text: &str) -> ToolMeta {
        let entry = tool_entry(&self.compiler, path, text, ContentHash::of(text));
        self.checked.put(path.to_owned(), entry.clone());
        entry
    }

    /// Another tool whose path people would take for this one.
    pub fn look_alike_of(&self, path: &str) -> Result<Option<String>, Error> {
        let state = self.fresh()?;
        let is_twin = |other: &str| {
            let is_near = other.len() == path.len() || !other.is_ascii() || !path.is_ascii();
            is_near && other != path && is_alike(other, path)
        };
        Ok(state.registry.list().find(|tool| is_twin(&tool.path)).map(|tool| tool.path.clone()))
    }

    /// Differs whenever the tools do.
    pub fn version(&self) -> Result<u32, Error> {
        Ok(self.fresh()?.registry.version())
    }

    /// The tools for whoever follows them, for as long as there is a registry.
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

    /// Takes note of a file that was just written; `meta.json` when it is its turn.
    pub fn register(&self, path: &JailPath) -> Result<Option<MetaText>, Error> {
        let mut state = self.state.lock();
        self.note(&mut state, path)?;
        let behind = self.lag.behind();
        let is_due = behind > 0 && behind * META_SHARE >= state.registry.len();
        let meta = if is_due { self.bring_meta_along(&mut state)? } else { None };
        Ok(meta)
    }

    /// Makes `meta.json` on disk what the tools say; none as long as there are no tools.
    pub fn sync_meta(&self) -> Result<Option<MetaText>, Error> {
        self.bring_meta_along(&mut self.state.lock())
    }

    /// The history has this `meta.json` now.
    pub fn meta_was_committed(&self, meta: &MetaText) {
        self.lag.committed(meta);
    }

    /// Whether the committed `meta.json` lacks, or may lack, anything that was registered here.
    pub fn is_meta_behind(&self) -> bool {
        self.lag.is_behind()
    }

    /// Counts a run, and tells how many there were before.
    pub fn count_use(&self, path: &str) -> u64 {
        self.uses.count(path)
    }

    /// Stores what is kept outside the history. Losing it costs time, never tools.
    pub fn store(&self) {
        self.uses.store();
        // A look that is still under way is not worth waiting for: the next kernel looks again.
        let Some(mut state) = self.state.try_lock() else { return };
        if state.unstored
            && let Ok(text) = serde_json::to_string(&state.seen)
        {
            self.files.private.write(CACHE, &text);
            state.unstored = false;
        }
    }

    /// The tools as the files are now; where there are many, as they were when they were last looked at.
    pub(super) fn fresh(&self) -> Result<MutexGuard<'_, State>, Error> {
        let mut state = self.state.lock();
        let is_old = state.looked.is_none_or(|looked| looked.elapsed() > FRESH_FOR);
        let may_wait = state.looked.is_some() && !state.is_stale && state.registry.len() > MANY;
        if state.is_stale || (is_old && !(may_wait && self.look_later(&mut state))) {
            self.look(&mut state, Look::Quick)?;
        }
        Ok(state)
    }

    /// Looks in the background; `false` where there is no thread for it.
    fn look_later(&self, state: &mut State) -> bool {
        if state.background.is_some() {
            return true;
        }
        let number = state.backgrounds + 1;
        let own = Weak::clone(&self.own);
        let look = move || {
            let Some(registry) = own.upgrade() else { return };
            let began = Instant::now();
            let files = threads::contain(|| registry.list_files());
            let state = &mut *registry.state.lock();
            let Some(noted) = state.end_background(number) else { return };
            let taken_in = match files {
                Ok(Ok(files)) => registry.take_in(state, Look::Quick, files, &noted, began).is_ok(),
                Ok(Err(_)) | Err(threads::Panicked) => false,
            };
            if !taken_in {
                // The next question looks, and is answered with what is wrong.
                state.is_stale = true;
            }
        };
        let is_under_way = threads::spawn("tgp-look", look).is_ok();
        state.backgrounds = number;
        state.background = is_under_way.then(|| BackgroundLook { number, noted: HashSet::new() });
        is_under_way
    }

    fn bring_meta_along(&self, state: &mut State) -> Result<Option<MetaText>, Error> {
        self.lag.bring_along(|| {
            self.look(state, Look::Quick)?;
            let text = self.write_meta(state)?;
            state.in_meta = state.registry.list().map(|tool| (tool.path.clone(), tool.hash.clone())).collect();
            Ok(text)
        })
    }

    /// Looks at one file, whatever its stamp says.
    fn note(&self, state: &mut State, path: &JailPath) -> Result<(), Error> {
        state.seen.remove(path.as_str());
        if let Some(look) = &mut state.background {
            look.noted.insert(path.as_str().to_owned());
        }
        if state.looked.is_none() {
            self.look(state, Look::Quick)?;
        } else if is_tool(path) {
            let file = ListedFile { path: path.clone(), fingerprint: None };
            let held = |path: &str, hash: &ContentHash| state.registry.hash_of(path) == Some(hash);
            match self.examine(held, &file)? {
                Some(looked) => state.take_note(looked, &mut HashMap::new()),
                None => drop(state.registry.remove(path.as_str())),
            }
        }
        // Whoever looked meanwhile may have seen the file before this: what counts is what `meta.json` says.
        if state.registry.hash_of(path.as_str()) != state.in_meta.get(path.as_str()) {
            self.lag.registered();
        }
        Ok(())
    }

    fn look(&self, state: &mut State, look: Look) -> Result<(), Error> {
        let began = Instant::now();
        let files = self.list_files()?;
        state.background = None;
        self.take_in(state, look, files, &HashSet::new(), began)
    }

    /// The files of tools, and those that people would take for another one.
    fn list_files(&self) -> Result<(Vec<ListedFile>, Vec<String>), Error> {
        let mut files = self.files.tools.list_with_fingerprints(&JailPath::parse(TOOLS)?)?;
        files.retain(|file| is_tool(&file.path));
        Ok(without_look_alikes(files, |file| file.path.as_str()))
    }

    /// Brings the registry to what the files are that were listed at `began`. Of those that were `noted` since more is known.
    fn take_in(
        &self,
        state: &mut State,
        look: Look,
        (mut files, left_out): (Vec<ListedFile>, Vec<String>),
        noted: &HashSet<String>,
        began: Instant,
    ) -> Result<(), Error> {
        let mut known = match state.looked {
            None => self.load(state),
            Some(_) => HashMap::new(),
        };
        if look == Look::Thorough {
            state.seen.clear();
        }
        files.retain(|file| !noted.contains(file.path.as_str()));
        state.left_out = left_out;
        let (same, changed): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| state.knows(&known, file));
        let held = |path: &str, hash: &ContentHash| {
            state.registry.hash_of(path) == Some(hash) || known.get(path).is_some_and(|entry| entry.hash == *hash)
        };
        let looked = threads::parallel_map("tgp-look", &changed, |file| self.examine(held, file));
        let looked = looked.into_iter().filter_map(Result::transpose).collect::<Result<Vec<Looked>, _>>()?;
        for entry in same.iter().filter_map(|file| known.remove(file.path.as_str())) {
            state.registry.insert(entry);
        }
        let listed = same.iter().map(|file| file.path.as_str()).chain(looked.iter().map(|file| file.path.as_str()));
        let present: HashSet<&str> = listed.chain(noted.iter().map(String::as_str)).collect();
        state.forget_all_but(&present);
        for file in looked {
            state.take_note(file, &mut known);
        }
        state.looked = Some(began);
        state.is_stale = false;
        Ok(())
    }

    /// What `meta.json` and the cache remember. Either may be missing, damaged or stale.
    fn load(&self, state: &mut State) -> HashMap<String, ToolMeta> {
        state.seen = serde_json::from_str(&self.files.private.read(CACHE)).unwrap_or_default();
        let read = |files: &Arc<DiskVfs>| {
            let text = JailPath::parse(META_FILE).ok().and_then(|path| files.read(&path).ok()).unwrap_or_default();
            Registry::read_meta(&text)
        };
        // Everyone who pushes can write it, with hashes that are right: only entries that this registry has made itself count.
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

    /// Reads a file whose stamp is new; `None` when it cannot be read, and so is no tool. One that cannot be read only for
    /// want of descriptors or memory is still there.
    fn examine(
        &self,
        held: impl Fn(&str, &ContentHash) -> bool,
        file: &ListedFile,
    ) -> Result<Option<Looked>, VfsError> {
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
        Ok(Some(Looked { path: path.to_owned(), stamp: file.fingerprint, hash, entry }))
    }

    fn write_meta(&self, state: &State) -> Result<Option<String>, Error> {
        let path = JailPath::parse(META_FILE)?;
        let present = self.files.meta.read(&path).ok();
        if present.is_none() && state.registry.is_empty() {
            return Ok(None);
        }
        let text = state.registry.print_meta();
        if present.as_deref() != Some(text.as_str()) {
            // Whatever becomes of the file, it can be made again.
            self.files.meta.restore(&path, text.as_bytes())?;
        }
        Ok(Some(text))
    }
}

#[cfg(test)]
#[path = "tool_registry_tests.rs"]
mod tests;
