//! `meta.json`: the registry as a file that is derived from the tools and belongs to their history.
//!
//! One line per tool, sorted by path: the same tools give the same bytes, and a change of one tool is a change of one
//! line.

use super::tool_meta::ToolMeta;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The file's place in the root.
pub const META_FILE: &str = "meta.json";

/// Raised whenever the same source gives another entry; a file of another version is made anew.
const VERSION: u32 = 1;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MetaFile {
    version: u32,
    tools: BTreeMap<String, ToolMeta>,
}

/// The tools in a file's text; `None` when it is damaged or of another version.
pub(super) fn parse(text: &str) -> Option<Vec<ToolMeta>> {
    let file: MetaFile = serde_json::from_str(text).ok().filter(|file: &MetaFile| file.version == VERSION)?;
    Some(file.tools.into_iter().map(|(path, tool)| ToolMeta { path, ..tool }).collect())
}

/// The line of one tool.
pub(super) fn line(tool: &ToolMeta) -> String {
    // A path and a tool are plain data: both can be written as JSON.
    let (path, entry) = (serde_json::to_string(&tool.path), serde_json::to_string(tool));
    format!("{}: {}", path.unwrap_or_default(), entry.unwrap_or_default())
}

/// The file's text. `lines` are sorted by path.
pub(super) fn print<'t>(lines: impl Iterator<Item = &'t str>) -> String {
    let mut text = format!("{{\n\"version\": {VERSION},\n\"tools\": {{");
    let mut separator = "\n";
    for line in lines {
        text.push_str(separator);
        text.push_str(line);
        separator = ",\n";
    }
    text.push_str("\n}\n}\n");
    text
}
