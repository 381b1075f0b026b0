//! The texts of a tool that are embedded.

use tgp_registry::ToolMeta;

/// The texts of a tool, each of which alone can match a query: its description, and its `when` lines.
pub fn tool_texts(tool: &ToolMeta) -> Vec<String> {
    std::iter::once(about(tool)).chain(tool.when.iter().cloned()).collect()
}

/// Its name and its description.
pub fn about(tool: &ToolMeta) -> String {
    let name = split_name(&tool.name);
    if tool.description.is_empty() { name } else { format!("{name}: {}", tool.description) }
}

/// A name split into words: `vatAdd` and `vat_add` are two words.
fn split_name(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 8);
    let mut before = ' ';
    for letter in name.chars() {
        if !letter.is_alphanumeric() {
            words.push(' ');
        } else {
            if letter.is_uppercase() && before.is_lowercase() {
                words.push(' ');
            }
            words.push(letter);
        }
        before = letter;
    }
    words.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{split_name, tool_texts};
    use serde_json::value::RawValue;
    use tgp_registry::{ContentHash, ToolKind, ToolMeta};

    #[test]
    fn names_are_split_into_words() {
        for (name, expected) in [("vat_add", "vat add"), ("vatAdd", "vat Add"), ("parseURL", "parse URL"), ("_x-", "x")]
        {
            assert_eq!(split_name(name), expected);
        }
    }

    #[test]
    fn a_tool_has_its_description_and_each_when_line_as_texts() {
        let mut tool = ToolMeta {
            path: "tools/vat_add.ts".to_owned(),
            name: "vat_add".to_owned(),
            description: "Add tax.".to_owned(),
            parameters: RawValue::NULL.to_owned(),
            tags: Vec::new(),
            when: vec!["the till shows a price without tax".to_owned()],
            examples: Vec::new(),
            imports: Vec::new(),
            kind: ToolKind::Tool,
            hash: ContentHash::of(""),
        };
        assert_eq!(tool_texts(&tool), ["vat add: Add tax.", "the till shows a price without tax"]);
        tool.description.clear();
        tool.when.clear();
        assert_eq!(tool_texts(&tool), ["vat add"]);
    }
}
