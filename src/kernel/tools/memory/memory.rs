//! Semantic search over tools: keeps embeddings of tool texts current in the background, and answers queries.

use super::memory_model::MemoryModel;
use super::memory_state::{MemoryState, Trouble, Work};
use super::vector_cache::VectorCache;
use parking_lot::{Condvar, Mutex};
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tgp_base::error::{Error, ErrorCode};
use tgp_base::threads::{self, Next, Priority, SleepingThread};
use tgp_embed::{TextKey, Vector};
use tgp_registry::{Meaning, ToolMeta};

/// How long a search waits for pending texts, if they are few.
const CATCH_UP_TIMEOUT: Duration = Duration::from_millis(400);
const FEW_TEXTS: usize = 48;
/// New vectors after which the file is written; it is also written when the kernel stops.
const SAVE_AFTER: usize = 32;
/// How long a stop waits for the current batch.
const STOP_TIMEOUT: Duration = Duration::from_secs(2);

/// Returns the version of the tools, and the tools if they differ from a given version.
pub type ToolSource = Box<dyn Fn(Option<u32>) -> Option<(u32, Option<Vec<Arc<ToolMeta>>>)> + Send + Sync>;

/// The semantic index of a kernel's tools.
pub struct Memory {
    model: Option<MemoryModel>,
    source: ToolSource,
    cache: VectorCache,
    state: Mutex<MemoryState>,
    changed: Condvar,
    stopped: AtomicBool,
    thread: SleepingThread,
}

