//! Parser for diffs as models write them: SEARCH/REPLACE blocks or a unified diff.

use super::bad_diff::BadDiff;
use super::text_edit::Hunk;
use super::unified_diff::parse_unified;

/// The changes of a diff, in order, with `\n` line ends.
pub fn parse_diff(diff: &str) -> Result<Vec<Hunk<'_>>, BadDiff> {
    let lines: Vec<&str> = diff.lines().map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    let hunks = if lines.iter().any(|line| is_search(line)) {
        parse_blocks(&lines)?
    } else if lines.iter().any(|line| line.starts_with("@@")) {
        parse_unified(&lines)?
    } else if diff.trim().is_empty() {
        return Err(BadDiff::Empty);
    } else {
        return Err(BadDiff::Unknown);
    };
    if hunks.is_empty() { Err(BadDiff::Empty) } else { Ok(hunks) }
}

fn is_marker(line: &str, sign: char, word: &str) -> bool {
    let rest = line.trim_start_matches(sign);
    line.len() - rest.len() >= 5 && (rest.trim() == word || (word == "=" && rest.trim().is_empty()))
}

fn is_search(line: &str) -> bool {
    is_marker(line, '<', "SEARCH")
}

/// The optional header of a block, as some models write it: `:start_line:12`, `:end_line:14`, `-------`.
#[derive(Default)]
struct BlockHead {
    start_line: Option<usize>,
    is_there: bool,
    is_over: bool,
}

impl BlockHead {
    /// Whether a line belongs to the header and not to the old lines.
    fn takes(&mut self, line: &str) -> bool {
        if self.is_over {
            return false;
        }
        let number = |key: &str| line.trim().strip_prefix(key)?.trim().parse::<usize>().ok();
        if let Some(start) = number(":start_line:") {
            self.start_line = Some(start);
        } else if number(":end_line:").is_none() {
            self.is_over = true;
            return self.is_there && is_marker(line, '-', "");
        }
        self.is_there = true;
        true
    }
}

fn parse_blocks<'d>(lines: &[&'d str]) -> Result<Vec<Hunk<'d>>, BadDiff> {
    enum In {
        Nothing,
        Search,
        Replace,
    }
    let mut hunks = Vec::new();
    let (mut search, mut replace, mut state): (Vec<&str>, Vec<&str>, In) = (Vec::new(), Vec::new(), In::Nothing);
    let mut head = BlockHead::default();
    for &line in lines {
        let block = hunks.len() + 1;
        state = match state {
            In::Nothing if is_search(line) => In::Search,
            // Ignores code fences and remarks between blocks.
            In::Nothing => In::Nothing,
            In::Search if is_marker(line, '=', "=") => In::Replace,
            In::Search if is_search(line) => return Err(BadDiff::Unclosed { block }),
            In::Search if head.takes(line) => In::Search,
            In::Search => {
                search.push(line);
                In::Search
            }
            In::Replace if is_marker(line, '>', "REPLACE") => {
                if search.iter().all(|line| line.trim().is_empty()) {
                    return Err(BadDiff::EmptySearch { block });
                }
                hunks.push(Hunk {
                    search: std::mem::take(&mut search),
                    replace: std::mem::take(&mut replace),
                    expected_line: std::mem::take(&mut head).start_line.map(|line| line.saturating_sub(1)),
                });
                In::Nothing
            }
            In::Replace if is_search(line) => return Err(BadDiff::Unclosed { block }),
            In::Replace => {
                replace.push(line);
                In::Replace
            }
        };
    }
    match state {
        In::Nothing => Ok(hunks),
        In::Search | In::Replace => Err(BadDiff::Unclosed { block: hunks.len() + 1 }),
    }
}

#[cfg(test)]
mod tests {
    use super::{BadDiff, parse_diff};

    #[test]
    fn blocks_and_hunks_are_parsed() {
        let blocks = "Here:\n```\n<<<<<<< SEARCH\na\nb\n=======\nc\n>>>>>>> REPLACE\n```\n<<<<<<< SEARCH\r\nd\r\n=======\r\n>>>>>>> REPLACE\r\n";
        let hunks = parse_diff(blocks).unwrap();
        assert_eq!(hunks.len(), 2);
        assert_eq!((hunks[0].search.join("|"), hunks[0].replace.join("|")), ("a|b".to_owned(), "c".to_owned()));
        assert_eq!((hunks[1].search.join("|"), hunks[1].replace.len()), ("d".to_owned(), 0));
        let unified = "--- a/x.ts\n+++ b/x.ts\n@@ -3,3 +3,3 @@ function f\n a\n-b\n+c\n\n d\n\\ No newline at end of file\n@@ -9 +9 @@\n-z\n+y\n";
        let hunks = parse_diff(unified).unwrap();
        assert_eq!(
            (hunks[0].search.join("|"), hunks[0].replace.join("|"), hunks[0].expected_line),
            ("a|b||d".to_owned(), "a|c||d".to_owned(), Some(2))
        );
        assert_eq!(hunks[1].expected_line, Some(8));
    }

    #[test]
    fn a_block_may_have_line_numbers() {
        let text = "<<<<<<< SEARCH\n:start_line:7\n:end_line:8\n-------\na\n-------\n=======\nb\n>>>>>>> REPLACE\n<<<<<<< SEARCH\n-------\n=======\n:start_line:1\n>>>>>>> REPLACE\n";
        let hunks = parse_diff(text).unwrap();
        assert_eq!((hunks[0].search.join("|"), hunks[0].expected_line), ("a|-------".to_owned(), Some(6)));
        assert_eq!((hunks[1].search.join("|"), hunks[1].expected_line), ("-------".to_owned(), None));
        assert_eq!(hunks[1].replace.join("|"), ":start_line:1");
    }

    #[test]
    fn invalid_diffs_are_refused() {
        for (text, expected) in [
            ("", BadDiff::Empty),
            ("hello", BadDiff::Unknown),
            ("<<<<<<< SEARCH\na\n", BadDiff::Unclosed { block: 1 }),
            ("<<<<<<< SEARCH\na\n=======\nb\n", BadDiff::Unclosed { block: 1 }),
            ("<<<<<<< SEARCH\n=======\nb\n>>>>>>> REPLACE", BadDiff::EmptySearch { block: 1 }),
            ("--- a\n+++ a\n@@ -1 +1 @@\n-a\n+b\n--- c\n+++ c\n@@ -1 +1 @@\n-a\n+b\n", BadDiff::SeveralFiles),
            ("@@ -1 +1 @@\n a\n", BadDiff::Empty),
        ] {
            assert_eq!(parse_diff(text), Err(expected), "{text}");
        }
    }
}
