//! Keeps the registry level with the files, however those were changed.
//!
//! The files are the truth. `meta.json` and a private cache only save work: an entry is taken over when the hash of the
//! file's text is the one that it was made of, and a text is not even read when the file's stamp is the known one.

use super::private_files::PrivateFiles;
use super::tool_entry::tool_entry;
use super::write_rules::TOOLS;
use crate::compile::Compiler;
use crate::error::Error;
use crate::registry::{ContentHash, Found, META_FILE, Registry, ToolMeta, UseCounts};
use crate::vfs::{JailPath, Stamp, StampedFile, Vfs};
use parking_lot::{MappedMutexGuard, Mutex, MutexGuard};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Files that can be tools. Declarations are not.
const EXTENSIONS: [&str; 6] = ["ts", "mts", "cts", "js", "mjs", "cjs"];
/// For as long files are taken to be what they were when a question comes.
const FRESH_FOR: Duration = Duration::from_secs(1);
/// Runs after which the counts are stored.
const STORE_USES_EVERY: u64 = 64;

/// Tools that a warning about double work names.
const MOST_SIMILAR: usize = 3;

const CACHE: &str = "registry-stamps.json";
const USES: &str = "tool-uses.json";

/// The files that a registry follows.
pub struct RegistryFiles {
    /// The root, as agents see it.
    pub tools: Arc<dyn Vfs>,
    /// The root again, for `meta.json`, which may be larger than any tool.
    pub meta: Arc<dyn Vfs>,
    /// Outside the history.
    pub private: PrivateFiles,
}

pub struct ToolRegistry {
    files: RegistryFiles,
    compiler: Arc<Compiler>,
    state: Mutex<State>,
    /// Apart from the state, so that the end of a run never waits for files. `None` until first needed.
    uses: Mutex<Option<UseCounts>>,
}

#[derive(Default)]
struct State {
    registry: Registry,
    seen: HashMap<String, Seen>,
    looked: Option<Instant>,
    /// Whether `seen` differs from the stored cache.
    unstored: bool,
}

#[derive(Clone, serde::Serialize, serde::Deserialize)]
struct Seen {
    stamp: Stamp,
    hash: ContentHash,
}

/// Whether the stamps of files are believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    Quick,
    Thorough,
}

/// What a file turned out to be.
struct Looked {
    path: String,
    stamp: Option<Stamp>,
    hash: ContentHash,
    /// `None` when the known entry still holds.
    entry: Option<ToolMeta>,
}

/// What a write does to the registry.
pub struct Registered {
    /// The text of `meta.json`, as it is on disk now; none as long as there are no tools.
    pub meta: Option<String>,
    /// Other tools that do the same job.
    pub similar: Vec<Found>,
}

impl ToolRegistry {
    #[must_use]
    pub fn new(files: RegistryFiles, compiler: Arc<Compiler>) -> Self {
        Self { files, compiler, state: Mutex::default(), uses: Mutex::default() }
    }

    /// Looks at all files now.
    pub fn refresh(&self, look: Look) -> Result<(), Error> {
        self.look(&mut self.state.lock(), look)
    }

    /// The tools that fit `query`, best first.
    pub fn find(&self, query: &str, limit: usize) -> Result<Vec<Found>, Error> {
        let mut found = self.fresh()?.registry.find(query, limit);
        let counts = self.uses();
        // Of equals the one that has proved itself comes first.
        found.sort_by(|left, right| {
            let uses = |found: &Found| counts.of(&found.tool.path);
            right.score.total_cmp(&left.score).then_with(|| uses(right).cmp(&uses(left)))
        });
        Ok(found)
    }

    /// Every tool with its number of runs, sorted by path.
    pub fn list(&self) -> Result<Vec<(Arc<ToolMeta>, u64)>, Error> {
        let state = self.fresh()?;
        let uses = self.uses();
        Ok(state.registry.list().map(|tool| (Arc::clone(tool), uses.of(&tool.path))).collect())
    }

    /// Takes note of a file that was just written, and brings `meta.json` along on disk.
    pub fn register(&self, path: &JailPath) -> Result<Registered, Error> {
        let mut state = self.state.lock();
        state.seen.remove(path.as_str());
        self.look(&mut state, Look::Quick)?;
        let tool = state.registry.get(path.as_str()).cloned();
        let similar = tool.map(|tool| state.registry.similar(&tool, MOST_SIMILAR)).unwrap_or_default();
        let meta = self.write_meta(&state)?;
        Ok(Registered { meta, similar })
    }

    /// Makes `meta.json` on disk what the tools say, and returns its text.
    pub fn sync_meta(&self) -> Result<Option<String>, Error> {
        let mut state = self.state.lock();
        self.look(&mut state, Look::Quick)?;
        self.write_meta(&state)
    }

    /// Counts a run.
    pub fn count_use(&self, path: &str) {
        let mut uses = self.uses();
        uses.count(path);
        if uses.unstored() >= STORE_USES_EVERY {
            self.store_uses(&mut uses);
        }
    }

