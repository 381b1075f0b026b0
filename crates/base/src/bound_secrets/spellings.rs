//! A value in all the ways in which it may come back.

use super::decoded::{layers, places, plain};
use regex::bytes::{NoExpand, Regex, RegexBuilder};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

/// A long value is a long pattern.
const PATTERN_BYTES: usize = 64 << 20;
/// What its search may keep.
const SEARCH_BYTES: usize = 16 << 20;
/// Nobody quotes the letters and digits of a longer value, and looking for that would make the pattern many times as long.
const MOST_QUOTED_WHOLE: usize = 256;

/// What is left of a value without its escapes is found by chance where it is shorter.
const FEWEST_BYTES: usize = 4;

/// Finds a value in any spelling that answers have it in: as it is, in JSON, in JSON in JSON (each quotes with more backslashes),
/// in a URL (which may quote what it need not, and a form a space as `+`), in HTML, in Latin-1 or UTF-16, or in several of these at
/// once.
#[derive(Clone)]
pub struct Spellings {
    text: Regex,
    /// It in a text whose escapes are taken off, and its length there at most.
    decoded: Regex,
    longest: usize,
    /// The same in large or small letters.
    in_name: Regex,
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
        let forms = forms(value);
        let longest = forms.iter().map(Vec::len).max()?;
        let pattern = forms.iter().map(|form| literal(form)).collect::<Vec<_>>().join("|");
        let mut builder = RegexBuilder::new(&format!("(?-u){pattern}"));
        builder.size_limit(PATTERN_BYTES).dfa_size_limit(SEARCH_BYTES);
        let decoded = builder.build().ok()?;
        let in_name = builder.case_insensitive(true).build().ok()?;
        Some(Self { text, decoded, in_name, longest, numbers: numbers(value) })
    }

    /// `text` with `by` in place of the value.
    #[must_use]
    pub fn replaced<'t>(&self, text: &'t [u8], by: &str) -> Cow<'t, [u8]> {
        replaced_all(text, [(self, by)].as_slice())
    }

    fn replaced_decoded(&self, text: &[u8], by: &str) -> Vec<u8> {
        let mut covered = Covered::default();
        let mut cover = |place| covered.cover(place, text.len());
        self.decoded.find_iter(text).for_each(|found| cover(found.range()));
        places(text, &self.decoded, self.longest, &mut cover);
        covered.replaced(text, by)
    }

    /// Whether the value is in the name of a header, which keeps no large letters.
    #[must_use]
    pub fn is_in_name(&self, name: &str) -> bool {
        let mut is_in = self.in_name.is_match(name.as_bytes());
        places(name.as_bytes(), &self.in_name, self.longest, &mut |_| is_in = true);
        is_in
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

/// `text` with the text beside each value in its place.
pub(super) fn replaced_all<'t>(text: &'t [u8], values: &[(&Spellings, &str)]) -> Cow<'t, [u8]> {
    let mut clean = Cow::Borrowed(text);
    for (value, by) in values {
        if let Cow::Owned(next) = value.text.replace_all(&clean, NoExpand(by.as_bytes())) {
            clean = Cow::Owned(next);
        }
    }
    // The layers of a text are the same for all values, and have none of them as a rule.
    let mut found: Vec<bool> = values.iter().map(|(value, _)| value.decoded.is_match(&clean)).collect();
    let longest = values.iter().map(|(value, _)| value.longest).max().unwrap_or_default();
    layers(&clean, longest, &mut |layer| {
        for (found, (value, _)) in found.iter_mut().zip(values) {
            *found = *found || value.decoded.is_match(layer);
        }
    });
    for ((value, by), _) in values.iter().zip(found).filter(|(_, found)| *found) {
        clean = Cow::Owned(value.replaced_decoded(&clean, by));
    }
    clean
}

