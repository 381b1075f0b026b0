//! What a memory knows at one moment, and what it still has to read.

use super::followed_tools::FollowedTools;
use super::recent_vectors::RecentVectors;
use std::collections::VecDeque;
use std::time::{Duration, Instant};
use tgp_base::error::Error;
use tgp_embed::{ModelId, TextKey, Vector, VectorIndex};

/// After a failure the application's model is left alone for so long.
const TRY_AGAIN_AFTER: Duration = Duration::from_secs(30);

/// Whether somebody reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    Idle,
    Going,
    /// Going on, and to look at the tools once more before it ends.
    GoingOn,
    /// Nothing is begun any more.
    Stopped,
}

pub struct Trouble {
    pub error: Error,
    pub since: Instant,
}

pub struct State {
    pub work: Work,
    pub tools: FollowedTools,
    /// None until the model was first needed.
    pub known: Option<(ModelId, VectorIndex)>,
    /// Texts that have no vector yet.
    pub waiting: VecDeque<(TextKey, String)>,
    /// How many more are being read.
    reading: usize,
    pub recent: RecentVectors,
    pub trouble: Option<Trouble>,
    /// Vectors that the file does not have.
    pub unsaved: usize,
    pub on_level: Vec<Box<dyn FnOnce() + Send>>,
}

impl State {
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
            on_level: Vec::new(),
        }
    }

    /// Whether a failure is too fresh to try again. What is wrong with a file stays wrong.
    pub fn is_resting(&self, is_for_good: bool) -> bool {
        self.trouble.as_ref().is_some_and(|trouble| is_for_good || trouble.since.elapsed() < TRY_AGAIN_AFTER)
    }

    pub fn is_going(&self) -> bool {
        matches!(self.work, Work::Going | Work::GoingOn)
    }

    /// Texts that are still to be read.
    pub fn left(&self) -> usize {
        self.waiting.len() + self.reading
    }

    /// Whether every text of this version of the registry was read.
    pub fn is_level(&self, version: u32) -> bool {
        self.known.is_some() && self.tools.version() == Some(version) && self.left() == 0
    }

    /// Takes the next texts that have no vector.
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

    /// Takes the vectors of a batch. A text for which there is no room stays without.
    pub fn take_vectors(&mut self, batch: &[(TextKey, String)], vectors: &[Vector]) {
        self.reading = 0;
        self.trouble = None;
        if let Some((_, known)) = &mut self.known {
            let taken = batch.iter().zip(vectors).filter(|((key, _), vector)| known.insert(*key, vector));
            self.unsaved += taken.count();
        }
    }

    /// A batch could not be read now.
    pub fn put_back(&mut self, batch: Vec<(TextKey, String)>) {
        self.reading = 0;
        for text in batch.into_iter().rev() {
            self.waiting.push_front(text);
        }
    }

    /// The file of vectors, if enough has changed that it should be written. Texts that no tool has any more are let go.
    pub fn file_to_save(&mut self, least: usize, is_kept: impl Fn(TextKey) -> bool) -> Option<Vec<u8>> {
        let (id, vectors) = self.known.as_mut().filter(|_| self.unsaved >= least)?;
        let wanted = self.tools.keys();
        // Some stay for a while: a tool that is reverted finds its text again.
        if self.tools.version().is_some() && vectors.len() > wanted.len() + wanted.len() / 4 + 64 {
            vectors.retain(|key| wanted.contains(&key) || is_kept(key));
            self.tools.forget_slots();
        }
        self.unsaved = 0;
        Some(vectors.to_file(*id))
    }
}
