//! The tools of a root: search, listing, statistics.

use super::count_writer::CountWriter;
use super::memory::{Memory, MemoryModel, MemoryReport, VectorCache, about};
use super::reuse_counts::{ReuseCounts, ReuseDay, ReuseEvent, ReuseTally};
use super::run_arguments::RunArguments;
use super::tool_choice::{OfferQuery, Shown};
use super::tool_listing::{
    Catalogue, FoundTool, ListedPage, ListedSince, ListedTool, OfferedTool, OfferedTools, ToolChanges, ToolsSince,
};
use super::tool_registry::{RegistryFiles, Scan, ToolRegistry};
use crate::kernel::config::{DEFAULT_FIND_LIMIT, FIND_LIMIT};
use crate::kernel::visibility::shows;
use serde::Serialize;
use std::sync::Arc;
use tgp_base::error::{Error, ErrorCode};
use tgp_base::threads;
use tgp_compile::Compiler;
use tgp_registry::{Meaning, ToolMatch, ToolMeta, job_of};
use tgp_vfs::{DiskVfs, JailPath};

/// Longest query.
const MAX_QUERY_BYTES: usize = 4096;

/// Owns the registry and the semantic index.
pub struct Tools {
    registry: Arc<ToolRegistry>,
    memory: Arc<Memory>,
    arguments: RunArguments,
    events: Arc<ReuseCounts>,
    /// Stores the counts of runs and events.
    counts: CountWriter,
}

/// Statistics of tools on this machine.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Stats {
    pub total: ReuseTally,
    /// Oldest first, without days without events.
    pub days: Vec<ReuseDay>,
    pub memory: MemoryReport,
}

impl Tools {
    /// Starts a scan in the background, so that the boot does not wait for it. `vectors` is the folder of the vector
    /// file; without a model, search is lexical.
    pub fn open(
        files: RegistryFiles,
        compiler: Arc<Compiler>,
        model: Option<MemoryModel>,
        vectors: Arc<DiskVfs>,
    ) -> Self {
        let events = Arc::new(ReuseCounts::new(files.private.clone()));
        let registry = ToolRegistry::new(files, Arc::clone(&compiler));
        let ahead = Arc::downgrade(&registry);
        let scan = move || {
            if let Some(registry) = ahead.upgrade() {
                // After a failure, the first query scans again and reports the error.
                let _ = registry.refresh(Scan::Quick);
            }
        };
        // Without a thread, the first query scans.
        let _ = threads::spawn("tgp-registry", scan);
        let memory = Memory::new(model, ToolRegistry::source(&registry), VectorCache(vectors));
        let counts = CountWriter::new(Arc::clone(&registry), Arc::clone(&events));
        Self { registry, memory, arguments: RunArguments::default(), events, counts }
    }

    /// The registry.
    pub fn registry(&self) -> &ToolRegistry {
        &self.registry
    }

    /// Tools that match `query`, best first. `vector` is the query's embedding by the application's model.
    pub fn find_tool(&self, query: &str, limit: Option<u32>, vector: Option<&[f32]>) -> Result<Vec<FoundTool>, Error> {
        let refuse = |why: &str| Err(Error::new(ErrorCode::Validation, why).with("field", "query"));
        if query.trim().is_empty() {
            return refuse("query is empty. Describe in a few words what the tool should do.");
        }
        if query.len() > MAX_QUERY_BYTES {
            return refuse("query is longer than 4096 bytes. Describe in a few words what the tool should do.");
        }
        let limit = limit.unwrap_or(DEFAULT_FIND_LIMIT);
        FIND_LIMIT.check(limit, "", ErrorCode::Validation)?;
        let meanings = match vector {
            Some(numbers) => {
                self.memory.remember(query, numbers);
                self.meanings(query)?
            }
            None => self.meanings(&job_of(query))?,
        };
        let found = self.registry.find(query, &meanings, limit as usize)?;
        Ok(found.into_iter().map(FoundTool::from).collect())
    }

    /// Refuses a new tool whose name is confusable with another tool that the change does not remove.
    pub fn refuse_look_alike(&self, path: &str, leaving: &[&str]) -> Result<(), Error> {
        // Does not reveal a tool that the caller may not see; lists then keep the plainer name of the two.
        let other = self.registry.look_alike_of(path)?.filter(|other| shows(other));
        let Some(other) = other.filter(|other| !leaving.contains(&other.as_str())) else { return Ok(()) };
        let message = format!(
            "Security Violation: '{path}' cannot be written: its name looks the same as that of '{other}'. Use or change that tool, or choose a name that differs in more than case and similar letters."
        );
        Err(Error::new(ErrorCode::SecurityViolation, message).with("path", path))
    }

    /// Other tools with descriptions similar to `tool`, best first.
    pub fn alike(&self, tool: &ToolMeta, limit: usize) -> Result<Vec<ToolMatch>, Error> {
        self.registry.alike(tool, &self.meanings(&about(tool))?, limit)
    }

    fn meanings(&self, text: &str) -> Result<Vec<Meaning>, Error> {
        Ok(self.memory.meanings(text, self.registry.version()?).unwrap_or_default())
    }

    /// Records a successful run of the tool at `path` by `owner`.
    pub fn was_run(&self, owner: &str, path: &str, args_json: &Arc<str>) {
        self.arguments.record(owner, path, args_json);
        if self.registry.count_use(path) > 0 {
            self.events.count(ReuseEvent::Reused);
        }
        self.counts.counted();
    }

