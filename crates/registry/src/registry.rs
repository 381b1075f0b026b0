//! The tools of a root: listing, search, and changes by version.

use super::change_log::ChangeLog;
use super::fusion::{Hit, Meaning, SAME_JOB, fuse, likely_same, most_similar};
use super::meta_file;
use super::search::{Search, WordMatch};
use super::tool_meta::{ContentHash, ToolKind, ToolMeta};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

/// All tools of a root. It does not read files: its owner passes their metadata.
pub struct Registry {
    tools: BTreeMap<String, ListedTool>,
    search: Search,
    changes: u32,
    log: ChangeLog,
    /// The number of runnable tools.
    runnable: usize,
}

/// The changes since a version.
#[derive(Debug)]
pub struct Changes<'r> {
    /// Changed tools, in the order of their changes.
    pub tools: Vec<&'r Arc<ToolMeta>>,
    pub removed: Vec<&'r str>,
}

struct ListedTool {
    tool: Arc<ToolMeta>,
    /// The version of its last change.
    version: u32,
    /// Its line in `meta.json`, computed on first use.
    line: OnceLock<String>,
}

/// A search result.
#[derive(Debug, Clone)]
pub struct ToolMatch {
    pub tool: Arc<ToolMeta>,
    /// From 0 to 1; above [`super::SAME_JOB`] the tool does the same job.
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
        Self { tools: BTreeMap::new(), search: Search::new(), changes: 0, log: ChangeLog::default(), runnable: 0 }
    }

    /// The entries of a `meta.json`; empty when it is damaged.
    #[must_use]
    pub fn read_meta(text: &str) -> Vec<ToolMeta> {
        meta_file::parse(text).unwrap_or_default()
    }

    /// The text of `meta.json`.
    #[must_use]
    pub fn print_meta(&self) -> String {
        meta_file::print(
            self.tools.values().map(|listed| listed.line.get_or_init(|| meta_file::line(&listed.tool)).as_str()),
        )
    }

    /// A hash of the complete entry of a tool.
    #[must_use]
    pub fn fingerprint(tool: &ToolMeta) -> ContentHash {
        ContentHash::of(&meta_file::line(tool))
    }

    /// A counter that changes with every change of a tool.
    #[must_use]
    pub fn version(&self) -> u32 {
        self.changes
    }

    pub fn insert(&mut self, tool: ToolMeta) {
        self.changes = self.changes.wrapping_add(1);
        match tool.kind {
            ToolKind::Tool => self.search.insert(&tool),
            // Modules are listed, but not found.
            ToolKind::Module => self.search.remove(&tool.path),
        }
        let (path, version) = (tool.path.clone(), self.changes);
        self.runnable += usize::from(tool.kind == ToolKind::Tool);
        let listed = ListedTool { tool: Arc::new(tool), version, line: OnceLock::new() };
        let before = self.tools.insert(path.clone(), listed);
        self.subtract_runnable(before.as_ref());
        self.log.inserted(&path, version, before.map(|before| before.version));
    }

    /// Removes a tool; returns whether it existed.
    pub fn remove(&mut self, path: &str) -> bool {
        self.search.remove(path);
        let Some(before) = self.tools.remove(path) else { return false };
        self.changes = self.changes.wrapping_add(1);
        self.subtract_runnable(Some(&before));
        self.log.removed(path, self.changes, before.version);
        true
    }

    fn subtract_runnable(&mut self, before: Option<&ListedTool>) {
        let was_runnable = before.is_some_and(|listed| listed.tool.kind == ToolKind::Tool);
        self.runnable = self.runnable.saturating_sub(usize::from(was_runnable));
    }

    /// The changes after `version`; `None` if they are no longer known, so that all tools must be read.
    #[must_use]
    pub fn changes_since(&self, version: u32) -> Option<Changes<'_>> {
        if version > self.changes || !self.log.reaches(version) {
            return None;
        }
        let tools = self.log.present_after(version).filter_map(|path| self.get(path)).collect();
        let removed = self.log.removed_after(version).filter(|path| !self.tools.contains_key(*path)).collect();
        Some(Changes { tools, removed })
    }

    /// The tools that changed after `version`, newest change first.
    pub fn newest(&self, version: u32) -> impl Iterator<Item = &Arc<ToolMeta>> {
        self.log.present_after(version).rev().filter_map(|path| self.get(path))
    }

    /// The number of tools that can be run.
    #[must_use]
    pub const fn runnable(&self) -> usize {
        self.runnable
    }

    #[must_use]
    pub fn get(&self, path: &str) -> Option<&Arc<ToolMeta>> {
        self.tools.get(path).map(|listed| &listed.tool)
    }

    /// The hash of the source that a tool's entry was made from.
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

    /// The tools that match `query`, best first. `meanings` has the similarity of the query to tools, as far as it is known.
    pub fn find(&mut self, query: &str, meanings: &[Meaning], limit: usize) -> Vec<ToolMatch> {
        let (matches, meanings) = self.candidates(query, meanings);
        let likely = likely_same(&matches, &meanings);
        self.matches(fuse(matches, &meanings, likely.as_deref(), limit))
    }

    fn candidates<'m>(&mut self, query: &str, meanings: &'m [Meaning]) -> (Vec<WordMatch>, HashMap<&'m str, f32>) {
        let similar = most_similar(meanings);
        let matches = self.search.match_words(query, similar.iter().map(|meaning| meaning.path.as_str()));
        (matches, meanings.iter().map(|meaning| (meaning.path.as_str(), meaning.similarity)).collect())
    }

    /// Other tools with the same text, then those with a similar name and description, best first; `meanings` as for
    /// [`Self::find`].
    pub fn similar(&mut self, tool: &ToolMeta, meanings: &[Meaning], limit: usize) -> Vec<ToolMatch> {
        if tool.kind == ToolKind::Module {
            return Vec::new();
        }
        let query = format!("{} {}", tool.name, tool.description);
        // A tool without a near one is not yet a duplicate.
        let (matches, meanings) = self.candidates(&query, meanings);
        let mut found = self.matches(fuse(matches, &meanings, None, limit.saturating_add(1)));
        found.retain(|other| other.tool.path != tool.path);
        let is_twin = |other: &ToolMeta| other.hash == tool.hash && other.path != tool.path;
        let twins = self.list().filter(|other| is_twin(other) && other.kind == ToolKind::Tool).map(|twin| {
            let known = found.iter().find(|other| other.tool.path == twin.path);
            ToolMatch { tool: Arc::clone(twin), score: known.map_or(SAME_JOB, |known| known.score.max(SAME_JOB)) }
        });
        let others = found.iter().filter(|other| !is_twin(&other.tool)).cloned();
        twins.chain(others).take(limit).collect()
    }

    fn matches(&self, hits: Vec<Hit>) -> Vec<ToolMatch> {
        let tool_of = |hit: Hit| self.get(&hit.path).map(|tool| ToolMatch { tool: Arc::clone(tool), score: hit.score });
        hits.into_iter().filter_map(tool_of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Changes, Registry, SAME_JOB};
    use crate::{ContentHash, ToolKind, ToolMeta};
    use serde_json::value::RawValue;
    use std::collections::BTreeMap;

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
    fn meta_json_is_deterministic_and_round_trips() {
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
    fn damaged_or_foreign_meta_json_is_ignored() {
        let text = registry().print_meta();
        let half = text.get(..text.len() / 2).unwrap();
        for damaged in ["", "{}", "null", half, "<<<<<<< HEAD", &text.replace("\"version\": 3", "\"version\": 99")] {
            assert_eq!(Registry::read_meta(damaged), [], "{damaged}");
        }
    }

    #[test]
    fn a_name_is_found_and_its_reversal_scores_low() {
        let mut registry = registry();
        registry.insert(tool("tools/celsius_to_fahrenheit.ts", "Turn degrees of one scale into the other."));
        let score = |registry: &mut Registry, query: &str| registry.find(query, &[], 1)[0].score;
        assert!(score(&mut registry, "celsiusToFahrenheit") > 0.99);
        assert!(score(&mut registry, "celsius from fahrenheit") < 0.85);
    }

    #[test]
    fn values_of_a_request_count_only_for_tools_that_have_them() {
        let mut registry = registry();
        registry.insert(tool("tools/fix_typo.ts", "Fix a typo in the names of active users."));
        registry.insert(tool("tools/dim_weight.ts", "Dimensional weight of boxes."));
        let mut best = |query: &str| {
            let found = registry.find(query, &[], 2);
            (found[0].tool.path.clone(), found[0].score > SAME_JOB)
        };
        for (query, path) in [
            ("Fix typo in 'Ohiio' for active users.", "tools/fix_typo.ts"),
            ("Fix a typo of July for the active users", "tools/fix_typo.ts"),
            ("Calculate dimensional weight `(L*W*H)/139`.", "tools/dim_weight.ts"),
            ("What is the dimensional weight of a 40×40×50 box?", "tools/dim_weight.ts"),
            ("'fix typo'", "tools/fix_typo.ts"),
        ] {
            assert_eq!(best(query), (path.to_owned(), true), "{query}");
        }
        assert!(!best("calculate the weight").1, "one word is not a job");
        assert!(!best("fix the 'price' of users").1);
    }

    #[test]
    fn a_number_names_a_tool_and_is_a_value_for_all_others() {
        let mut registry = registry();
        for form in ["1040", "1065", "1099", "1120", "941"] {
            registry.insert(tool(&format!("tools/form_{form}.ts"), "Fills in a tax form."));
        }
        registry.insert(tool("tools/summarize_report.ts", "Summarizes a report."));
        for form in ["1040", "1099", "941"] {
            for query in
                [format!("form {form}"), format!("fill in tax form {form}"), format!("tax form {form} for this year")]
            {
                let found = registry.find(&query, &[], 5);
                assert_eq!(found[0].tool.path, format!("tools/form_{form}.ts"), "{query}");
                assert!(found[1].score < found[0].score, "{query}: {} {}", found[0].score, found[1].score);
            }
        }
        let plain = registry.find("summarize a report", &[], 1)[0].score;
        for query in ["summarize 3 a report", "summarize a report 20240131", "summarize a report 2024"] {
            let found = registry.find(query, &[], 1);
            assert_eq!((&*found[0].tool.path, found[0].score), ("tools/summarize_report.ts", plain), "{query}");
        }
    }

    #[test]
    fn tools_with_the_same_text_are_similar() {
        let mut registry = registry();
        registry.insert(tool("tools/other.ts", "Second."));
        let found = registry.similar(&tool("tools/b.ts", "Second."), &[], 1);
        assert_eq!((found.len(), found[0].tool.path.as_str()), (1, "tools/other.ts"));
        assert!(registry.similar(&tool("tools/new.ts", "Third."), &[], 5).is_empty());
    }

    #[test]
    fn removed_tools_and_modules_are_not_found() {
        let mut registry = registry();
        assert_eq!(registry.find("add tax", &[], 5)[0].tool.path, "tools/add_tax.ts");
        registry.insert(ToolMeta { kind: ToolKind::Module, ..tool("tools/add_tax.ts", "Add tax to a net price.") });
        assert!(registry.find("add tax", &[], 5).is_empty());
        registry.insert(tool("tools/add_tax.ts", "Add tax to a net price."));
        assert!(registry.remove("tools/add_tax.ts"));
        assert!(registry.find("add tax", &[], 5).is_empty());
        assert!(!registry.remove("tools/add_tax.ts"));
    }

    /// A follower that keeps paths and hashes, and reads the changes since its version.
    fn follow(known: &mut BTreeMap<String, ContentHash>, version: &mut u32, registry: &Registry) {
        match registry.changes_since(*version) {
            Some(Changes { tools, removed }) => {
                for path in removed {
                    assert!(known.remove(path).is_none() || registry.get(path).is_none());
                }
                known.extend(tools.into_iter().map(|tool| (tool.path.clone(), tool.hash.clone())));
            }
            None => *known = whole(registry),
        }
        *version = registry.version();
    }

    fn whole(registry: &Registry) -> BTreeMap<String, ContentHash> {
        registry.list().map(|tool| (tool.path.clone(), tool.hash.clone())).collect()
    }

    #[test]
    fn changes_add_up_to_all_tools_for_any_follower() {
        let mut registry = Registry::new();
        let (mut known, mut version) = (BTreeMap::new(), 0);
        let mut seed = 7_u64;
        for step in 0..1_000_u64 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let path = format!("tools/t{}.ts", (seed >> 33) % 60);
            if (seed >> 20).is_multiple_of(3) {
                registry.remove(&path);
            } else {
                let kind = if (seed >> 24).is_multiple_of(4) { ToolKind::Module } else { ToolKind::Tool };
                registry.insert(ToolMeta { kind, ..tool(&path, &format!("Step {step}.")) });
            }
            if (seed >> 40).is_multiple_of(5) || step == 999 {
                follow(&mut known, &mut version, &registry);
                assert_eq!(known, whole(&registry));
            }
        }
        assert_eq!(registry.runnable(), registry.list().filter(|tool| tool.kind == ToolKind::Tool).count());
        assert!(registry.changes_since(0).is_none(), "more removals than are kept");
        assert!(registry.changes_since(registry.version() + 1).is_none(), "a version of another registry");
        let (mut late, mut version) = (BTreeMap::from([("tools/gone.ts".to_owned(), ContentHash::of(""))]), 0);
        follow(&mut late, &mut version, &registry);
        assert_eq!(late, whole(&registry));
    }

    #[test]
    fn newest_lists_the_last_changes_first() {
        let mut registry = registry();
        let first = registry.version();
        assert_eq!(registry.newest(first).count(), 0);
        registry.insert(tool("tools/c.ts", "Third."));
        registry.insert(tool("tools/b.ts", "Second, again."));
        registry.insert(tool("tools/d.ts", "Fourth."));
        registry.remove("tools/d.ts");
        let paths: Vec<&str> = registry.newest(first).map(|tool| tool.path.as_str()).collect();
        assert_eq!(paths, ["tools/b.ts", "tools/c.ts"]);
    }
}
