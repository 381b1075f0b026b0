//! The tools of a root: finding and listing them, and keeping the registry level with the files.

use super::memory::{Memory, MemoryModel, MemoryReport, VectorCache, about};
use super::reuse_counts::{ReuseCounts, ReuseDay, ReuseEvent, ReuseTally};
use super::run_arguments::RunArguments;
use super::tool_choice::{Shown, Wanted};
use super::tool_entry::{CodeParameters, code_parameters};
use super::tool_listing::{
    Catalogue, FoundTool, ListedPage, ListedSince, ListedTool, OfferedTool, OfferedTools, ToolChanges, ToolsSince,
};
use super::tool_registry::{Look, RegistryFiles, ToolRegistry};
use crate::kernel::config::{DEFAULT_FIND_LIMIT, FIND_LIMIT};
use crate::kernel::sight::shows;
use serde::Serialize;
use std::sync::Arc;
use tgp_base::error::{Error, ErrorCode};
use tgp_base::threads;
use tgp_compile::Compiler;
use tgp_registry::{Meaning, ToolMatch, ToolMeta};
use tgp_vfs::{DiskVfs, JailPath};

/// Longest query: a job that needs more words is several jobs.
const MAX_QUERY_BYTES: usize = 4096;

/// Owns the registry, and what its tools mean.
pub struct Tools {
    registry: Arc<ToolRegistry>,
    memory: Arc<Memory>,
    arguments: RunArguments,
    events: ReuseCounts,
    compiler: Arc<Compiler>,
}

/// What became of tools on this machine.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Stats {
    pub total: ReuseTally,
    /// Oldest first; days on which nothing happened are left out.
    pub days: Vec<ReuseDay>,
    pub memory: MemoryReport,
}

impl Tools {
    /// Looks at the tools in the background, so that neither the boot nor, most likely, the first question waits for it.
    /// `vectors` is where vectors are kept; without a model words decide.
    pub fn open(
        files: RegistryFiles,
        compiler: Arc<Compiler>,
        model: Option<MemoryModel>,
        vectors: Arc<DiskVfs>,
    ) -> Self {
        let events = ReuseCounts::new(files.private.clone());
        let registry = ToolRegistry::new(files, Arc::clone(&compiler));
        let ahead = Arc::downgrade(&registry);
        let look = move || {
            if let Some(registry) = ahead.upgrade() {
                // Who asks first looks again, and hears why it failed.
                let _ = registry.refresh(Look::Quick);
            }
        };
        // Without a thread the first question looks.
        let _ = threads::spawn("tgp-registry", look);
        let memory = Memory::new(model, ToolRegistry::source(&registry), VectorCache(vectors));
        Self { registry, memory, arguments: RunArguments::default(), events, compiler }
    }

    /// For whoever changes files, counts runs or commits `meta.json`.
    pub fn registry(&self) -> &ToolRegistry {
        &self.registry
    }

    /// Tools that fit `query`, best first. `vector` is what the application's model makes of the query.
    pub fn find_tool(&self, query: &str, limit: Option<u32>, vector: Option<&[f32]>) -> Result<Vec<FoundTool>, Error> {
        let refuse = |why: &str| Err(Error::new(ErrorCode::Validation, why).with("field", "query"));
        if query.trim().is_empty() {
            return refuse("query is empty. Say in a few words what the tool should do.");
        }
        if query.len() > MAX_QUERY_BYTES {
            return refuse("query is longer than 4096 bytes. Say in a few words what the tool should do.");
        }
        let limit = limit.unwrap_or(DEFAULT_FIND_LIMIT);
        FIND_LIMIT.check(limit, "", ErrorCode::Validation)?;
        if let Some(numbers) = vector {
            self.memory.remember(query, numbers);
        }
        let found = self.registry.find(query, &self.meanings(query)?, limit as usize)?;
        Ok(found.into_iter().map(FoundTool::from).collect())
    }

    /// Refuses a name for a new tool that people would take for that of another one, which does not go with the same change.
    pub fn refuse_look_alike(&self, path: &str, leaving: &[&str]) -> Result<(), Error> {
        // A tool that the caller may not see is not told of; of the two, lists have the plainer name.
        let other = self.registry.look_alike_of(path)?.filter(|other| shows(other));
        if other.is_none_or(|other| leaving.contains(&other.as_str())) {
            return Ok(());
        }
        let message = format!(
            "Security Violation: '{path}' may not be written: another tool has a name that looks the same. Choose a name that differs in more than its case."
        );
        Err(Error::new(ErrorCode::SecurityViolation, message).with("path", path))
    }

    /// Other tools that are described as `tool` is, best first.
    pub fn alike(&self, tool: &ToolMeta, limit: usize) -> Result<Vec<ToolMatch>, Error> {
        self.registry.alike(tool, &self.meanings(&about(tool))?, limit)
    }

