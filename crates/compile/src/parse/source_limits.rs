//! Limits on a source, checked before it is parsed, and the stack that parsing it needs.
//!
//! The check reads bytes, not syntax, so text that would mislead a lexer (such as a quote inside a regular expression) cannot
//! bypass it. Every character that can take the parser or a transform one level deeper is charged with the maximum stack of
//! such a level, as if all of them were nested in each other. Ordinary code is mostly flat, so the estimate is far too high;
//! but unused stack costs nothing.

use crate::diagnostics::compile_error::CompileError;

/// Maximum size of a source.
pub const MAX_SOURCE_BYTES: usize = 1 << 20;

/// Maximum stack of a compile. It is address space: only the part that is used becomes memory.
const MAX_STACK: usize = 1 << 30;

/// Maximum number of `else` in a source: swc walks a chain from its start for each link.
const MAX_ELSES: usize = 10_000;

/// Maximum number of labels of one statement, `a: b: c: …`: swc compares each with all previous ones.
const MAX_LABELS: usize = 200;

/// Stack that every compile needs.
const BASE_STACK: usize = 1 << 20;

/// Upper bound of the stack for this source, in bytes; an error if the source exceeds a limit.
pub(crate) fn stack_for(path: &str, source: &str) -> Result<usize, CompileError> {
    if source.len() > MAX_SOURCE_BYTES {
        return Err(CompileError::TooLarge { path: path.to_owned(), bytes: source.len(), limit: MAX_SOURCE_BYTES });
    }
    let too_dense = || CompileError::TooDense { path: path.to_owned() };
    if source.matches("else").count() > MAX_ELSES || longest_label_sequence(source) > MAX_LABELS {
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

/// The longest sequence of words followed by a colon. A comment between labels hides the rest of them; then the clock of
/// [`super::parse_meter`] ends the parse.
fn longest_label_sequence(source: &str) -> usize {
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

/// Cost of a word by its length: two letters may be `do`, `if`, `in` or `as`; more may be `new`, `else`, `typeof` or `keyof`; a
/// single letter cannot nest.
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
    fn the_size_limit_is_exact() {
        assert!(stack_for("a.ts", &" ".repeat(MAX_SOURCE_BYTES)).is_ok());
        let refused = stack_for("a.ts", &" ".repeat(MAX_SOURCE_BYTES + 1));
        assert!(matches!(refused, Err(CompileError::TooLarge { bytes, .. }) if bytes == MAX_SOURCE_BYTES + 1));
    }

    #[test]
    fn every_bracket_is_charged_in_any_context() {
        let plain = stack_for("a.ts", "").unwrap();
        for text in ["(", "'('", "/(/", "//(", "`(`"] {
            assert!(stack_for("a.ts", text).unwrap() >= plain + 4096, "{text}");
        }
        assert!(matches!(stack_for("a.ts", &"(".repeat(MAX_SOURCE_BYTES)), Err(CompileError::TooDense { .. })));
    }

    #[test]
    fn the_number_of_else_branches_is_limited() {
        let chain = |links: usize| stack_for("a.ts", &"if(a);else ".repeat(links));
        assert!(chain(MAX_ELSES).is_ok());
        assert!(matches!(chain(MAX_ELSES + 1), Err(CompileError::TooDense { .. })));
    }

    #[test]
    fn the_number_of_labels_is_limited_and_cases_do_not_count() {
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
