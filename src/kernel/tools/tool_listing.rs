//! Tools as users see them.

use super::tool_registry::Counted;
use serde::Serialize;
use serde_json::value::RawValue;
use std::sync::Arc;
use tgp_registry::{ContentHash, Found, ToolKind, ToolMeta};

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

/// Every tool, unless nothing has changed since the version that was asked about.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct ToolsSince {
    pub version: u32,
    /// The version of the rules in force, by which lists leave tools out.
    pub rules: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<ListedTool>>,
    #[serde(rename = "leftOut", skip_serializing_if = "Option::is_none")]
    pub left_out: Option<Vec<String>>,
}

/// Some tools, and how many there are.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Catalogue {
    pub tools: Vec<ListedTool>,
    pub total: usize,
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
