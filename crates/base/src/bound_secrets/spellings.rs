//! A value in all the ways in which it may come back.

use regex::bytes::{NoExpand, Regex, RegexBuilder};
use std::borrow::Cow;
use std::fmt::Write as _;

/// A long value is a long pattern.
const PATTERN_BYTES: usize = 64 << 20;
/// What its search may keep.
const SEARCH_BYTES: usize = 16 << 20;
/// Nobody quotes the letters and digits of a longer value, and looking for that would make the pattern many times as long.
const MOST_QUOTED_WHOLE: usize = 256;

/// Finds a value in any spelling that answers have it in: as it is, in JSON, in JSON in JSON (each quotes with more backslashes),
/// in a URL (which may quote what it need not, and a form a space as `+`), in HTML.
#[derive(Clone)]
pub struct Spellings {
    text: Regex,
    /// Its bytes as JSON lists them.
    numbers: String,
}

impl Spellings {
    /// Nothing for a value that is too long.
    #[must_use]
    pub fn of(value: &str) -> Option<Self> {
        let is_short = value.len() <= MOST_QUOTED_WHOLE;
        let is_plain = |c: char| c.is_ascii_alphanumeric() && !is_short;
        let pattern: String =
            value.chars().map(|c| if is_plain(c) { c.to_string() } else { written_char(c) }).collect();
        let mut builder = RegexBuilder::new(&format!("(?-u){pattern}"));
        let text = builder.size_limit(PATTERN_BYTES).dfa_size_limit(SEARCH_BYTES).build().ok()?;
        Some(Self { text, numbers: numbers(value) })
    }

    /// `text` with `by` in place of the value.
    #[must_use]
    pub fn replaced<'t>(&self, text: &'t [u8], by: &str) -> Cow<'t, [u8]> {
        self.text.replace_all(text, NoExpand(by.as_bytes()))
    }

    /// JSON with the bytes of `by` in place of a list of numbers that are the bytes of the value; nothing where there is none.
    #[must_use]
    pub fn replaced_numbers(&self, json: &str, by: &str) -> Option<String> {
        if !json.contains(&self.numbers) {
            return None;
        }
        let mut parts = json.split(&self.numbers);
        let mut clean = String::from(parts.next()?);
        for part in parts {
            let is_listed = clean.ends_with(['[', ',']) && part.starts_with([']', ',']);
            clean.push_str(&if is_listed { numbers(by) } else { self.numbers.clone() });
            clean.push_str(part);
        }
        Some(clean)
    }
}

fn written_char(c: char) -> String {
    let plain = literal(c.encode_utf8(&mut [0; 4]));
    let percent: String = c.encode_utf8(&mut [0; 4]).bytes().map(|byte| format!("%(?:25)*{byte:02x}")).collect();
    let unicode: String = c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!(r"\\+u{unit:04x}")).collect();
    if c.is_ascii_alphanumeric() {
        return format!("(?:{plain}|(?i:{percent}|{unicode}))");
    }
    let quoted = match c {
        '\\' => r"\\+".to_owned(),
        '"' | '/' => format!(r"\\*{c}"),
        '\n' => r"(?:\n|\\+n)".to_owned(),
        '\r' => r"(?:\r|\\+r)".to_owned(),
        '\t' => r"(?:\t|\\+t)".to_owned(),
        ' ' => r"[\x20+]".to_owned(),
        _ => plain,
    };
    let named = match c {
        '&' => "amp|",
        '<' => "lt|",
        '>' => "gt|",
        '"' => "quot|",
        '\'' => "apos|",
        _ => "",
    };
    let number = u32::from(c);
    format!(r"(?:{quoted}|(?i:{percent}|{unicode}|\\*&(?:{named}\x230*{number}|\x23x0*{number:x});))")
}

fn numbers(text: &str) -> String {
    text.bytes().map(|byte| byte.to_string()).collect::<Vec<_>>().join(",")
}

fn literal(text: &str) -> String {
    text.bytes().fold(String::new(), |mut pattern, byte| {
        // Writing to a String does not fail.
        let _ = write!(pattern, r"\x{byte:02x}");
        pattern
    })
}

#[cfg(test)]
mod tests {
    use super::Spellings;

    #[test]
    fn a_list_of_its_bytes_is_replaced_as_a_list() {
        let found = Spellings::of("abc").unwrap();
        let replaced = |json: &str| found.replaced_numbers(json, "x");
        assert_eq!(replaced("[97,98,99]").unwrap(), "[120]");
        assert_eq!(replaced("[60,97,98,99,62,97,98,99]").unwrap(), "[60,120,62,120]");
        assert_eq!(replaced("[197,98,99]").unwrap(), "[197,98,99]");
        assert_eq!(replaced("[97,98,990]").unwrap(), "[97,98,990]");
        assert!(replaced("[97,98]").is_none());
    }
}
