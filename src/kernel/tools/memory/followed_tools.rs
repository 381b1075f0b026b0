//! The texts of all tools with their vectors, synchronised with the registry.

use super::tool_texts::tool_texts;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use tgp_embed::{Cosines, Slot, TextKey, VectorIndex};
use tgp_registry::{ContentHash, Meaning, ToolKind, ToolMeta};

/// A text of a tool, and the slot of its vector, once known.
struct ToolText {
    key: TextKey,
    slot: Option<Slot>,
}

#[derive(Default)]
pub struct FollowedTools {
    /// The version of the registry; `None` before the first synchronisation.
    version: Option<u32>,
    tools: BTreeMap<Arc<str>, (ContentHash, Vec<ToolText>)>,
}

impl FollowedTools {
    pub fn version(&self) -> Option<u32> {
        self.version
    }

    /// Synchronises with the registry's tools, and returns the texts of new and changed ones.
    pub fn follow(&mut self, version: u32, tools: &[Arc<ToolMeta>]) -> Vec<(TextKey, String)> {
        let mut before = std::mem::take(&mut self.tools);
        let mut fresh = Vec::new();
        for tool in tools.iter().filter(|tool| tool.kind == ToolKind::Tool) {
            let known = before.remove_entry(tool.path.as_str()).filter(|(_, (hash, _))| *hash == tool.hash);
            let (path, entry) = known.unwrap_or_else(|| {
                let texts = tool_texts(tool).into_iter().map(|text| {
                    let key = TextKey::of(&text);
                    fresh.push((key, text));
                    ToolText { key, slot: None }
                });
                (Arc::from(tool.path.as_str()), (tool.hash.clone(), texts.collect()))
            });
            self.tools.insert(path, entry);
        }
        self.version = Some(version);
        fresh
    }

    /// The keys of all texts.
    pub fn keys(&self) -> HashSet<TextKey> {
        self.tools.values().flat_map(|(_, texts)| texts).map(|text| text.key).collect()
    }

    /// Clears slots after vectors have moved.
    pub fn forget_slots(&mut self) {
        for text in self.tools.values_mut().flat_map(|(_, texts)| texts) {
            text.slot = None;
        }
    }

    /// The similarity of every tool with an embedded text; the most similar text of each counts.
    pub fn meanings(&mut self, vectors: &VectorIndex, cosines: &Cosines) -> Vec<Meaning> {
        let mut found = Vec::with_capacity(self.tools.len());
        for (path, (_, texts)) in &mut self.tools {
            let cosine = |text: &mut ToolText| {
                text.slot = text.slot.or_else(|| vectors.slot(text.key));
                text.slot.and_then(|slot| cosines.of(slot))
            };
            if let Some(alike) = texts.iter_mut().filter_map(cosine).reduce(f32::max) {
                found.push(Meaning { path: path.to_string(), similarity: alike });
            }
        }
        found
    }
}