    fn meanings(&self, text: &str) -> Result<Vec<Meaning>, Error> {
        Ok(self.memory.meanings(text, self.registry.version()?).unwrap_or_default())
    }

    /// The tool at `path` has given a result for these arguments of `owner`.
    pub fn was_run(&self, owner: &str, path: &str, args_json: &Arc<str>) {
        self.arguments.record(owner, path, args_json);
        if self.registry.count_use(path) > 0 {
            self.events.count(ReuseEvent::Reused);
        }
    }

    /// What `owner` has last run the tool at `path` with, newest first.
    pub fn arguments_of(&self, owner: &str, path: &str) -> Vec<Arc<str>> {
        self.arguments.of(owner, path)
    }

    pub fn note(&self, event: ReuseEvent) {
        self.events.count(event);
    }

    /// How many tools were forged, and how often one that was there was used instead.
    #[must_use]
    pub fn stats(&self) -> Stats {
        let (days, total) = self.events.days();
        Stats { total, days, memory: self.memory.report() }
    }

    /// Texts of tools have changed, and are read when nobody waits.
    pub fn texts_changed(&self) {
        self.memory.tools_changed();
    }

    /// Has all texts of tools read, and tells when that is done or has failed.
    pub fn read_texts(&self, done: Box<dyn FnOnce(MemoryReport) + Send>) {
        self.memory.read_all(done);
    }

    /// How far the reading of texts is.
    #[must_use]
    pub fn memory_report(&self) -> MemoryReport {
        self.memory.report()
    }

    /// Stores what is kept outside the history, and ends what goes on in the background.
    pub fn stop(&self) {
        self.registry.store();
        self.events.store();
        self.memory.stop();
    }

    /// What code takes that is in no file.
    pub fn code_parameters(&self, code: &str) -> CodeParameters {
        code_parameters(&self.compiler, code)
    }

    /// Every tool, sorted by path.
    pub fn list_tools(&self) -> Result<Vec<ListedTool>, Error> {
        Ok(self.registry.list()?.into_iter().map(ListedTool::from).collect())
    }

    /// The paths of tools that can be run, as far as they have changed since version `since`.
    pub fn list_tools_since(&self, since: Option<u32>, rules: String) -> Result<ToolsSince, Error> {
        let (version, followed) = self.registry.changes_since(since)?;
        Ok(ToolsSince { version, rules, changes: followed.map(ToolChanges::from) })
    }

    /// As [`Self::list_tools`], as far as it has changed since these versions.
    pub fn list_changed(&self, since: Option<u32>, uses_since: Option<u32>) -> Result<ListedSince, Error> {
        let (version, followed) = self.registry.changes_since(since)?;
        let (uses_version, uses) = self.registry.uses.since(uses_since);
        let (is_difference, tools, removed) = match followed {
            Some(followed) => (followed.is_difference, followed.tools, followed.removed),
            None => (true, Vec::new(), Vec::new()),
        };
        // How often they were run is in `uses`.
        let tools = tools.into_iter().map(|tool| ListedTool::from((tool, 0))).collect();
        Ok(ListedSince { version, uses_version, is_difference, tools, removed, uses })
    }

    /// A part of [`Self::list_tools`], for a reader that reads it bit by bit.
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

    /// The most useful tools of those that are shown, and how many there are, if that is asked for; see
    /// [`ToolRegistry::most_useful`].
    pub fn offered(&self, wanted: &Wanted, shown: Option<Shown<'_>>) -> Result<OfferedTools, Error> {
        let is_shown = shown.unwrap_or(&|_| true);
        let Wanted { after, offered, limit, counted } = wanted;
        let tools = self.registry.most_useful(*after, offered, *limit, is_shown)?;
        let total = counted.then(|| self.registry.count_runnable(shown)).transpose()?;
        Ok(OfferedTools { tools: tools.into_iter().map(OfferedTool::from).collect(), total })
    }

    /// The tools at `paths`, as lists show them.
    pub fn tools_at(&self, paths: &[String]) -> Result<Vec<ListedTool>, Error> {
        Ok(self.registry.at(paths)?.into_iter().map(ListedTool::from).collect())
    }

    /// At most `limit` tools that can be run and are shown; when there are more, those that were run most often.
    pub fn catalogue(&self, limit: u32, shown: Option<Shown<'_>>) -> Result<Catalogue, Error> {
        let tools = self.registry.most_used(limit as usize, shown.unwrap_or(&|_| true))?;
        let total = self.registry.count_runnable(shown)?;
        Ok(Catalogue { tools: tools.into_iter().map(ListedTool::from).collect(), total })
    }

    /// Reads every tool again, whatever is remembered of it.
    pub fn hydrate_registry(&self) -> Result<(), Error> {
        self.registry.refresh(Look::Thorough)
    }

    /// Takes note of one tool that was changed by other means. `meta.json` is committed with the next write or sync.
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
