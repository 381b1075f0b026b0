//! The canonical text of plain JSON, without a tree of its values. Most events hold nothing else.

use std::ops::Range;

/// Deeper values are not plain.
const MAX_DEPTH: usize = 16;

/// Digits that a double holds exactly: a decimal of so many is the shortest one of its double.
const MAX_DIGITS: usize = 15;

/// JavaScript writes smaller numbers with an exponent.
const MAX_ZEROS: usize = 5;

/// A member of an object: its name, and where name and value are in the canonical text.
pub type Member<'a> = (&'a str, Range<usize>);

/// Appends the canonical text of valid JSON. `None` if it is not plain: if it has escapes, names that are not ASCII or that
/// occur twice, other numbers than short decimals, or deep values. Then a part of it may have been appended.
pub fn append_plain(json: &str, text: &mut String) -> Option<()> {
    let mut reader = Reader { json, at: 0 };
    reader.value(text, 0)?;
    reader.skip_space();
    (reader.at == json.len()).then_some(())
}

/// Appends the canonical text of a string without escapes; `None` if it needs some.
pub fn append_plain_string(string: &str, text: &mut String) -> Option<()> {
    if !string.bytes().all(is_plain) {
        return None;
    }
    text.push('"');
    text.push_str(string);
    text.push('"');
    Some(())
}

const fn is_plain(byte: u8) -> bool {
    byte >= b' ' && byte != b'"' && byte != b'\\'
}

struct Reader<'a> {
    json: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.json.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    /// Reads this byte, after white space.
    fn take(&mut self, byte: u8) -> Option<()> {
        self.skip_space();
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// The next characters that pass.
    fn run(&mut self, is_part: impl Fn(u8) -> bool) -> Option<&'a str> {
        let rest = self.json.as_bytes().get(self.at..)?;
        let len = rest.iter().position(|byte| !is_part(*byte)).unwrap_or(rest.len());
        let run = self.json.get(self.at..self.at + len)?;
        self.at += len;
        Some(run)
    }

    fn string(&mut self) -> Option<&'a str> {
        self.take(b'"')?;
        let string = self.run(is_plain)?;
        (self.peek()? == b'"').then(|| self.at += 1)?;
        Some(string)
    }

    fn value(&mut self, text: &mut String, depth: usize) -> Option<()> {
        self.skip_space();
        match self.peek()? {
            b'"' => append_plain_string(self.string()?, text)?,
            b'{' if depth < MAX_DEPTH => self.object(text, depth)?,
            b'[' if depth < MAX_DEPTH => self.array(text, depth)?,
            b'-' | b'0'..=b'9' => {
                let number = self.run(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'))?;
                is_plain_number(number).then(|| text.push_str(number))?;
            }
            b't' | b'f' | b'n' => {
                let word = self.run(|byte| byte.is_ascii_lowercase())?;
                matches!(word, "true" | "false" | "null").then(|| text.push_str(word))?;
            }
            _ => return None,
        }
        Some(())
    }

    fn array(&mut self, text: &mut String, depth: usize) -> Option<()> {
        self.take(b'[')?;
        text.push('[');
        let mut is_first = true;
        while self.take(b']').is_none() {
            if !is_first {
                self.take(b',')?;
                text.push(',');
            }
            is_first = false;
            self.value(text, depth + 1)?;
        }
        text.push(']');
        Some(())
    }

    fn object(&mut self, text: &mut String, depth: usize) -> Option<()> {
        self.take(b'{')?;
        text.push('{');
        let start = text.len();
        let mut members: Vec<Member<'a>> = Vec::new();
        while self.take(b'}').is_none() {
            if !members.is_empty() {
                self.take(b',')?;
                text.push(',');
            }
            self.skip_space();
            let name = self.string()?;
            self.take(b':')?;
            let from = text.len();
            append_plain_string(name, text)?;
            text.push(':');
            self.value(text, depth + 1)?;
            members.push((name, from..text.len()));
        }
        sort_members(text, start, &mut members)?;
        text.push('}');
        Some(())
    }
}