    /// The last arguments of `owner` for the tool at `path`, newest first.
    pub fn arguments_of(&self, owner: &str, path: &str) -> Vec<Arc<str>> {
        self.arguments.of(owner, path)
    }

    pub fn note(&self, event: ReuseEvent) {
        self.events.count(event);
        self.counts.counted();
    }

    pub fn store_counts(&self) {
        self.counts.store();
    }

    /// Statistics of forged and reused tools.
    #[must_use]
    pub fn stats(&self) -> Stats {
        let (days, total) = self.events.days();
        Stats { total, days, memory: self.memory.report() }
    }

    /// Embeds changed tool texts in the background.
    pub fn texts_changed(&self) {
        self.memory.tools_changed();
    }

    /// Embeds all tool texts, and calls `done` when that has finished or failed.
    pub fn read_texts(&self, done: Box<dyn FnOnce(MemoryReport) + Send>) {
        self.memory.read_all(done);
    }

    /// The progress of embedding.
    #[must_use]
    pub fn memory_report(&self) -> MemoryReport {
        self.memory.report()
    }

    /// Stores private files, and stops background work.
    pub fn stop(&self) {
        self.counts.stop();
        self.registry.store();
        self.memory.stop();
    }

    /// Every tool, sorted by path.
    pub fn list_tools(&self) -> Result<Vec<ListedTool>, Error> {
        Ok(self.registry.list()?.into_iter().map(ListedTool::from).collect())
    }

    /// The changes of runnable tools since version `since`.
    pub fn list_tools_since(&self, since: Option<u32>, rules: String) -> Result<ToolsSince, Error> {
        let (version, update) = self.registry.changes_since(since)?;
        Ok(ToolsSince { version, rules, changes: update.map(ToolChanges::from) })
    }

    /// The changes of [`Self::list_tools`] since these versions.
    pub fn list_changed(&self, since: Option<u32>, uses_since: Option<u32>) -> Result<ListedSince, Error> {
        let (version, update) = self.registry.changes_since(since)?;
        let (uses_version, uses) = self.registry.uses.since(uses_since);
        let (is_difference, tools, removed) = match update {
            Some(update) => (update.is_difference, update.tools, update.removed),
            None => (true, Vec::new(), Vec::new()),
        };
        // Use counts are in `uses`.
        let tools = tools.into_iter().map(|tool| ListedTool::from((tool, 0))).collect();
        Ok(ListedSince { version, uses_version, is_difference, tools, removed, uses })
    }

    /// A page of [`Self::list_tools`].
    pub fn list_page(&self, after: Option<&str>, limit: u32, bytes: u32) -> Result<ListedPage, Error> {
        let (version, mut tools) = self.registry.page(after, limit as usize)?;
        let mut left = bytes as usize;
        let fits = tools.iter().take_while(|tool| {
            let size = serde_json::to_vec(&***tool).map_or(0, |text| text.len());
            let has_room = left > 0;
            left = left.saturating_sub(size);
            has_room
        });
        let fits = fits.count();
        tools.truncate(fits);
        Ok(ListedPage { version, tools: tools.into_iter().map(|tool| ListedTool::from((tool, 0))).collect() })
    }

    /// The most useful visible tools, and their number if requested; see [`ToolRegistry::most_useful`].
    pub fn offered(&self, query: &OfferQuery, shown: Option<Shown<'_>>) -> Result<OfferedTools, Error> {
        let is_shown = shown.unwrap_or(&|_| true);
        let OfferQuery { after, offered, limit, counted } = query;
        let tools = self.registry.most_useful(*after, offered, *limit, is_shown)?;
        let total = counted.then(|| self.registry.count_runnable(shown)).transpose()?;
        Ok(OfferedTools { tools: tools.into_iter().map(OfferedTool::from).collect(), total })
    }

    /// The tools at `paths`, as in lists.
    pub fn tools_at(&self, paths: &[String]) -> Result<Vec<ListedTool>, Error> {
        Ok(self.registry.at(paths)?.into_iter().map(ListedTool::from).collect())
    }

    /// At most `limit` runnable, visible tools; if there are more, the most used.
    pub fn catalogue(&self, limit: u32, shown: Option<Shown<'_>>) -> Result<Catalogue, Error> {
        let tools = self.registry.most_used(limit as usize, shown.unwrap_or(&|_| true))?;
        let total = self.registry.count_runnable(shown)?;
        Ok(Catalogue { tools: tools.into_iter().map(ListedTool::from).collect(), total })
    }

    /// Rereads every tool.
    pub fn hydrate_registry(&self) -> Result<(), Error> {
        self.registry.refresh(Scan::Thorough)
    }

    /// Registers a tool that was changed outside the kernel. `meta.json` is committed with the next write or sync.
    pub fn register_tool(&self, path: &str) -> Result<ListedTool, Error> {
        let path = JailPath::parse(path)?;
        self.registry.register(&path)?;
        let own = self.registry.one(path.as_str())?;
        own.map(ListedTool::from).ok_or_else(|| {
            let message = format!("There is no tool '{}'. Write it under tools/ as TypeScript first.", path.as_str());
            Error::new(ErrorCode::NotFound, message).with("path", path.as_str())
        })
    }
}
