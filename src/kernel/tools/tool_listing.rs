//! The shapes of tools in lists and search results.

use super::tool_choice::ToolUpdate;
use super::tool_registry::Counted;
use serde::Serialize;
use serde_json::value::RawValue;
use std::sync::Arc;
use tgp_registry::{ContentHash, ToolKind, ToolMatch, ToolMeta};

/// A search result.
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

/// An existing tool that does the same as a new one.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SimilarTool {
    path: String,
    score: f64,
}

/// A tool in `registry.list`.
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

/// The changes of runnable tools since a version.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct ToolsSince {
    pub version: u32,
    /// The version of the rules in force, which filter lists.
    pub rules: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<ToolChanges>,
}

/// Paths and hashes, of equal length, of all or changed runnable tools, and removed paths.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ToolChanges {
    /// Whether only changed tools are listed.
    is_difference: bool,
    paths: Vec<String>,
    hashes: Vec<ContentHash>,
    /// Includes files that are no longer runnable.
    removed: Vec<String>,
    left_out: Vec<String>,
}

/// As [`ToolsSince`], with complete entries, and also of modules.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct ListedSince {
    pub version: u32,
    pub uses_version: u32,
    /// Whether only changed tools are listed.
    pub is_difference: bool,
    pub tools: Vec<ListedTool>,
    pub removed: Vec<String>,
    /// Use counts of all used tools; none if unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uses: Option<Vec<(String, u64)>>,
}

/// A page of `registry.list`, and its version.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ListedPage {
    pub version: u32,
    pub tools: Vec<ListedTool>,
}

/// Tools to offer, the most useful first.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct OfferedTools {
    pub tools: Vec<OfferedTool>,
    /// The number of all tools, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<usize>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct OfferedTool {
    path: String,
    hash: ContentHash,
}

impl From<ToolUpdate> for ToolChanges {
    fn from(update: ToolUpdate) -> Self {
        let ToolUpdate { is_difference, tools, mut removed, left_out, .. } = update;
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

/// Some tools, and the number of all.
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

/// Rounds to four decimals.
fn rounded(score: f32) -> f64 {
    (f64::from(score) * 1e4).round() / 1e4
}