/// Sorts the members of an object, which are the text from `start` on, with commas between them. `None` if a name is not
/// ASCII, as names are sorted by UTF-16 units, or occurs twice.
pub fn sort_members(text: &mut String, start: usize, members: &mut [Member<'_>]) -> Option<()> {
    let is_sorted = |members: &[Member<'_>]| members.is_sorted_by(|(one, _), (other, _)| one < other);
    if !members.iter().all(|(name, _)| name.is_ascii()) {
        return None;
    }
    if is_sorted(members) {
        return Some(());
    }
    members.sort_unstable_by_key(|(name, _)| *name);
    let unsorted = text.split_off(start);
    for (place, (_, range)) in members.iter_mut().enumerate() {
        if place > 0 {
            text.push(',');
        }
        let from = text.len();
        text.push_str(unsorted.get(range.start - start..range.end - start)?);
        *range = from..text.len();
    }
    is_sorted(members).then_some(())
}

/// Whether JavaScript writes the number as it is here: an integer or a decimal of few digits, without needless zeros.
fn is_plain_number(number: &str) -> bool {
    let digits = number.strip_prefix('-').unwrap_or(number);
    let (whole, fraction) = digits.split_once('.').map_or((digits, None), |(whole, fraction)| (whole, Some(fraction)));
    let is_short = whole.len() + fraction.map_or(0, str::len) <= MAX_DIGITS;
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_whole = are_digits(whole) && (whole == "0" || !whole.starts_with('0'));
    is_short
        && is_whole
        && match fraction {
            None => number != "-0",
            Some(fraction) => {
                let zeros = fraction.len() - fraction.trim_start_matches('0').len();
                are_digits(fraction) && !fraction.ends_with('0') && (whole != "0" || zeros <= MAX_ZEROS)
            }
        }
}

#[cfg(test)]
mod tests {
    use super::append_plain;
    use crate::event::canonical::{canonical, foreign_value};

    fn plain(json: &str) -> Option<String> {
        let mut text = String::new();
        append_plain(json, &mut text).map(|()| text)
    }

    #[test]
    fn plain_values_have_the_same_text_as_by_the_tree() {
        for json in [
            "null",
            " true ",
            "\"ü €\u{1f600}\u{7f}\"",
            "0",
            "-7",
            "123456789012345",
            "0.21",
            "-12.000001",
            "0.0000012",
            "99999999999999.9",
            r#"{"b":1,"a":{"z":[],"y":[1,{"x":null,"w":{}}]},"":false,"B":"x"}"#,
            " { \"a\" : [ 1 , 2.5 ,\t\"x\" ] ,\r\n \"A\" : { } } ",
            "[]",
        ] {
            let text = plain(json);
            assert_eq!(text, Some(canonical(&foreign_value(json).unwrap())), "{json}");
        }
    }

    #[test]
    fn other_values_are_left_to_the_tree() {
        let deep = format!("{}{}", "[".repeat(40), "]".repeat(40));
        for json in [
            r#""a\nb""#,
            r#""\ud800""#,
            r#"{"a":1,"a":2}"#,
            r#"{"é":1}"#,
            r#"{"a\u0062":1}"#,
            "1.0",
            "1.50",
            "-0",
            "-0.0",
            "1e3",
            "1E-7",
            "0.0000001",
            "1234567890123456",
            "9007199254740993",
            "0.1234567890123456",
            &deep,
            "",
            "{",
            "[1",
            "nul",
            "1 2",
            "[1 2]",
            "[,]",
            "{\"a\" 1}",
            "\"a",
        ] {
            assert_eq!(plain(json), None, "{json}");
        }
    }

    #[test]
    fn whatever_is_plain_has_the_text_of_the_tree() {
        let mut dice = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = |sides: u64| {
            dice ^= dice << 13;
            dice ^= dice >> 7;
            dice ^= dice << 17;
            dice % sides
        };
        let parts = [
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"a\"",
            "\"b\":",
            "\"c\":1",
            "0",
            "1",
            ".",
            "5",
            "-",
            "e",
            "true",
            "null",
            " ",
            "\"",
            "\\",
            "00",
            "{\"b\":2,\"a\":1}",
            "[1,2]",
            "\n",
            "ü",
        ];
        let mut plain_ones = 0;
        for _ in 0..200_000 {
            let json: String =
                (0..=next(5)).map(|_| parts[usize::try_from(next(parts.len() as u64)).unwrap()]).collect();
            let (Some(text), Ok(_)) = (plain(&json), serde_json::from_str::<serde::de::IgnoredAny>(&json)) else {
                continue;
            };
            plain_ones += 1;
            assert_eq!(text, canonical(&foreign_value(&json).unwrap()), "{json}");
        }
        assert!(plain_ones > 1000, "{plain_ones}");
    }
}
