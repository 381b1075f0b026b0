//! The state of the semantic index: vectors, pending texts and background work.

use super::followed_tools::FollowedTools;
use std::collections::VecDeque;
use std::time::{Duration, Instant};
use tgp_base::error::Error;
use tgp_embed::{ModelId, TextKey, Vector, VectorIndex};

/// How long the application's model is not called after a failure.
const RETRY_AFTER: Duration = Duration::from_secs(30);
const MAX_RECENT: usize = 64;

/// An LRU cache of query vectors.
#[derive(Default)]
pub struct RecentVectors(VecDeque<(TextKey, Vector)>);

impl RecentVectors {
    pub fn get(&self, key: TextKey) -> Option<&Vector> {
        self.0.iter().find(|(known, _)| *known == key).map(|(_, vector)| vector)
    }

    pub fn put(&mut self, key: TextKey, vector: Vector) {
        self.0.retain(|(known, _)| *known != key);
        self.0.push_front((key, vector));
        self.0.truncate(MAX_RECENT);
    }
}

/// The state of the background work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    Idle,
    Going,
    /// Stopped for good.
    Stopped,
}

pub struct Trouble {
    pub error: Error,
    pub since: Instant,
}

pub struct MemoryState {
    pub work: Work,
    pub tools: FollowedTools,
    /// None until the model is first needed.
    pub known: Option<(ModelId, VectorIndex)>,
    /// Texts without a vector.
    pub waiting: VecDeque<(TextKey, String)>,
    /// The size of the current batch.
    reading: usize,
    pub recent: RecentVectors,
    pub trouble: Option<Trouble>,
    /// The number of vectors that are not in the file.
    pub unsaved: usize,
    pub on_up_to_date: Vec<Box<dyn FnOnce() + Send>>,
}

impl MemoryState {
    pub fn new() -> Self {
        Self {
            work: Work::Idle,
            tools: FollowedTools::default(),
            known: None,
            waiting: VecDeque::new(),
            reading: 0,
            recent: RecentVectors::default(),
            trouble: None,
            unsaved: 0,
            on_up_to_date: Vec::new(),
        }
    }

    /// Whether a failure is too recent to retry. A broken weights file is never retried.
    pub fn is_cooling_down(&self, is_permanent: bool) -> bool {
        self.trouble.as_ref().is_some_and(|trouble| is_permanent || trouble.since.elapsed() < RETRY_AFTER)
    }

    pub fn is_going(&self) -> bool {
        self.work == Work::Going
    }

    /// The number of pending texts.
    pub fn left(&self) -> usize {
        self.waiting.len() + self.reading
    }

    /// Whether every text of this version of the registry is embedded.
    pub fn is_up_to_date(&self, version: u32) -> bool {
        self.known.is_some() && self.tools.version() == Some(version) && self.left() == 0
    }

    /// Takes the next batch of texts without a vector.
    pub fn take_batch(&mut self, most: usize) -> Vec<(TextKey, String)> {
        let mut batch: Vec<(TextKey, String)> = Vec::with_capacity(most);
        while batch.len() < most
            && let Some((key, text)) = self.waiting.pop_front()
        {
            let is_known = self.known.as_ref().is_some_and(|(_, vectors)| vectors.slot(key).is_some());
            if !is_known && batch.iter().all(|(other, _)| *other != key) {
                batch.push((key, text));
            }
        }
        self.reading = batch.len();
        batch
    }

    /// Stores the vectors of a batch. When the index is full, texts stay without one.
    pub fn take_vectors(&mut self, batch: &[(TextKey, String)], vectors: &[Vector]) {
        self.reading = 0;
        self.trouble = None;
        if let Some((_, known)) = &mut self.known {
            let taken = batch.iter().zip(vectors).filter(|((key, _), vector)| known.insert(*key, vector));
            self.unsaved += taken.count();
        }
    }

    /// Returns a failed batch to the queue.
    pub fn put_back(&mut self, batch: Vec<(TextKey, String)>) {
        self.reading = 0;
        for text in batch.into_iter().rev() {
            self.waiting.push_front(text);
        }
    }

    /// The content of the vector file, if enough has changed to write it. Drops vectors of removed texts.
    pub fn file_to_save(&mut self, least: usize, is_kept: impl Fn(TextKey) -> bool) -> Option<Vec<u8>> {
        let (id, vectors) = self.known.as_mut().filter(|_| self.unsaved >= least)?;
        let wanted = self.tools.keys();
        // Some are kept for a while, for tools that are reverted.
        if self.tools.version().is_some() && vectors.len() > wanted.len() + wanted.len() / 4 + 64 {
            vectors.retain(|key| wanted.contains(&key) || is_kept(key));
            self.tools.forget_slots();
        }
        self.unsaved = 0;
        Some(vectors.to_file(*id))
    }
}
