//! `meta.json`: the registry as a file, derived from the tools and committed with them.
//!
//! One line per tool, sorted by path: the same tools give the same bytes, and a change of a tool changes one line.

use super::tool_meta::ToolMeta;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

/// The path of the file in the root.
pub const META_FILE: &str = "meta.json";

/// Must be raised when the same source gives another entry; a file of another version is rebuilt.
const VERSION: u32 = 3;

/// The most entries that are read; entries of further tools are rebuilt.
const MAX_ENTRIES: usize = 100_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MetaFile {
    version: u32,
    tools: Entries,
}

/// Plausible entries. Others are dropped while the file is read, since it is untrusted.
struct Entries(Vec<ToolMeta>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EntriesVisitor)
    }
}

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = Entries;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("tools by path")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
        let mut tools = Vec::new();
        while let Some(path) = map.next_key::<String>()? {
            if tools.len() >= MAX_ENTRIES {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let tool = ToolMeta { path, ..map.next_value()? };
            if tool.is_of_usual_size() {
                tools.push(tool);
            }
        }
        Ok(Entries(tools))
    }
}

/// The tools in a file's text; `None` when it is damaged or of another version.
pub(super) fn parse(text: &str) -> Option<Vec<ToolMeta>> {
    let file: MetaFile = serde_json::from_str(text).ok().filter(|file: &MetaFile| file.version == VERSION)?;
    Some(file.tools.0)
}

/// The line of one tool.
pub(super) fn line(tool: &ToolMeta) -> String {
    // Serialisation of a path and a tool cannot fail.
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

#[cfg(test)]
mod tests {
    use super::parse;

    fn with(parameters: &str, tags: &str) -> String {
        format!(
            r#"{{"version":3,"tools":{{"tools/a.ts":{{"path":"tools/a.ts","name":"a","description":"","parameters":{parameters},"tags":{tags},"imports":[],"kind":"tool","hash":"x"}}}}}}"#
        )
    }

    #[test]
    fn implausible_entries_are_dropped() {
        assert_eq!(parse(&with("{}", "[]")).unwrap().len(), 1);
        let long = format!("\"{}\"", "x".repeat(70_000));
        let deep = format!("{}{}", "[".repeat(40_000), "]".repeat(40_000));
        let many = format!("[{}\"\"]", "\"\",".repeat(5000));
        for (parameters, tags) in [(long.as_str(), "[]"), (&deep, "[]"), ("{}", &many)] {
            assert_eq!(parse(&with(parameters, tags)).map_or(0, |tools| tools.len()), 0);
        }
        assert!(parse(&with("{}", &deep)).is_none());
        assert!(parse("[").is_none());
    }
}