/// The progress of the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct MemoryReport {
    /// `"meaning"` with a working model; `"words"` without one, or when it failed.
    #[cfg_attr(test, ts(type = "'meaning' | 'words'"))]
    pub by: &'static str,
    /// Embedded texts.
    pub texts: usize,
    /// Pending texts.
    pub waiting: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl Memory {
    pub fn new(model: Option<MemoryModel>, source: ToolSource, cache: VectorCache) -> Arc<Self> {
        let (state, changed) = (Mutex::new(MemoryState::new()), Condvar::new());
        let thread = SleepingThread::new("tgp-memory", Priority::Low);
        Arc::new(Self { model, source, cache, state, changed, stopped: AtomicBool::new(false), thread })
    }

    /// The similarity of `text` to every tool at this version of the registry; none without a model. Takes some
    /// milliseconds, more after changes. Tools with pending texts are missing.
    pub fn meanings(self: &Arc<Self>, text: &str, version: u32) -> Option<Vec<Meaning>> {
        let model = self.model.as_ref()?;
        self.catch_up(version);
        let vector = self.vector_of(model, text)?;
        let mut state = self.state.lock();
        let MemoryState { known, tools, .. } = &mut *state;
        let (_, vectors) = known.as_ref()?;
        let cosines = vectors.search(&vector);
        Some(tools.meanings(vectors, &cosines))
    }

    /// Stores the vector of a query that the application's model embedded.
    pub fn remember(&self, text: &str, numbers: &[f32]) {
        if let Some(vector) = Vector::of(numbers) {
            self.state.lock().recent.put(TextKey::of(text), vector);
        }
    }

    /// Starts an update after tools changed. Does nothing before the first search, because embedding costs CPU time.
    pub fn tools_changed(self: &Arc<Self>) {
        if self.state.lock().tools.version().is_some() {
            self.wake();
        }
    }

    /// Embeds all texts, and calls `done` when that has finished or failed.
    pub fn read_all(self: &Arc<Self>, done: Box<dyn FnOnce(MemoryReport) + Send>) {
        if self.model.is_none() {
            return done(self.report());
        }
        let memory = Arc::clone(self);
        self.state.lock().on_up_to_date.push(Box::new(move || done(memory.report())));
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

    /// Stops the background work and stores the vectors. Nothing is embedded or written afterwards.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        let mut state = self.state.lock();
        let until = Instant::now() + STOP_TIMEOUT;
        while state.is_going() {
            if self.changed.wait_until(&mut state, until).timed_out() {
                break;
            }
        }
        let is_idle = state.work == Work::Idle;
        state.work = Work::Stopped;
        let file = if is_idle { state.file_to_save(1, VectorCache::is_own) } else { None };
        let waiters = std::mem::take(&mut state.on_up_to_date);
        drop(state);
        if let Some(file) = file {
            self.cache.write(&file);
        }
        waiters.into_iter().for_each(|notify| notify());
    }

    /// Starts embedding the texts of this version, and waits briefly if they are few.
    fn catch_up(self: &Arc<Self>, version: u32) {
        if self.state.lock().is_up_to_date(version) {
            return;
        }
        self.wake();
        let until = Instant::now() + CATCH_UP_TIMEOUT;
        let mut state = self.state.lock();
        while state.is_going() && !state.is_up_to_date(version) && state.left() <= FEW_TEXTS {
            if self.changed.wait_until(&mut state, until).timed_out() {
                break;
            }
        }
    }

    /// The vector of a query: cached, or computed by local weights. The application's model is not called here:
    /// JavaScript calls it beforehand, see [`Self::remember`].
    fn vector_of(&self, model: &MemoryModel, text: &str) -> Option<Vector> {
        let key = TextKey::of(text);
        {
            let state = self.state.lock();
            if state.is_cooling_down(self.is_permanent_failure()) {
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

    fn is_permanent_failure(&self) -> bool {
        matches!(self.model, Some(MemoryModel::Weights { .. }))
    }

    /// Starts the background work, or has it check the tools once more.
    fn wake(self: &Arc<Self>) {
        if self.model.is_none() {
            return;
        }
        let mut state = self.state.lock();
        let may_start = state.work == Work::Idle && !state.is_cooling_down(self.is_permanent_failure());
        if state.work != Work::Going && !may_start {
            let waiters = std::mem::take(&mut state.on_up_to_date);
            drop(state);
            waiters.into_iter().for_each(|notify| notify());
            return;
        }
        state.work = Work::Going;
        let memory = Arc::clone(self);
        if self.thread.wake(move || memory.work()).is_err() {
            drop(state);
            self.finish(Err(no_threads()));
        }
    }

    /// Embeds a batch, until nothing is pending.
    fn work(&self) -> Next {
        // A failed step is not repeated, also if the thread was woken during it.
        if !self.state.lock().is_going() {
            return Next::End;
        }
        let ended = match threads::contain(|| self.step()) {
            Ok(Ok(Step::More)) => return Next::Again,
            Ok(Ok(Step::UpToDate)) => Ok(()),
            Ok(Err(error)) => Err(error),
            Err(threads::Panicked) => Err(Error::panicked()),
        };
        self.finish(ended);
        Next::End
    }

    /// Embeds one batch.
    fn step(&self) -> Result<Step, Error> {
        let Some(model) = &self.model else { return Ok(Step::UpToDate) };
        let is_stopped = || self.stopped.load(Ordering::Relaxed);
        if is_stopped() {
            return Ok(Step::UpToDate);
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
            let MemoryState { known, waiting, .. } = &mut *state;
            let is_known = |key| known.as_ref().is_some_and(|(_, vectors)| vectors.slot(key).is_some());
            waiting.extend(fresh.into_iter().filter(|(key, _)| !is_known(*key)));
        }
        let batch = self.state.lock().take_batch(model.batch());
        self.changed.notify_all();
        if batch.is_empty() {
            self.save();
            return Ok(Step::UpToDate);
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

    /// Ends the background work, unless more was requested meanwhile.
    fn finish(&self, ended: Result<(), Error>) {
        let mut state = self.state.lock();
        match ended {
            Ok(()) if state.work == Work::Going && self.thread.is_woken() => return,
            Ok(()) => {}
            Err(error) => state.trouble = Some(Trouble { error, since: Instant::now() }),
        }
        if state.work != Work::Stopped {
            state.work = Work::Idle;
        }
        let waiters = std::mem::take(&mut state.on_up_to_date);
        drop(state);
        self.changed.notify_all();
        waiters.into_iter().for_each(|notify| notify());
    }
}

fn no_threads() -> Error {
    Error::new(ErrorCode::Io, "The system cannot start another thread, so tool texts are not embedded now.")
}

/// The result of a step.
enum Step {
    More,
    UpToDate,
}
