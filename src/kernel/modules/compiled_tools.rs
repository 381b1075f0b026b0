//! The compiled tools of a run, with what is worked out from them once.

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
    /// The copy is made to get more tools: what was worked out is not true of it.
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

    /// The hash of all texts, made when it is first asked for: every run that is judged asks.
    pub fn text_hash(&self, make: impl FnOnce() -> String) -> &str {
        self.text_hash.get_or_init(make)
    }
}
