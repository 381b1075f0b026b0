//! From a tool's source to its entry in the registry.

use crate::kernel::tool_paths::CODE_PATH;
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;
use tgp_compile::{Compiler, Description, SourceRole};
use tgp_registry::{ContentHash, MAX_PARAMETERS_BYTES, META_FILE, ToolKind, ToolMeta};

/// Longest description that is kept: more is documentation, not a description.
const MAX_DESCRIPTION_CHARS: usize = 1000;

/// What code takes that is in no file.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CodeParameters {
    #[cfg_attr(test, ts(type = "Record<string, unknown>"))]
    parameters: Box<RawValue>,
}

/// The entry of the tool with this text. It depends on nothing else.
pub fn tool_entry(compiler: &Compiler, path: &str, text: &str, hash: ContentHash) -> ToolMeta {
    // A tool that does not compile is still there, and is found by its name.
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
    // Tags are not written as the source has them: the source tells whether they are a secret.
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

/// The schema of what code takes that is in no file; anything will do when it does not compile, which a run tells.
pub fn code_parameters(compiler: &Compiler, code: &str) -> CodeParameters {
    let described = compiler.describe(CODE_PATH, code).map(|described| described.parameters);
    let text = schema_text(&described.unwrap_or_else(|_| json!({})));
    CodeParameters { parameters: RawValue::from_string(text).unwrap_or_else(|_| RawValue::NULL.to_owned()) }
}

/// A text that goes to `meta.json`, and with it to the history; nothing of one that holds a secret, which the tool itself is
/// kept out for.
fn shown(compiler: &Compiler, text: String, otherwise: &str) -> String {
    if compiler.secrets(META_FILE, &text).is_empty() { text } else { otherwise.to_owned() }
}

/// The schema, or that anything will do when it is larger than any that is of use.
fn schema_text(parameters: &serde_json::Value) -> String {
    let text = parameters.to_string();
    if text.len() <= MAX_PARAMETERS_BYTES { text } else { "{}".to_owned() }
}
