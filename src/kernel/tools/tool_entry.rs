//! Derives a tool's registry entry from its source.

use crate::kernel::tool_paths::CODE_PATH;
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;
use tgp_compile::{Compiler, Description, SourceRole};
use tgp_registry::{ContentHash, MAX_PARAMETERS_BYTES, META_FILE, ToolKind, ToolMeta};

/// Longest description; the rest is cut off.
const MAX_DESCRIPTION_CHARS: usize = 1000;

/// The parameters of code without a file.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CodeParameters {
    #[cfg_attr(test, ts(type = "Record<string, unknown>"))]
    parameters: Box<RawValue>,
}

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
    });
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders).split('/').skip(1);
    let mut tags: Vec<String> = folders.map(str::to_owned).collect();
    // Tags are normalised, so secrets in them are recognised in the source only.
    let is_clean = compiler.secrets(path, text).is_empty();
    let (own_tags, imports) = if is_clean { (described.tags, described.imports) } else { Default::default() };
    tags.extend(own_tags);
    let shown_lines = |lines: Vec<String>| {
        lines.into_iter().map(|line| shown(compiler, line, "")).filter(|line| !line.is_empty()).collect()
    };
    let (when, examples) = (shown_lines(described.when), shown_lines(described.examples));
    ToolMeta {
        path: path.to_owned(),
        name: ToolMeta::name_of(path).to_owned(),
        description: shown(compiler, described.description.chars().take(MAX_DESCRIPTION_CHARS).collect(), ""),
        parameters: RawValue::from_string(shown(compiler, schema_text(&described.parameters), "{}"))
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

/// The parameter schema of code without a file; `{}` when it does not compile, which the run reports.
pub fn code_parameters(compiler: &Compiler, code: &str) -> CodeParameters {
    let described = compiler.describe(CODE_PATH, code).map(|described| described.parameters);
    let text = schema_text(&described.unwrap_or_else(|_| json!({})));
    CodeParameters { parameters: RawValue::from_string(text).unwrap_or_else(|_| RawValue::NULL.to_owned()) }
}

/// A text for `meta.json`, which is committed; `otherwise` if it contains a secret.
fn shown(compiler: &Compiler, text: String, otherwise: &str) -> String {
    if compiler.secrets(META_FILE, &text).is_empty() { text } else { otherwise.to_owned() }
}

/// The schema as text, or `{}` if it is too large.
fn schema_text(parameters: &serde_json::Value) -> String {
    let text = parameters.to_string();
    if text.len() <= MAX_PARAMETERS_BYTES { text } else { "{}".to_owned() }
}
