//! The metadata of one tool.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Whether a file can be run, or only imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum ToolKind {
    Tool,
    Module,
}

/// The metadata of a tool. All fields but the path are derived from its file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolMeta {
    /// In `meta.json` it is repeated for readers; the key of the entry counts.
    #[serde(default)]
    pub path: String,
    pub name: String,
    pub description: String,
    /// JSON Schema of the arguments.
    pub parameters: Box<RawValue>,
    pub tags: Vec<String>,
    /// The author's `@when` lines: when to use the tool.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub when: Vec<String>,
    /// The author's `@example` texts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
    pub imports: Vec<String>,
    pub kind: ToolKind,
    pub hash: ContentHash,
}

impl PartialEq for ToolMeta {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path && self.hash == other.hash && self.parameters.get() == other.parameters.get()
    }
}

/// The hash of a file's text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(transparent)]
pub struct ContentHash(String);

/// Half of the digest, which is enough to avoid collisions.
const HASH_LETTERS: usize = 32;

impl ContentHash {
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut hex = blake3::hash(text.as_bytes()).to_hex().to_string();
        hex.truncate(HASH_LETTERS);
        Self(hex)
    }
}

#[derive(Deserialize)]
struct Properties {
    #[serde(default)]
    properties: std::collections::BTreeMap<String, serde::de::IgnoredAny>,
}

/// The largest schema of arguments that is kept.
pub const MAX_PARAMETERS_BYTES: usize = 64 << 10;
/// The longest name, description, tag or import, and the most of them.
const MAX_TEXT_BYTES: usize = 8 << 10;
const MAX_TEXTS: usize = 2048;

impl ToolMeta {
    /// Whether this entry is within the limits; a `meta.json` is untrusted.
    #[must_use]
    pub fn is_of_usual_size(&self) -> bool {
        let Self { path, name, description, parameters, tags, when, examples, imports, .. } = self;
        let texts = || [path, name, description].into_iter().chain(tags).chain(when).chain(examples).chain(imports);
        parameters.get().len() <= MAX_PARAMETERS_BYTES
            && texts().count() <= MAX_TEXTS
            && texts().all(|text| text.len() <= MAX_TEXT_BYTES)
    }

    /// The names of the arguments.
    #[must_use]
    pub fn parameter_names(&self) -> Vec<String> {
        serde_json::from_str::<Properties>(self.parameters.get())
            .map(|schema| schema.properties.into_keys().collect())
            .unwrap_or_default()
    }

    /// Every name, type, fixed value and description in the schema of the arguments.
    #[must_use]
    pub fn parameter_details(&self) -> String {
        let schema = serde_json::from_str::<serde_json::Value>(self.parameters.get()).unwrap_or_default();
        let mut text = String::new();
        let mut open = vec![&schema];
        while let Some(value) = open.pop() {
            open.extend(value.as_array().into_iter().flatten());
            for (key, field) in value.as_object().into_iter().flatten() {
                match key.as_str() {
                    "properties" => {
                        for (name, property) in field.as_object().into_iter().flatten() {
                            append(&mut text, name);
                            open.push(property);
                        }
                    }
                    "type" | "format" | "description" | "enum" | "const" => {
                        strings(field).for_each(|part| append(&mut text, part));
                    }
                    "items" | "additionalProperties" | "anyOf" | "oneOf" | "allOf" => open.push(field),
                    _ => {}
                }
            }
        }
        text
    }

    /// The name of the tool in a file: the file's stem, or the folder's name for an `index`.
    #[must_use]
    pub fn name_of(path: &str) -> &str {
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        match (stem, folder.rsplit('/').next()) {
            ("index", Some(parent)) if !parent.is_empty() => parent,
            _ => stem,
        }
    }
}

fn append(text: &mut String, part: &str) {
    text.push_str(part);
    text.push(' ');
}

/// A string, or the strings of an array.
fn strings(value: &serde_json::Value) -> impl Iterator<Item = &str> {
    let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
    value.as_str().into_iter().chain(list.iter().filter_map(serde_json::Value::as_str))
}

#[cfg(test)]
mod tests {
    use super::ToolMeta;

    #[test]
    fn names_come_from_files_and_folders() {
        assert_eq!(ToolMeta::name_of("tools/shipping/dim_weight.ts"), "dim_weight");
        assert_eq!(ToolMeta::name_of("tools/shipping/index.ts"), "shipping");
        assert_eq!(ToolMeta::name_of("index.ts"), "index");
    }
}
