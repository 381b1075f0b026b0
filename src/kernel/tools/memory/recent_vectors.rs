//! An LRU cache of query vectors.

use std::collections::VecDeque;
use tgp_embed::{TextKey, Vector};

const MAX_RECENT: usize = 64;

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
