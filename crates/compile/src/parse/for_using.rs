//! Support for `for (using x = …; …; …)`, which the parser does not know: `using` is replaced by `const` before parsing.

use std::collections::HashMap;

use swc_core::common::BytePos;

use crate::positions::source_index::FIRST_POS;

/// Maximum number of such loops in one source: each takes another parse.
pub(super) const MAX_LOOPS: usize = 8;

const USING: &str = "using";
const AWAIT: &str = "await";
const CONST: &str = "const";

/// The replaced keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keyword {
    Using,
    AwaitUsing,
}

/// A source with the keyword replaced by `const`, and the positions of the replacements.
#[derive(Debug, Clone, Default)]
pub(crate) struct ForUsing {
    text: Option<String>,
    pub(crate) keywords: HashMap<BytePos, Keyword>,
}

impl ForUsing {
    /// The text for the parser.
    pub(super) fn text<'a>(&'a self, source: &'a str) -> &'a str {
        self.text.as_deref().unwrap_or(source)
    }

    /// Replaces the keyword before the name at which the parser failed. False if there is no such keyword.
    pub(super) fn replace(&mut self, source: &str, failed_at: BytePos) -> bool {
        let at = failed_at.0.saturating_sub(FIRST_POS.0) as usize;
        let Some(before) = self.text(source).get(..at) else { return false };
        let Some(rest) = before.trim_end().strip_suffix(USING).filter(|_| before.ends_with(char::is_whitespace)) else {
            return false;
        };
        let start = rest.len();
        let spaced = rest.trim_end();
        let keyword = match spaced.strip_suffix(AWAIT) {
            Some(_) if spaced.len() < start => Keyword::AwaitUsing,
            Some(_) | None => Keyword::Using,
        };
        let head = match keyword {
            Keyword::AwaitUsing => spaced.strip_suffix(AWAIT).unwrap_or(spaced).trim_end(),
            Keyword::Using => spaced,
        };
        let is_loop = head.strip_suffix('(').is_some_and(|head| head.trim_end().ends_with("for"));
        if !is_loop || self.keywords.len() >= MAX_LOOPS {
            return false;
        }
        let mut text = self.text(source).to_owned();
        text.replace_range(start..start + USING.len(), CONST);
        if keyword == Keyword::AwaitUsing {
            text.replace_range(spaced.len() - AWAIT.len()..spaced.len(), "     ");
        }
        self.text = Some(text);
        let place = FIRST_POS.0.saturating_add(u32::try_from(start).unwrap_or(u32::MAX));
        self.keywords.insert(BytePos(place), keyword);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::{ForUsing, Keyword};
    use crate::positions::source_index::FIRST_POS;
    use swc_core::common::BytePos;

    #[test]
    fn the_keyword_before_the_name_is_replaced() {
        for (source, name, expected) in [
            ("for (using x = a;;) {}", "x", Some(("for (const x = a;;) {}", Keyword::Using))),
            ("for(\n using /**/ x;;) {}", "x", None),
            ("for ( await  using x = a;;) {}", "x", Some(("for (        const x = a;;) {}", Keyword::AwaitUsing))),
            ("if (using x) {}", "x", None),
            ("for (musing x;;) {}", "x", None),
            ("for (let y;;) {}", "y", None),
        ] {
            let mut loops = ForUsing::default();
            let at = BytePos(u32::try_from(source.rfind(name).unwrap()).unwrap() + FIRST_POS.0);
            let replaced = loops
                .replace(source, at)
                .then(|| (loops.text(source).to_owned(), loops.keywords.values().next().copied()));
            assert_eq!(replaced, expected.map(|(text, keyword)| (text.to_owned(), Some(keyword))), "{source}");
        }
    }
}
