//! `find_tool`: the tools that fit a description of a job.

use super::config::{DEFAULT_FIND_LIMIT, FIND_LIMIT, GitWriteStrategy};
use super::kernel::Kernel;
use super::tool_registry::{Counted, Look};
use super::write_file::Written;
use crate::error::{Error, ErrorCode};
use crate::git::FileChange;
use crate::registry::{Found, META_FILE, ToolKind, ToolMeta};
use crate::vfs::JailPath;
use serde::Serialize;
use serde_json::value::RawValue;
use std::sync::Arc;

/// Longest query: a job that needs more words is several jobs.
const MAX_QUERY_BYTES: usize = 4096;

/// A tool that may do the job.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FoundTool {
    path: String,
    name: String,
    description: String,
    /// From 0 to 1; above 0.85 it does the same job.
    score: f64,
    #[cfg_attr(test, ts(type = "Record<string, unknown>"))]
    parameters: Box<RawValue>,
}

/// A tool that does the same as one that was just written.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SimilarTool {
    path: String,
    score: f64,
}

/// A tool as `registry.list` shows it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ListedTool {
    path: String,
    name: String,
    description: String,
    #[cfg_attr(test, ts(type = "Record<string, unknown>"))]
    parameters: Box<RawValue>,
    tags: Vec<String>,
    imports: Vec<String>,
    kind: ToolKind,
    hash: crate::registry::ContentHash,
    uses: u64,
}

/// Every tool, unless nothing has changed since the version that was asked about.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct ToolsSince {
    version: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Vec<ListedTool>>,
}

/// Some tools, and how many there are.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Catalogue {
    tools: Vec<ListedTool>,
    total: usize,
}

impl From<Found> for FoundTool {
    fn from(Found { tool, score }: Found) -> Self {
        let ToolMeta { path, name, description, parameters, .. } = Arc::unwrap_or_clone(tool);
        Self { path, name, description, score: rounded(score), parameters }
    }
}

impl From<Found> for SimilarTool {
    fn from(Found { tool, score }: Found) -> Self {
        Self { path: tool.path.clone(), score: rounded(score) }
    }
}

impl Kernel {
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

    /// Every tool, sorted by path.
    pub fn list_tools(&self) -> Result<Vec<ListedTool>, Error> {
        Ok(all_listed(self.registry.list()?))
    }

    /// As [`Self::list_tools`], when it differs from what there was at version `since`.
    pub fn list_tools_since(&self, since: Option<u32>) -> Result<ToolsSince, Error> {
        let (version, tools) = self.registry.list_since(since)?;
        Ok(ToolsSince { version, tools: tools.map(all_listed) })
    }

    /// At most `limit` tools that can be run; when there are more, those that were run most often.
    pub fn catalogue(&self, limit: u32) -> Result<Catalogue, Error> {
        let (tools, total) = self.registry.most_used(limit as usize)?;
        Ok(Catalogue { tools: all_listed(tools), total })
    }

    /// Reads every tool again, whatever is remembered of it.
    pub fn hydrate_registry(&self) -> Result<(), Error> {
        self.registry.refresh(Look::Thorough)
    }

    /// Takes note of one tool that was changed by other means, and of `meta.json` when it is its turn.
    pub fn register_tool(&self, path: &str) -> Result<ListedTool, Error> {
        let path = JailPath::parse(path)?;
        let _one_writer = self.writes.lock();
        self.registry.register(&path)?;
        let tools = self.registry.list()?;
        let own = tools.into_iter().find(|(tool, _)| tool.path == path.as_str());
        own.map(|(tool, uses)| listed(Arc::unwrap_or_clone(tool), uses)).ok_or_else(|| {
            let message = format!("There is no tool '{}'. Write it under tools/ as TypeScript first.", path.as_str());
            Error::new(ErrorCode::NotFound, message).with("path", path.as_str())
        })
    }

    /// Makes `meta.json` what the tools say and commits it.
    pub fn sync_registry(&self) -> Result<Written, Error> {
        let _one_writer = self.writes.lock();
        if self.config.git.write_strategy == GitWriteStrategy::Pr {
            self.registry.sync_meta()?;
            return Ok(Written::not_committed(META_FILE, "With pull requests meta.json is not committed."));
        }
        let writing = self.git.begin(std::iter::once(META_FILE))?;
        let text = self.registry.sync_meta()?;
        let change = text.as_deref().map(|text| FileChange { path: META_FILE, content: Some(text.as_bytes()) });
        self.written(META_FILE, writing.commit("Registry: meta.json", change.as_slice()))
    }
}

fn all_listed(tools: Vec<Counted>) -> Vec<ListedTool> {
    tools.into_iter().map(|(tool, uses)| listed(Arc::unwrap_or_clone(tool), uses)).collect()
}

fn listed(tool: ToolMeta, uses: u64) -> ListedTool {
    let ToolMeta { path, name, description, parameters, tags, imports, kind, hash } = tool;
    ListedTool { path, name, description, parameters, tags, imports, kind, hash, uses }
}

/// Four decimals say all there is to say.
fn rounded(score: f32) -> f64 {
    (f64::from(score) * 1e4).round() / 1e4
}
