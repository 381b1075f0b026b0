//! Tools as users see them.

use super::tool_choice::Followed;
use super::tool_registry::Counted;
use serde::Serialize;
use serde_json::value::RawValue;
use std::sync::Arc;
use tgp_registry::{ContentHash, ToolKind, ToolMatch, ToolMeta};

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
    hash: ContentHash,
    uses: u64,
}

/// What has changed since the version that was asked about, of tools that can be run.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct ToolsSince {
    pub version: u32,
    /// The version of the rules in force, by which lists leave tools out.
    pub rules: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<ToolChanges>,
}

/// Two lists of one length, and what goes: of every tool that can be run, or of those that have changed.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ToolChanges {
    /// Whether these are only those that have changed.
    is_difference: bool,
    paths: Vec<String>,
    hashes: Vec<ContentHash>,
    /// Also files that cannot be run any more.
    removed: Vec<String>,
    left_out: Vec<String>,
}

/// As [`ToolsSince`], with all that is known of each tool, and of those that cannot be run.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct ListedSince {
    pub version: u32,
    pub uses_version: u32,
    /// Whether these are only those that have changed.
    pub is_difference: bool,
    pub tools: Vec<ListedTool>,
    pub removed: Vec<String>,
    /// Runs of each tool that was run at all; nothing when that is as it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uses: Option<Vec<(String, u64)>>,
}

/// Some of the tools that `registry.list` shows, and the version that they are of.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ListedPage {
    pub version: u32,
    pub tools: Vec<ListedTool>,
}

/// Tools that are offered, the most useful first.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct OfferedTools {
    pub tools: Vec<OfferedTool>,
    /// How many there are, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<usize>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct OfferedTool {
    path: String,
    hash: ContentHash,
}

impl From<Followed> for ToolChanges {
    fn from(followed: Followed) -> Self {
        let Followed { is_difference, tools, mut removed, left_out, .. } = followed;
        let (runnable, modules): (Vec<_>, Vec<_>) = tools.into_iter().partition(|tool| tool.kind == ToolKind::Tool);
        if is_difference {
            removed.extend(modules.into_iter().map(|tool| tool.path.clone()));
        }
        let hashes = runnable.iter().map(|tool| tool.hash.clone()).collect();
        let paths = runnable.into_iter().map(|tool| tool.path.clone()).collect();
        Self { is_difference, paths, hashes, removed, left_out }
    }
}

impl From<Counted> for OfferedTool {
    fn from((tool, _): Counted) -> Self {
        Self { path: tool.path.clone(), hash: tool.hash.clone() }
    }
}

/// Some tools, and how many there are.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Catalogue {
    pub tools: Vec<ListedTool>,
    pub total: usize,
}

impl From<ToolMatch> for FoundTool {
    fn from(ToolMatch { tool, score }: ToolMatch) -> Self {
        let ToolMeta { path, name, description, parameters, .. } = Arc::unwrap_or_clone(tool);
        Self { path, name, description, score: rounded(score), parameters }
    }
}

impl From<ToolMatch> for SimilarTool {
    fn from(ToolMatch { tool, score }: ToolMatch) -> Self {
        Self { path: tool.path.clone(), score: rounded(score) }
    }
}

impl From<Counted> for ListedTool {
    fn from((tool, uses): Counted) -> Self {
        let ToolMeta { path, name, description, parameters, tags, imports, kind, hash, .. } =
            Arc::unwrap_or_clone(tool);
        Self { path, name, description, parameters, tags, imports, kind, hash, uses }
    }
}

/// Four decimals say all there is to say.
fn rounded(score: f32) -> f64 {
    (f64::from(score) * 1e4).round() / 1e4
}
