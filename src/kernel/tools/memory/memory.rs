//! The memory of a kernel: it follows the tools, has their texts read off everybody's thread, and answers searches.

use super::memory_model::MemoryModel;
use super::memory_state::{State, Trouble, Work};
use super::vector_cache::VectorCache;
use parking_lot::{Condvar, Mutex};
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tgp_base::error::{Error, ErrorCode};
use tgp_base::threads;
use tgp_embed::{TextKey, Vector};
use tgp_registry::{Meaning, ToolMeta};

/// A search waits so long for texts that are being read, if they are few.
const PATIENCE: Duration = Duration::from_millis(400);
const FEW_TEXTS: usize = 48;
/// Vectors are written to their file after so many new ones, and when the kernel stops.
const SAVE_AFTER: usize = 32;
/// How long a kernel that stops waits for the batch under way.
const STOP_PATIENCE: Duration = Duration::from_secs(2);

/// The tools there are, when they differ from those of a version, and their version.
pub type ToolSource = Box<dyn Fn(Option<u32>) -> Option<(u32, Option<Vec<Arc<ToolMeta>>>)> + Send + Sync>;

/// What tools mean to a kernel.
pub struct Memory {
    model: Option<MemoryModel>,
    source: ToolSource,
    cache: VectorCache,
    state: Mutex<State>,
    changed: Condvar,
    stopped: AtomicBool,
}

