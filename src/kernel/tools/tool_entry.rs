//! Derives a tool's registry entry from its source.

use crate::kernel::arguments::parameters_text;
use serde_json::json;
use serde_json::value::RawValue;
use tgp_compile::{Compiler, Description, SourceRole};
use tgp_registry::{ContentHash, META_FILE, ToolKind, ToolMeta};

/// Longest description; the rest is cut off.
const MAX_DESCRIPTION_CHARS: usize = 1000;

/// The entry of the tool with this text. A pure function.
pub fn tool_entry(compiler: &Compiler, path: &str, text: &str, hash: ContentHash) -> ToolMeta {
    // A tool that does not compile is still listed and can be found by its name.
    let described = compiler.describe(path, text).unwrap_or_else(|_| Description {
        description: String::new(),
        parameters: json!({}),
        tags: Vec::new(),
        when: Vec::new(),
        examples: Vec::new(),
        imports: Vec::new(),
        role: SourceRole::Runnable,
        is_positional: false,
    });
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders).split('/').skip(1);
    let mut tags: Vec<String> = folders.map(str::to_owned).collect();
    // Tags are normalised, so secrets in them are recognised in the source only.
    let is_clean = compiler.secrets(path, text).is_empty();
    let (own_tags, imports) = if is_clean { (described.tags, described.imports) } else { Default::default() };
    tags.extend(own_tags);
    let shown_lines = |lines: Vec<String>| {
        lines.into_iter().map(|line| shown(compiler, line)).filter(|line| !line.is_empty()).collect()
    };
    let (when, examples) = (shown_lines(described.when), shown_lines(described.examples));
    ToolMeta {
        path: path.to_owned(),
        name: ToolMeta::name_of(path).to_owned(),
        description: shown(compiler, described.description.chars().take(MAX_DESCRIPTION_CHARS).collect()),
        parameters: RawValue::from_string(parameters_text(compiler, &described.parameters))
            .unwrap_or_else(|_| RawValue::NULL.to_owned()),
        tags,
        when,
        examples,
        imports,
        kind: match described.role {
            SourceRole::Runnable => ToolKind::Tool,
            SourceRole::Library => ToolKind::Module,
        },
        hash,
    }
}

/// A text for `meta.json`, which is committed; empty if it contains a secret.
fn shown(compiler: &Compiler, text: String) -> String {
    if compiler.secrets(META_FILE, &text).is_empty() { text } else { String::new() }
}
