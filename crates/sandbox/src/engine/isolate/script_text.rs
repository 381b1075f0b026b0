//! The text of a script for the snapshot, which keeps it: without comments, which only readers and the type checker need.

/// What the text is part of, at one position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Code, with the number of open braces since the template literal around it began.
    Code(usize),
    /// A string, until this quote.
    Text(char),
    Template,
}

/// The script without comments, and without the space before them. Line breaks stay, so that lines keep their numbers. The script has
/// no regular expressions, and no line terminators but `\n` (`__test__/helpers/guest_script_rules.js`). A test compares the syntax
/// trees (`__test__/sandbox/snapshot_scripts.test.js`).
pub fn without_comments(script: &str) -> String {
    let mut out = String::with_capacity(script.len());
    let mut around = Vec::new();
    let mut part = Part::Code(0);
    let mut rest = script.chars();
    while let Some(letter) = rest.next() {
        let next = rest.clone().next();
        match (part, letter, next) {
            (Part::Code(_), '/', Some('/')) => {
                drop_space(&mut out);
                let length = rest.as_str().find('\n').unwrap_or(rest.as_str().len());
                rest = after(&rest, length);
                continue;
            }
            (Part::Code(_), '/', Some('*')) => {
                drop_space(&mut out);
                // The star that begins the comment does not end it.
                let inner = rest.as_str().get(1..).unwrap_or_default();
                let length = inner.find("*/").map_or(rest.as_str().len(), |at| at + 3);
                out.extend(rest.as_str().get(..length).unwrap_or_default().chars().filter(|letter| *letter == '\n'));
                rest = after(&rest, length);
                // Tokens that the comment kept apart.
                if !rest.as_str().starts_with([' ', '\n']) {
                    out.push(' ');
                }
                continue;
            }
            (Part::Code(_), '\'' | '"', _) => enter(&mut around, &mut part, Part::Text(letter)),
            (Part::Code(_), '`', _) => enter(&mut around, &mut part, Part::Template),
            (Part::Code(open), '{', _) => part = Part::Code(open + 1),
            (Part::Code(0), '}', _) => part = around.pop().unwrap_or(Part::Code(0)),
            (Part::Code(open), '}', _) => part = Part::Code(open.saturating_sub(1)),
            (Part::Text(quote), _, _) if letter == quote => part = around.pop().unwrap_or(Part::Code(0)),
            (Part::Template, '`', _) => part = around.pop().unwrap_or(Part::Code(0)),
            (Part::Template, '$', Some('{')) => {
                out.push(letter);
                out.extend(rest.next());
                enter(&mut around, &mut part, Part::Code(0));
                continue;
            }
            (Part::Text(_) | Part::Template, '\\', Some(_)) => {
                out.push(letter);
                out.extend(rest.next());
                continue;
            }
            (Part::Code(_) | Part::Text(_) | Part::Template, _, _) => {}
        }
        out.push(letter);
    }
    out
}

fn enter(around: &mut Vec<Part>, part: &mut Part, inner: Part) {
    around.push(*part);
    *part = inner;
}

fn drop_space(out: &mut String) {
    out.truncate(out.trim_end_matches(' ').len());
}

fn after<'a>(rest: &std::str::Chars<'a>, length: usize) -> std::str::Chars<'a> {
    rest.as_str().get(length..).unwrap_or_default().chars()
}

#[cfg(test)]
mod tests {
    use super::without_comments;
    use crate::engine::isolate::bootstrap_scripts::{BOOTSTRAP, ENTRY, LAZY};

    #[test]
    fn comments_are_removed_and_strings_kept() {
        for (script, expected) in [
            ("a; // b\nc;", "a;\nc;"),
            ("// b", ""),
            ("a(/** @type {B} */ c);", "a( c);"),
            ("a;\n  /* b\n b */\nc;", "a;\n\n\nc;"),
            ("a/* b */c;", "a c;"),
            ("/*/ a; // */ b;", " b;"),
            ("a /*/ b */ c", "a c"),
            ("a/**/b /***/ c", "a b c"),
            ("a /*/", "a "),
            ("'// a' + \"/* b */\";", "'// a' + \"/* b */\";"),
            ("'it\\'s // a';", "'it\\'s // a';"),
            ("`// a ${b /* c */} // d`;", "`// a ${b } // d`;"),
            ("`${ { a: `}` } } // b`; // c", "`${ { a: `}` } } // b`;"),
            ("`\\${ // a`; // b", "`\\${ // a`;"),
            ("a / b; // c", "a / b;"),
        ] {
            assert_eq!(without_comments(script), expected, "{script}");
        }
    }

    #[test]
    fn scripts_keep_their_lines() {
        let lazy = LAZY.iter().flat_map(|stage| stage.scripts).copied();
        for script in BOOTSTRAP.into_iter().chain([ENTRY]).chain(lazy) {
            let text = without_comments(script);
            assert_eq!(text.lines().count(), script.lines().count());
            assert!(text.len() < script.len() && !text.contains("/**") && !text.contains("\n  // "));
        }
    }
}