/// How far a memory is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct MemoryReport {
    /// `"meaning"` once a model reads; `"words"` without one, or when it failed.
    #[cfg_attr(test, ts(type = "'meaning' | 'words'"))]
    pub by: &'static str,
    /// Texts that were read.
    pub texts: usize,
    /// Texts that are still to be read.
    pub waiting: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl Memory {
    pub fn new(model: Option<MemoryModel>, source: ToolSource, cache: VectorCache) -> Arc<Self> {
        let (state, changed) = (Mutex::new(State::new()), Condvar::new());
        Arc::new(Self { model, source, cache, state, changed, stopped: AtomicBool::new(false) })
    }

    /// How alike `text` and every tool are, at version `version` of the registry; none where only words can tell. It takes
    /// some milliseconds, more when texts were changed just before. Tools whose texts are still being read are missing.
    pub fn meanings(self: &Arc<Self>, text: &str, version: u32) -> Option<Vec<Meaning>> {
        let model = self.model.as_ref()?;
        self.catch_up(version);
        let vector = self.vector_of(model, text)?;
        let mut state = self.state.lock();
        let State { known, tools, .. } = &mut *state;
        let (_, vectors) = known.as_ref()?;
        let cosines = vectors.search(&vector);
        Some(tools.meanings(vectors, &cosines))
    }

    /// Takes the vector of a text that will be asked about, where the application's model has made it.
    pub fn remember(&self, text: &str, numbers: &[f32]) {
        if let Some(vector) = Vector::of(numbers) {
            self.state.lock().recent.put(TextKey::of(text), vector);
        }
    }

    /// Tools have changed. Whoever has never searched is left in peace: reading texts costs processor time.
    pub fn tools_changed(self: &Arc<Self>) {
        if self.state.lock().tools.version().is_some() {
            self.wake();
        }
    }

    /// Has all texts read, and tells when that is done or has failed.
    pub fn read_all(self: &Arc<Self>, done: Box<dyn FnOnce(MemoryReport) + Send>) {
        if self.model.is_none() {
            return done(self.report());
        }
        let memory = Arc::clone(self);
        self.state.lock().on_level.push(Box::new(move || done(memory.report())));
        self.wake();
    }

    pub fn report(&self) -> MemoryReport {
        let state = self.state.lock();
        let problem = state.trouble.as_ref().map(|trouble| trouble.error.message.clone());
        MemoryReport {
            by: if self.model.is_some() && problem.is_none() { "meaning" } else { "words" },
            texts: state.known.as_ref().map_or(0, |(_, vectors)| vectors.len()),
            waiting: state.left(),
            problem,
        }
    }

    /// Ends the reading and keeps what was read. Nothing is read or written afterwards.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        let mut state = self.state.lock();
        let until = Instant::now() + STOP_PATIENCE;
        while state.is_going() {
            if self.changed.wait_until(&mut state, until).timed_out() {
                break;
            }
        }
        let is_idle = state.work == Work::Idle;
        state.work = Work::Stopped;
        let file = if is_idle { state.file_to_save(1, VectorCache::is_own) } else { None };
        let waiters = std::mem::take(&mut state.on_level);
        drop(state);
        if let Some(file) = file {
            self.cache.write(&file);
        }
        waiters.into_iter().for_each(|tell| tell());
    }

    /// Sees to it that the texts of this version are read, and waits a moment if they are few.
    fn catch_up(self: &Arc<Self>, version: u32) {
        if self.state.lock().is_level(version) {
            return;
        }
        self.wake();
        let until = Instant::now() + PATIENCE;
        let mut state = self.state.lock();
        while state.is_going() && !state.is_level(version) && state.left() <= FEW_TEXTS {
            if self.changed.wait_until(&mut state, until).timed_out() {
                break;
            }
        }
    }

    /// The vector of a request: known, or made here and now by the weights. The application's model is not asked while
    /// somebody waits: JavaScript has asked it before, see [`Self::remember`].
    fn vector_of(&self, model: &MemoryModel, text: &str) -> Option<Vector> {
        let key = TextKey::of(text);
        {
            let state = self.state.lock();
            if state.is_resting(self.is_for_good()) {
                return None;
            }
            let known = state.recent.get(key).cloned();
            let known = known.or_else(|| state.known.as_ref().and_then(|(_, vectors)| vectors.get(key)));
            if known.is_some() {
                return known;
            }
        }
        let weights = model.weights().ok().flatten()?;
        let vector = threads::contain(|| weights.embed(&[text])).ok()?.into_iter().next()?;
        self.state.lock().recent.put(key, vector.clone());
        Some(vector)
    }

    fn is_for_good(&self) -> bool {
        matches!(self.model, Some(MemoryModel::Weights { .. }))
    }

    /// Has somebody look at the tools and read what is new.
    fn wake(self: &Arc<Self>) {
        if self.model.is_none() {
            return;
        }
        let mut state = self.state.lock();
        match state.work {
            Work::Going => state.work = Work::GoingOn,
            Work::GoingOn => {}
            Work::Idle if !state.is_resting(self.is_for_good()) => {
                state.work = Work::Going;
                drop(state);
                let memory = Arc::clone(self);
                if threads::spawn_low_priority("tgp-memory", move || memory.work()).is_err() {
                    self.rest(Err(no_threads()));
                }
            }
            Work::Idle | Work::Stopped => {
                let waiters = std::mem::take(&mut state.on_level);
                drop(state);
                waiters.into_iter().for_each(|tell| tell());
            }
        }
    }

    /// Reads until nothing is left to read.
    fn work(&self) {
        loop {
            let ended = match threads::contain(|| self.step()) {
                Ok(Ok(Step::More)) => continue,
                Ok(Ok(Step::Level)) => Ok(()),
                Ok(Err(error)) => Err(error),
                Err(threads::Panicked) => Err(Error::panicked()),
            };
            if self.rest(ended) {
                return;
            }
        }
    }

    /// Reads one batch.
    fn step(&self) -> Result<Step, Error> {
        let Some(model) = &self.model else { return Ok(Step::Level) };
        let is_stopped = || self.stopped.load(Ordering::Relaxed);
        if is_stopped() {
            return Ok(Step::Level);
        }
        let (is_open, since) = {
            let state = self.state.lock();
            (state.known.is_some(), state.tools.version())
        };
        if !is_open {
            let known = self.cache.open(model, &is_stopped)?;
            self.state.lock().known = Some(known);
        }
        if let Some((version, Some(tools))) = (self.source)(since) {
            let mut state = self.state.lock();
            let fresh = state.tools.follow(version, &tools);
            let State { known, waiting, .. } = &mut *state;
            let is_known = |key| known.as_ref().is_some_and(|(_, vectors)| vectors.slot(key).is_some());
            waiting.extend(fresh.into_iter().filter(|(key, _)| !is_known(*key)));
        }
        let batch = self.state.lock().take_batch(model.batch());
        self.changed.notify_all();
        if batch.is_empty() {
            self.save();
            return Ok(Step::Level);
        }
        let texts: Vec<&str> = batch.iter().map(|(_, text)| text.as_str()).collect();
        match model.embed(&texts, &is_stopped) {
            Ok(vectors) => {
                self.state.lock().take_vectors(&batch, &vectors);
                Ok(Step::More)
            }
            Err(error) => {
                self.state.lock().put_back(batch);
                Err(error)
            }
        }
    }

    fn save(&self) {
        let file = self.state.lock().file_to_save(SAVE_AFTER, VectorCache::is_own);
        if let Some(file) = file {
            self.cache.write(&file);
        }
    }

    /// Whether the reading ends here; not when somebody has asked for more meanwhile.
    fn rest(&self, ended: Result<(), Error>) -> bool {
        let mut state = self.state.lock();
        match ended {
            Ok(()) if state.work == Work::GoingOn => {
                state.work = Work::Going;
                return false;
            }
            Ok(()) => {}
            Err(error) => state.trouble = Some(Trouble { error, since: Instant::now() }),
        }
        if state.work != Work::Stopped {
            state.work = Work::Idle;
        }
        let waiters = std::mem::take(&mut state.on_level);
        drop(state);
        self.changed.notify_all();
        waiters.into_iter().for_each(|tell| tell());
        true
    }
}

fn no_threads() -> Error {
    Error::new(ErrorCode::Io, "The system refuses more threads, so the texts of tools are not read now.")
}

/// What a step has led to.
enum Step {
    More,
    Level,
}
