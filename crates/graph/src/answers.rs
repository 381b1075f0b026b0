//! Answers about one path.

use serde::Serialize;

/// What an ingest added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Ingested {
    /// The hash of the commit.
    pub commit: String,
    pub commits_added: usize,
    /// Files of the commit.
    pub files: usize,
}

/// What a change of a path affects.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "GraphImpact"))]
pub struct Impact {
    pub path: String,
    pub exists: bool,
    /// Files that import it, directly or through others; nearest first.
    pub importers: Vec<Dependent>,
    /// Files that call it, or an importer of it, directly or through others; nearest first.
    pub callers: Vec<Dependent>,
    /// Tests of it, of its importers and of its callers.
    pub tests: Vec<String>,
    /// The newest runs of it, its importers and its callers; newest first. Empty without a ledger.
    pub runs: Vec<ImpactRun>,
    /// Whether a list has more entries than it shows.
    pub truncated: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "GraphDependent"))]
pub struct Dependent {
    pub path: String,
    /// 1: directly.
    pub distance: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "GraphRun"))]
pub struct ImpactRun {
    pub id: String,
    pub path: String,
    pub ok: Option<bool>,
    pub code: Option<String>,
    pub ms: Option<f64>,
    pub time: i64,
}

/// A change of a path, or of the path that it was renamed from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "GraphHistoryEntry", optional_fields))]
pub struct HistoryEntry {
    pub commit: String,
    pub time: i64,
    pub author: String,
    pub subject: String,
    /// `added`, `modified`, `deleted` or `renamed`.
    pub status: &'static str,
    /// The path in that commit.
    pub path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<u8>,
}
