//! Finds a secret value in a text, in every encoding in which a server may return it.

use super::decoded::{layers, places, plain};
use regex::bytes::{NoExpand, Regex, RegexBuilder};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

/// Size limit of a compiled pattern: a long value makes a long pattern.
const PATTERN_BYTES: usize = 64 << 20;
/// Size limit of the regex engine's lazy DFA cache.
const SEARCH_BYTES: usize = 16 << 20;
/// Letters and digits of longer values are searched unescaped only: escaped forms of them would make the pattern many times
/// as long.
const MAX_FULLY_ESCAPED: usize = 256;

/// A decoded form shorter than this would match by chance.
const FEWEST_BYTES: usize = 4;

/// Finds a value in any encoding: as it is, in JSON, in nested JSON (more backslashes per level), in a URL (with needless
/// percent signs, or `+` for a space), in HTML, in Latin-1 or UTF-16, or in several of these at once.
#[derive(Clone)]
pub struct SecretMatcher {
    text: Regex,
    /// Matches the value in a decoded text.
    decoded: Regex,
    /// The longest match of `decoded`, in bytes.
    longest: usize,
    /// `decoded`, ignoring case.
    in_header_name: Regex,
    /// The bytes of the value as a JSON list without brackets.
    numbers: String,
}

impl SecretMatcher {
    /// `None` for a value that is too long for a pattern.
    #[must_use]
    pub fn new(value: &str) -> Option<Self> {
        let is_short = value.len() <= MAX_FULLY_ESCAPED;
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
        let in_header_name = builder.case_insensitive(true).build().ok()?;
        Some(Self { text, decoded, in_header_name, longest, numbers: numbers(value) })
    }

    /// `text` with `by` in place of the value.
    #[must_use]
    pub fn replace<'t>(&self, text: &'t [u8], by: &str) -> Cow<'t, [u8]> {
        replace_all(text, [(self, by)].as_slice())
    }

    fn replace_decoded(&self, text: &[u8], by: &str) -> Vec<u8> {
        let mut covered = Covered::default();
        let mut cover = |place| covered.cover(place, text.len());
        self.decoded.find_iter(text).for_each(|found| cover(found.range()));
        places(text, &self.decoded, self.longest, &mut cover);
        covered.replace(text, by)
    }

    /// Whether a header name contains the value, ignoring case.
    #[must_use]
    pub fn is_in_header_name(&self, name: &str) -> bool {
        let mut is_in = self.in_header_name.is_match(name.as_bytes());
        places(name.as_bytes(), &self.in_header_name, self.longest, &mut |_| is_in = true);
        is_in
    }

    /// `json` with every list of numbers that is the bytes of the value replaced by the bytes of `by`; `None` without such a
    /// list.
    #[must_use]
    pub fn replace_byte_lists(&self, json: &str, by: &str) -> Option<String> {
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

/// `text` with every occurrence of each value replaced by the text beside it.
pub(super) fn replace_all<'t>(text: &'t [u8], values: &[(&SecretMatcher, &str)]) -> Cow<'t, [u8]> {
    let mut clean = Cow::Borrowed(text);
    for (value, by) in values {
        if let Cow::Owned(next) = value.text.replace_all(&clean, NoExpand(by.as_bytes())) {
            clean = Cow::Owned(next);
        }
    }
    // Decoding is shared by all values; most texts contain none of them.
    let mut found: Vec<bool> = values.iter().map(|(value, _)| value.decoded.is_match(&clean)).collect();
    let longest = values.iter().map(|(value, _)| value.longest).max().unwrap_or_default();
    layers(&clean, longest, &mut |layer| {
        for (found, (value, _)) in found.iter_mut().zip(values) {
            *found = *found || value.decoded.is_match(layer);
        }
    });
    for ((value, by), _) in values.iter().zip(found).filter(|(_, found)| *found) {
        clean = Cow::Owned(value.replace_decoded(&clean, by));
    }
    clean
}

/// Which bytes of a text are replaced; empty when none is.
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

    /// Replaces covered ranges by `put`, with zero bytes between its characters where the range is UTF-16.
    fn replace(&self, text: &[u8], put: &str) -> Vec<u8> {
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

/// The bytes of a value in a decoded text: in UTF-8, in Latin-1, and in UTF-16 without zero bytes.
fn forms(value: &str) -> Vec<Vec<u8>> {
    let units = |bytes: fn(u16) -> [u8; 2]| value.encode_utf16().flat_map(bytes).filter(|byte| *byte != 0).collect();
    let mut forms: Vec<Vec<u8>> = vec![value.as_bytes().to_vec(), units(u16::to_le_bytes), units(u16::to_be_bytes)];
    let without_escapes: Vec<_> = forms.iter().map(|form| plain(form)).collect();
    forms.extend(without_escapes.into_iter().filter(|form| form.len() >= FEWEST_BYTES));
    // Most forms are equal.
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
    use super::SecretMatcher;

    #[test]
    fn byte_lists_of_the_value_are_replaced() {
        let matcher = SecretMatcher::new("abc").unwrap();
        let replaced = |json: &str| matcher.replace_byte_lists(json, "x");
        assert_eq!(replaced("[97,98,99]").unwrap(), "[120]");
        assert_eq!(replaced("[60,97,98,99,62,97,98,99]").unwrap(), "[60,120,62,120]");
        assert_eq!(replaced("[197,98,99]").unwrap(), "[197,98,99]");
        assert_eq!(replaced("[97,98,990]").unwrap(), "[97,98,990]");
        assert!(replaced("[97,98]").is_none());
    }

    #[test]
    fn the_value_is_found_behind_any_escapes() {
        let value = "s3cr3t/kéy+Ün9 \"%41\\";
        let matcher = SecretMatcher::new(value).unwrap();
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
            let clean = String::from_utf8(matcher.replace(text.as_bytes(), "X").into_owned()).unwrap();
            let clean = clean.replace("\"X\"", "X");
            assert_eq!(clean, "<b>X and X</b>", "{written}");
        }
        assert_eq!(&*matcher.replace(&latin, "X"), b"X");
        assert_eq!(&*matcher.replace(&wide, "XY"), b"X\0Y\0");
        assert_eq!(&*matcher.replace(&wide_html, "XY"), b"\0X\0Y");
        let other = b"s3cr3t&sol;k&eacute;y &amp; &#x110000; &#; &nothing; %zz \\u12 \\ud800 \0";
        assert!(matches!(matcher.replace(other, "X"), std::borrow::Cow::Borrowed(_)));
    }

    #[test]
    fn the_value_is_found_across_decoding_windows() {
        let matcher = SecretMatcher::new("Abcdefgh12345").unwrap();
        let written: String = "Abcdefgh12345".chars().map(|c| format!("&amp;#{};", u32::from(c))).collect();
        for before in [-90, -1, 0, 1].map(|more: isize| (256_usize << 10).strict_add_signed(more)) {
            let text = format!("{}{written}.", "x".repeat(before));
            let clean = matcher.replace(text.as_bytes(), "X");
            assert_eq!((clean.len(), clean.ends_with(b"xX.")), (before + 2, true), "{before}");
        }
        assert!(matcher.is_in_header_name("x-abcdefgh12345") && matcher.is_in_header_name("x-%41bcdefgh12345"));
        assert!(!matcher.is_in_header_name("x-abcdefgh"));
    }
}
