//! The tools of a root: finding and listing them, and keeping the registry level with the files.

use super::tool_entry::{CodeParameters, code_parameters};
use super::tool_listing::{Catalogue, FoundTool, ListedTool, ToolsSince};
use super::tool_registry::{Look, RegistryFiles, ToolRegistry};
use crate::compile::Compiler;
use crate::error::{Error, ErrorCode};
use crate::kernel::config::{DEFAULT_FIND_LIMIT, FIND_LIMIT};
use crate::threads;
use crate::vfs::JailPath;
use std::sync::Arc;

/// Longest query: a job that needs more words is several jobs.
const MAX_QUERY_BYTES: usize = 4096;

/// Owns the registry.
pub struct Tools {
    registry: Arc<ToolRegistry>,
    compiler: Arc<Compiler>,
}

impl Tools {
    /// Looks at the tools in the background, so that neither the boot nor, most likely, the first question waits for it.
    pub fn open(files: RegistryFiles, compiler: Arc<Compiler>) -> Self {
        let registry = Arc::new(ToolRegistry::new(files, Arc::clone(&compiler)));
        let ahead = Arc::downgrade(&registry);
        let look = move || {
            if let Some(registry) = ahead.upgrade() {
                // Who asks first looks again, and hears why it failed.
                let _ = registry.refresh(Look::Quick);
            }
        };
        // Without a thread the first question looks.
        let _ = threads::spawn("tgp-registry", look);
        Self { registry, compiler }
    }

    /// For whoever changes files, counts runs or commits `meta.json`.
    pub fn registry(&self) -> &ToolRegistry {
        &self.registry
    }

    /// Tools that fit `query`, best first.
    pub fn find_tool(&self, query: &str, limit: Option<u32>) -> Result<Vec<FoundTool>, Error> {
        let refuse = |why: &str| Err(Error::new(ErrorCode::Validation, why).with("field", "query"));
        if query.trim().is_empty() {
            return refuse("query is empty. Say in a few words what the tool should do.");
        }
        if query.len() > MAX_QUERY_BYTES {
            return refuse("query is longer than 4096 bytes. Say in a few words what the tool should do.");
        }
        let limit = limit.unwrap_or(DEFAULT_FIND_LIMIT);
        FIND_LIMIT.check(limit, "", ErrorCode::Validation)?;
        Ok(self.registry.find(query, limit as usize)?.into_iter().map(FoundTool::from).collect())
    }

    /// What code takes that is in no file.
    pub fn code_parameters(&self, code: &str) -> CodeParameters {
        code_parameters(&self.compiler, code)
    }

    /// Every tool, sorted by path.
    pub fn list_tools(&self) -> Result<Vec<ListedTool>, Error> {
        Ok(self.registry.list()?.into_iter().map(ListedTool::from).collect())
    }

    /// As [`Self::list_tools`], when it differs from what there was at version `since`.
    pub fn list_tools_since(&self, since: Option<u32>) -> Result<ToolsSince, Error> {
        let (version, tools) = self.registry.list_since(since)?;
        let tools = tools.map(|tools| tools.into_iter().map(ListedTool::from).collect());
        Ok(ToolsSince { version, tools })
    }

    /// At most `limit` tools that can be run; when there are more, those that were run most often.
    pub fn catalogue(&self, limit: u32) -> Result<Catalogue, Error> {
        let (tools, total) = self.registry.most_used(limit as usize)?;
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
        let own = self.registry.list()?.into_iter().find(|(tool, _)| tool.path == path.as_str());
        own.map(ListedTool::from).ok_or_else(|| {
            let message = format!("There is no tool '{}'. Write it under tools/ as TypeScript first.", path.as_str());
            Error::new(ErrorCode::NotFound, message).with("path", path.as_str())
        })
    }
}