    /// Stores what is kept outside the history. Losing it costs time, never tools.
    pub fn store(&self) {
        let mut uses = self.uses();
        if uses.unstored() > 0 {
            self.store_uses(&mut uses);
        }
        drop(uses);
        let mut state = self.state.lock();
        if state.unstored
            && let Ok(text) = serde_json::to_string(&state.seen)
        {
            self.files.private.write(CACHE, &text);
            state.unstored = false;
        }
    }

    fn fresh(&self) -> Result<MutexGuard<'_, State>, Error> {
        let mut state = self.state.lock();
        if state.looked.is_none_or(|looked| looked.elapsed() > FRESH_FOR) {
            self.look(&mut state, Look::Quick)?;
        }
        Ok(state)
    }

    fn look(&self, state: &mut State, look: Look) -> Result<(), Error> {
        let mut known = match state.looked {
            None => self.load(state),
            Some(_) => HashMap::new(),
        };
        if look == Look::Thorough {
            state.seen.clear();
        }
        let mut files = self.files.tools.list_stamped(&JailPath::parse(TOOLS)?)?;
        files.retain(|file| is_tool(&file.path));
        let (same, changed): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| state.knows(&known, file));
        let held = |path: &str, hash: &ContentHash| {
            state.registry.hash_of(path) == Some(hash) || known.get(path).is_some_and(|entry| entry.hash == *hash)
        };
        let looked: Vec<Looked> = changed.par_iter().filter_map(|file| self.examine(held, file)).collect();
        for entry in same.iter().filter_map(|file| known.remove(file.path.as_str())) {
            state.registry.insert(entry);
        }
        let present: HashSet<&str> =
            same.iter().map(|file| file.path.as_str()).chain(looked.iter().map(|file| file.path.as_str())).collect();
        state.forget_all_but(&present);
        for file in looked {
            state.take_note(file, &mut known);
        }
        state.looked = Some(Instant::now());
        Ok(())
    }

    /// What `meta.json` and the cache remember. Either may be missing, damaged or stale.
    fn load(&self, state: &mut State) -> HashMap<String, ToolMeta> {
        state.seen = serde_json::from_str(&self.files.private.read(CACHE)).unwrap_or_default();
        let text =
            JailPath::parse(META_FILE).ok().and_then(|path| self.files.meta.read(&path).ok()).unwrap_or_default();
        Registry::read_meta(&text).into_iter().map(|tool| (tool.path.clone(), tool)).collect()
    }

    /// Reads a file whose stamp is new; `None` when it cannot be read, and so is no tool.
    fn examine(&self, held: impl Fn(&str, &ContentHash) -> bool, file: &StampedFile) -> Option<Looked> {
        let text = self.files.tools.read(&file.path).ok()?;
        let hash = ContentHash::of(&text);
        let path = file.path.as_str();
        let entry = (!held(path, &hash)).then(|| tool_entry(&self.compiler, path, &text, hash.clone()));
        Some(Looked { path: path.to_owned(), stamp: file.stamp, hash, entry })
    }

    fn write_meta(&self, state: &State) -> Result<Option<String>, Error> {
        let path = JailPath::parse(META_FILE)?;
        let present = self.files.meta.read(&path).ok();
        if present.is_none() && state.registry.is_empty() {
            return Ok(None);
        }
        let text = state.registry.print_meta();
        if present.as_deref() != Some(text.as_str()) {
            self.files.meta.write(&path, &text)?;
        }
        Ok(Some(text))
    }

    fn uses(&self) -> MappedMutexGuard<'_, UseCounts> {
        MutexGuard::map(self.uses.lock(), |uses| {
            uses.get_or_insert_with(|| UseCounts::read(&self.files.private.read(USES)))
        })
    }

    fn store_uses(&self, uses: &mut UseCounts) {
        let text = uses.store(&self.files.private.read(USES));
        self.files.private.write(USES, &text);
    }
}

impl State {
    /// Whether a file is what it was when its entry was made.
    fn knows(&self, entries: &HashMap<String, ToolMeta>, file: &StampedFile) -> bool {
        let path = file.path.as_str();
        let Some(seen) = self.seen.get(path).filter(|seen| Some(seen.stamp) == file.stamp) else { return false };
        self.registry.hash_of(path) == Some(&seen.hash)
            || entries.get(path).is_some_and(|entry| entry.hash == seen.hash)
    }

    fn take_note(&mut self, file: Looked, entries: &mut HashMap<String, ToolMeta>) {
        let Looked { path, stamp, hash, entry } = file;
        let stored = || entries.remove(&path).filter(|entry| entry.hash == hash);
        if let Some(entry) = entry.or_else(stored) {
            self.registry.insert(entry);
        }
        match stamp {
            Some(stamp) => drop(self.seen.insert(path, Seen { stamp, hash })),
            None => drop(self.seen.remove(&path)),
        }
        self.unstored = true;
    }

    fn forget_all_but(&mut self, present: &HashSet<&str>) {
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

/// Whether a path can be a tool's.
fn is_tool(path: &JailPath) -> bool {
    let is_declaration =
        path.file_name().is_some_and(|name| [".d.ts", ".d.mts", ".d.cts"].iter().any(|end| name.ends_with(end)));
    path.extension().is_some_and(|extension| EXTENSIONS.contains(&extension)) && !is_declaration
}
