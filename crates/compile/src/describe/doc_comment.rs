//! A JSDoc parser for the tags that describe a tool.

/// The parts of a comment that describe a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct DocComment {
    pub(super) description: String,
    pub(super) params: Vec<DocParam>,
    pub(super) tags: Vec<String>,
    /// The text of each `@when`.
    pub(super) when: Vec<String>,
    /// The text of each `@example`.
    pub(super) examples: Vec<String>,
}

/// Maximum number of `@when` and of `@example` lines, and their length. Longer text is documentation, not metadata.
const MAX_LINES: usize = 8;
const MAX_LINE_CHARS: usize = 300;

/// One `@param`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DocParam {
    /// As written: `args.name`, or `name`.
    pub(super) name: String,
    pub(super) kind: Option<String>,
    pub(super) presence: Presence,
    pub(super) text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    Required,
    Optional,
}

impl DocComment {
    /// Parses the text between `/*` and `*/`; `None` for an ordinary comment.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let body = text.strip_prefix('*')?;
        let mut doc = Self::default();
        let mut sections: Vec<String> = vec![String::new()];
        for line in body.lines() {
            let line = line.trim().trim_start_matches('*').trim();
            if line.starts_with('@') {
                sections.push(line.to_owned());
            } else if let Some(section) = sections.last_mut()
                && !line.is_empty()
            {
                if !section.is_empty() {
                    section.push(' ');
                }
                section.push_str(line);
            }
        }
        for section in sections {
            doc.add(&section);
        }
        Some(doc)
    }

    fn add(&mut self, section: &str) {
        let Some(tagged) = section.strip_prefix('@') else {
            section.clone_into(&mut self.description);
            return;
        };
        let (tag, rest) = tagged.split_once(char::is_whitespace).unwrap_or((tagged, ""));
        match tag {
            "param" | "arg" | "argument" => self.params.extend(DocParam::parse(rest)),
            "description" | "desc" | "summary" if self.description.is_empty() => {
                rest.trim().clone_into(&mut self.description);
            }
            "tags" | "tag" | "category" | "keywords" => {
                let tags = rest.split([',', ' ']).map(str::trim).filter(|tag| !tag.is_empty());
                self.tags.extend(tags.map(str::to_lowercase));
            }
            "when" => keep(&mut self.when, rest),
            "example" => keep(&mut self.examples, rest),
            _ => {}
        }
    }
}

fn keep(lines: &mut Vec<String>, line: &str) {
    if lines.len() < MAX_LINES && !line.trim().is_empty() {
        lines.push(line.trim().chars().take(MAX_LINE_CHARS).collect());
    }
}

impl DocParam {
    /// `{type} name - text`, `name text` or `[name=default] text`.
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (kind, text) = match text.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
            Some((kind, rest)) => (Some(kind.trim().to_owned()), rest.trim()),
            None => (None, text),
        };
        let (name, text, presence) = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((name, rest)) => (name.split('=').next().unwrap_or(name).trim(), rest, Presence::Optional),
            None => {
                let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
                (name, rest, Presence::Required)
            }
        };
        let text = text.trim().trim_start_matches(['-', ':']).trim().to_owned();
        (!name.is_empty()).then(|| Self { name: name.to_owned(), kind, presence, text })
    }
}

#[cfg(test)]
mod tests {
    use super::{DocComment, Presence};

    #[test]
    fn descriptions_params_and_tags_are_parsed() {
        let doc = DocComment::parse(
            "*\n * Adds tax\n * to a price.\n *\n * @param {number} args.net - The net price.\n * @param [args.rate=0.2] rate\n * @tags money, VAT\n * @returns {number}\n ",
        )
        .unwrap();
        assert_eq!(doc.description, "Adds tax to a price.");
        assert_eq!(doc.tags, ["money", "vat"]);
        assert_eq!(doc.params[0].name, "args.net");
        assert_eq!(doc.params[0].kind.as_deref(), Some("number"));
        assert_eq!(doc.params[0].text, "The net price.");
        assert_eq!((doc.params[1].name.as_str(), doc.params[1].presence), ("args.rate", Presence::Optional));
        assert_eq!(doc.when, [""; 0]);
        assert_eq!(DocComment::parse(" plain"), None);
        assert_eq!(DocComment::parse("*").unwrap(), DocComment::default());
    }

    #[test]
    fn when_lines_are_kept_separately_and_bounded() {
        let doc = DocComment::parse(
            "*\n * Adds tax.\n * @when the till shows a price\n *   without tax\n * @when\n * @when bills go abroad\n * @example addTax({ net: 100 }) // 119\n",
        );
        let doc = doc.unwrap();
        assert_eq!(doc.when, ["the till shows a price without tax", "bills go abroad"]);
        assert_eq!(doc.examples, ["addTax({ net: 100 }) // 119"]);
        let many: String = (0..20).map(|_| format!(" * @when {}\n", "x".repeat(1000))).collect();
        let when = DocComment::parse(&format!("*\n{many}")).unwrap().when;
        assert_eq!(when.len(), 8);
        assert!(when.iter().all(|line| line.len() == 300));
    }
}
