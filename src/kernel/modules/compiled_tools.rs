//! The compiled tools of a run, with their cached hash.

use super::tool_cache::CachedTool;
use std::collections::HashMap;
use std::collections::hash_map::Iter;
use std::sync::{Arc, OnceLock};

/// Compiled tools by path.
#[derive(Default)]
pub struct CompiledTools {
    by_path: HashMap<String, Arc<CachedTool>>,
    text_hash: OnceLock<String>,
}

impl Clone for CompiledTools {
    /// Without the cached hash: a copy is made to add tools.
    fn clone(&self) -> Self {
        Self { by_path: self.by_path.clone(), text_hash: OnceLock::new() }
    }
}

impl CompiledTools {
    pub fn get(&self, path: &str) -> Option<&Arc<CachedTool>> {
        self.by_path.get(path)
    }

    pub fn iter(&self) -> Iter<'_, String, Arc<CachedTool>> {
        self.by_path.iter()
    }

    pub fn insert(&mut self, path: String, tool: Arc<CachedTool>) {
        self.by_path.insert(path, tool);
        self.text_hash.take();
    }

    pub fn extend(&mut self, more: Self) {
        self.by_path.extend(more.by_path);
        self.text_hash.take();
    }

    /// The hash of all texts, computed once.
    pub fn text_hash(&self, make: impl FnOnce() -> String) -> &str {
        self.text_hash.get_or_init(make)
    }
}
