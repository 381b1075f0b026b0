//! What a source may ask of the compiler, judged before any of it is parsed.
//!
//! The judgement reads bytes, not syntax: nothing that a lexer could be talked into (a quote that is really part of a regular
//! expression, say) changes it. Every character that can take the parser or a transform one level deeper is charged with the
//! stack that such a level costs at most, as if all of them were nested in each other. Ordinary code is mostly flat, so the
//! charge is far above what it uses; but stack that is not touched costs nothing.

use crate::diagnostics::compile_error::CompileError;

/// Longest source that is compiled.
pub const MAX_SOURCE_BYTES: usize = 1 << 20;

/// Largest stack that a compile gets: address space, of which only what is used becomes memory.
const MAX_STACK: usize = 1 << 30;

/// `else` anywhere in a source: swc walks a chain of them from its start for each.
const MAX_ELSES: usize = 10_000;

/// Labels of one statement, `a: b: c: …`; swc compares each with all before it.
const MAX_LABELS: usize = 200;

/// For what does not depend on the source.
const BASE_STACK: usize = 1 << 20;

/// The stack that reading this source can need at most, in bytes.
pub(crate) fn stack_for(path: &str, source: &str) -> Result<usize, CompileError> {
    if source.len() > MAX_SOURCE_BYTES {
        return Err(CompileError::TooLarge { path: path.to_owned(), bytes: source.len(), limit: MAX_SOURCE_BYTES });
    }
    let too_dense = || CompileError::TooDense { path: path.to_owned() };
    if source.matches("else").count() > MAX_ELSES || longest_row_of_labels(source) > MAX_LABELS {
        return Err(too_dense());
    }
    let mut stack = BASE_STACK;
    let mut word = 0;
    for byte in source.bytes() {
        if is_word(byte) {
            word += 1;
            continue;
        }
        stack += word_cost(word) + byte_cost(byte);
        word = 0;
    }
    stack += word_cost(word);
    if stack > MAX_STACK { Err(too_dense()) } else { Ok(stack) }
}

/// Counts single words with a colon, one after the other. Comments between them hide the rest from it; the clock of
/// [`super::parse_meter`] does not care.
fn longest_row_of_labels(source: &str) -> usize {
    let (mut longest, mut row) = (0, 0);
    for part in source.split(':') {
        let is_label = !part.trim().is_empty() && part.trim().bytes().all(is_word);
        row = if is_label { row + 1 } else { 0 };
        longest = longest.max(row);
    }
    longest
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'\\') || !byte.is_ascii()
}

/// Two letters are `do`, `if`, `in`, `as`; more are `new`, `else`, `typeof`, `keyof`; one nests nothing by itself.
fn word_cost(length: usize) -> usize {
    match length {
        0 | 1 => 0,
        2 => 2048,
        _ => 1024,
    }
}

fn byte_cost(byte: u8) -> usize {
    match byte {
        b'(' | b'[' | b'{' | b'<' => 6144,
        b')' | b']' | b'}' | b',' | b';' | b'"' | b'\'' | b' ' | b'\t' | b'\n' | b'\r' => 0,
        _ => 2048,
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_ELSES, MAX_LABELS, MAX_SOURCE_BYTES, MAX_STACK, stack_for};
    use crate::CompileError;

    #[test]
    fn the_size_is_limited_to_the_byte() {
        assert!(stack_for("a.ts", &" ".repeat(MAX_SOURCE_BYTES)).is_ok());
        let refused = stack_for("a.ts", &" ".repeat(MAX_SOURCE_BYTES + 1));
        assert!(matches!(refused, Err(CompileError::TooLarge { bytes, .. }) if bytes == MAX_SOURCE_BYTES + 1));
    }

    #[test]
    fn every_level_is_charged_wherever_it_stands() {
        let plain = stack_for("a.ts", "").unwrap();
        for text in ["(", "'('", "/(/", "//(", "`(`"] {
            assert!(stack_for("a.ts", text).unwrap() >= plain + 4096, "{text}");
        }
        assert!(matches!(stack_for("a.ts", &"(".repeat(MAX_SOURCE_BYTES)), Err(CompileError::TooDense { .. })));
    }

    #[test]
    fn a_chain_of_alternatives_has_an_end() {
        let chain = |links: usize| stack_for("a.ts", &"if(a);else ".repeat(links));
        assert!(chain(MAX_ELSES).is_ok());
        assert!(matches!(chain(MAX_ELSES + 1), Err(CompileError::TooDense { .. })));
    }

    #[test]
    fn a_row_of_labels_has_an_end_and_cases_are_none() {
        assert!(stack_for("a.ts", &"a: ".repeat(MAX_LABELS)).is_ok());
        assert!(matches!(stack_for("a.ts", &"a: ".repeat(MAX_LABELS + 1)), Err(CompileError::TooDense { .. })));
        let cases = "case A:\n".repeat(MAX_LABELS * 2);
        assert!(stack_for("a.ts", &format!("switch (a) {{ {cases} }}")).is_ok());
    }

    #[test]
    fn ordinary_code_of_the_largest_size_is_not_too_dense() {
        let line = "  const total = items.filter((item) => item.price > limit).map((item) => item.price * 2)[0];\n";
        let stack = stack_for("a.ts", &line.repeat(MAX_SOURCE_BYTES / line.len())).unwrap();
        assert!(stack < MAX_STACK);
    }
}