/// What of a text is replaced, byte by byte; empty where nothing is.
#[derive(Default)]
struct Covered(Vec<Cover>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Cover {
    Kept,
    Begins,
    GoesOn,
}

impl Covered {
    fn cover(&mut self, place: Range<usize>, length: usize) {
        self.0.resize(length, Cover::Kept);
        let mut cover = Cover::Begins;
        for byte in self.0.get_mut(place).unwrap_or_default() {
            if *byte == Cover::Kept {
                *byte = cover;
            }
            cover = Cover::GoesOn;
        }
    }

    /// `put` is as wide as what it replaces: it has zeros between its characters where that has some.
    fn replaced(&self, text: &[u8], put: &str) -> Vec<u8> {
        if self.0.is_empty() {
            return text.to_vec();
        }
        let mut clean = Vec::with_capacity(text.len());
        for (at, (byte, cover)) in text.iter().zip(&self.0).enumerate() {
            match cover {
                Cover::Kept => clean.push(*byte),
                Cover::Begins => {
                    let is_wide = text.get(at + 1) == Some(&0);
                    for (place, put) in put.bytes().enumerate() {
                        if is_wide && place > 0 {
                            clean.push(0);
                        }
                        clean.push(put);
                    }
                }
                Cover::GoesOn => {}
            }
        }
        clean
    }
}

/// The bytes of a value where its text has no escapes: in UTF-8, in Latin-1, and in UTF-16 without its zeros.
fn forms(value: &str) -> Vec<Vec<u8>> {
    let units = |bytes: fn(u16) -> [u8; 2]| value.encode_utf16().flat_map(bytes).filter(|byte| *byte != 0).collect();
    let mut forms: Vec<Vec<u8>> = vec![value.as_bytes().to_vec(), units(u16::to_le_bytes), units(u16::to_be_bytes)];
    let without_escapes: Vec<_> = forms.iter().map(|form| plain(form)).collect();
    forms.extend(without_escapes.into_iter().filter(|form| form.len() >= FEWEST_BYTES));
    // Most are the same.
    forms.dedup();
    forms
}

fn written_char(c: char) -> String {
    let plain = literal(c.encode_utf8(&mut [0; 4]).as_bytes());
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

fn literal(text: &[u8]) -> String {
    text.iter().fold(String::new(), |mut pattern, byte| {
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

    #[test]
    fn it_is_found_behind_any_escapes_of_a_text() {
        let value = "s3cr3t/kéy+Ün9 \"%41\\";
        let found = Spellings::of(value).unwrap();
        let numeric = |hex: bool| -> String {
            value
                .chars()
                .map(|c| if hex { format!("&#x{:X};", u32::from(c)) } else { format!("&#{}", u32::from(c)) })
                .collect()
        };
        let twice = numeric(true).replace('&', "&amp;");
        let json = serde_json::Value::from(twice.clone()).to_string();
        let percent: String = numeric(false).bytes().map(|byte| format!("%{byte:02x}")).collect();
        let named = "s3cr3t&sol;k&eacute;y&plus;&Uuml;n9&#32;&quot;&percnt;41&bsol;";
        let latin: Vec<u8> = value.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
        let wide: Vec<u8> = value.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let wide_html: Vec<u8> = numeric(true).encode_utf16().flat_map(u16::to_be_bytes).collect();
        for written in [numeric(true), numeric(false), twice, json, percent, named.to_owned(), value.to_owned()] {
            let text = format!("<b>{written} and {written}</b>");
            let clean = String::from_utf8(found.replaced(text.as_bytes(), "X").into_owned()).unwrap();
            let clean = clean.replace("\"X\"", "X");
            assert_eq!(clean, "<b>X and X</b>", "{written}");
        }
        assert_eq!(&*found.replaced(&latin, "X"), b"X");
        assert_eq!(&*found.replaced(&wide, "XY"), b"X\0Y\0");
        assert_eq!(&*found.replaced(&wide_html, "XY"), b"\0X\0Y");
        let other = b"s3cr3t&sol;k&eacute;y &amp; &#x110000; &#; &nothing; %zz \\u12 \\ud800 \0";
        assert!(matches!(found.replaced(other, "X"), std::borrow::Cow::Borrowed(_)));
    }

    #[test]
    fn it_is_found_across_the_edges_of_what_is_decoded_at_once() {
        let found = Spellings::of("Abcdefgh12345").unwrap();
        let written: String = "Abcdefgh12345".chars().map(|c| format!("&amp;#{};", u32::from(c))).collect();
        for before in [-90, -1, 0, 1].map(|more: isize| (256_usize << 10).strict_add_signed(more)) {
            let text = format!("{}{written}.", "x".repeat(before));
            let clean = found.replaced(text.as_bytes(), "X");
            assert_eq!((clean.len(), clean.ends_with(b"xX.")), (before + 2, true), "{before}");
        }
        assert!(found.is_in_name("x-abcdefgh12345") && found.is_in_name("x-%41bcdefgh12345"));
        assert!(!found.is_in_name("x-abcdefgh"));
    }
}
