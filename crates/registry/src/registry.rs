//! The tools of a root, as they are listed and found.

use super::fusion::{Hit, Meaning, fuse, most_alike};
use super::meta_file;
use super::search::Search;
use super::tool_meta::{ContentHash, ToolKind, ToolMeta};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

/// All tools of a root. It does not read files: who owns it tells it what they hold.
pub struct Registry {
    tools: BTreeMap<String, Listed>,
    search: Search,
    changes: u32,
}

struct Listed {
    tool: Arc<ToolMeta>,
    /// Its line in `meta.json`, made when first needed.
    line: OnceLock<String>,
}

/// A tool that was found.
#[derive(Debug, Clone)]
pub struct Found {
    pub tool: Arc<ToolMeta>,
    /// From 0 to 1; above [`super::SAME_JOB`] it does the same job.
    pub score: f32,
}

impl Default for Registry {
    fn default() -> Self {
        Self::new()
    }
}

impl Registry {
    #[must_use]
    pub fn new() -> Self {
        Self { tools: BTreeMap::new(), search: Search::new(), changes: 0 }
    }

    /// The entries of a `meta.json`; none when it is damaged.
    #[must_use]
    pub fn read_meta(text: &str) -> Vec<ToolMeta> {
        meta_file::parse(text).unwrap_or_default()
    }

    /// The text that `meta.json` must have.
    #[must_use]
    pub fn print_meta(&self) -> String {
        meta_file::print(
            self.tools.values().map(|listed| listed.line.get_or_init(|| meta_file::line(&listed.tool)).as_str()),
        )
    }

    /// Stands for all that the entry of a tool says.
    #[must_use]
    pub fn fingerprint(tool: &ToolMeta) -> ContentHash {
        ContentHash::of(&meta_file::line(tool))
    }

    /// Differs whenever the tools do.
    #[must_use]
    pub fn version(&self) -> u32 {
        self.changes
    }

    pub fn insert(&mut self, tool: ToolMeta) {
        self.changes = self.changes.wrapping_add(1);
        match tool.kind {
            ToolKind::Tool => self.search.insert(&tool),
            // What cannot be run is listed, not offered.
            ToolKind::Module => self.search.remove(&tool.path),
        }
        self.tools.insert(tool.path.clone(), Listed { tool: Arc::new(tool), line: OnceLock::new() });
    }

    /// Whether there was such a tool.
    pub fn remove(&mut self, path: &str) -> bool {
        self.search.remove(path);
        let existed = self.tools.remove(path).is_some();
        if existed {
            self.changes = self.changes.wrapping_add(1);
        }
        existed
    }

    #[must_use]
    pub fn get(&self, path: &str) -> Option<&Arc<ToolMeta>> {
        self.tools.get(path).map(|listed| &listed.tool)
    }

    /// The hash of the text that a tool's entry was made of.
    #[must_use]
    pub fn hash_of(&self, path: &str) -> Option<&ContentHash> {
        self.get(path).map(|tool| &tool.hash)
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Every tool, sorted by path.
    pub fn list(&self) -> impl Iterator<Item = &Arc<ToolMeta>> {
        self.tools.values().map(|listed| &listed.tool)
    }

    /// The tools that fit `query`, best first. `meanings` tells how alike it and tools are, as far as that is known.
    pub fn find(&mut self, query: &str, meanings: &[Meaning], limit: usize) -> Vec<Found> {
        let alike = most_alike(meanings);
        let weighed = self.search.weigh(query, alike.iter().map(|meaning| meaning.path.as_str()));
        let meanings: HashMap<&str, f32> =
            meanings.iter().map(|meaning| (meaning.path.as_str(), meaning.alike)).collect();
        self.found(fuse(weighed, &meanings, limit))
    }

    /// Other tools that are described as `tool` is, best first; `meanings` as for [`Self::find`].
    pub fn alike(&mut self, tool: &ToolMeta, meanings: &[Meaning], limit: usize) -> Vec<Found> {
        if tool.kind == ToolKind::Module {
            return Vec::new();
        }
        let query = format!("{} {}", tool.name, tool.description);
        let mut found = self.find(&query, meanings, limit.saturating_add(1));
        found.retain(|other| other.tool.path != tool.path);
        found.truncate(limit);
        found
    }

    fn found(&self, hits: Vec<Hit>) -> Vec<Found> {
        let tool_of = |hit: Hit| self.get(&hit.path).map(|tool| Found { tool: Arc::clone(tool), score: hit.score });
        hits.into_iter().filter_map(tool_of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Registry;
    use crate::{ContentHash, ToolKind, ToolMeta};
    use serde_json::value::RawValue;

    fn tool(path: &str, description: &str) -> ToolMeta {
        ToolMeta {
            path: path.to_owned(),
            name: ToolMeta::name_of(path).to_owned(),
            description: description.to_owned(),
            parameters: RawValue::from_string(r#"{"type":"object","properties":{"amount":{}}}"#.to_owned()).unwrap(),
            tags: Vec::new(),
            when: Vec::new(),
            examples: Vec::new(),
            imports: Vec::new(),
            kind: ToolKind::Tool,
            hash: ContentHash::of(description),
        }
    }

    fn registry() -> Registry {
        let mut registry = Registry::new();
        registry.insert(tool("tools/b.ts", "Second."));
        registry.insert(tool("tools/add_tax.ts", "Add tax to a net price."));
        registry
    }

    #[test]
    fn meta_json_is_the_same_bytes_for_the_same_tools_and_reads_back() {
        let text = registry().print_meta();
        let mut again = Registry::new();
        for tool in Registry::read_meta(&text) {
            again.insert(tool);
        }
        assert_eq!(again.print_meta(), text);
        assert_eq!(text.lines().count(), 7, "{text}");
        assert!(serde_json::from_str::<serde_json::Value>(&Registry::new().print_meta()).is_ok());
    }

    #[test]
    fn damaged_or_foreign_meta_json_holds_nothing() {
        let text = registry().print_meta();
        let half = text.get(..text.len() / 2).unwrap();
        for damaged in ["", "{}", "null", half, "<<<<<<< HEAD", &text.replace("\"version\": 3", "\"version\": 99")] {
            assert_eq!(Registry::read_meta(damaged), [], "{damaged}");
        }
    }

    #[test]
    fn a_name_is_found_first_and_not_the_wrong_way_round() {
        let mut registry = registry();
        registry.insert(tool("tools/celsius_to_fahrenheit.ts", "Turn degrees of one scale into the other."));
        let score = |registry: &mut Registry, query: &str| registry.find(query, &[], 1)[0].score;
        assert!(score(&mut registry, "celsiusToFahrenheit") > 0.99);
        assert!(score(&mut registry, "celsius from fahrenheit") < 0.85);
    }

    #[test]
    fn what_is_removed_or_only_a_module_is_not_found() {
        let mut registry = registry();
        assert_eq!(registry.find("add tax", &[], 5)[0].tool.path, "tools/add_tax.ts");
        registry.insert(ToolMeta { kind: ToolKind::Module, ..tool("tools/add_tax.ts", "Add tax to a net price.") });
        assert!(registry.find("add tax", &[], 5).is_empty());
        registry.insert(tool("tools/add_tax.ts", "Add tax to a net price."));
        assert!(registry.remove("tools/add_tax.ts"));
        assert!(registry.find("add tax", &[], 5).is_empty());
        assert!(!registry.remove("tools/add_tax.ts"));
    }
}
