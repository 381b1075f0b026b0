//! Converts PostgreSQL array text, such as `{1,NULL,"a \"b\""}`, to JSON text. An array of some megabytes has a million
//! elements, so values are written directly, without intermediate objects.

use crate::sql_error::SqlError;
use crate::sqlite::row_text::RowText;
use memchr::{memchr, memchr2};
use serde::de::IgnoredAny;
use std::borrow::Cow;

/// Maximum nesting depth; the same as in `json_scan.ts`.
const MAX_DEPTH: usize = 500;
/// Number of decimal digits that a JavaScript number always represents exactly.
const SAFE_DIGITS: usize = 15;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Element {
    Boolean,
    Bytes,
    Integer,
    Float,
    Json,
    Timestamp,
    Instant,
    Text,
}

impl Element {
    /// The element type for an OID in `pg_type`. Other types are text.
    fn of(oid: u32) -> Self {
        match oid {
            16 => Self::Boolean,
            17 => Self::Bytes,
            20 | 21 | 23 | 26 => Self::Integer,
            114 | 3802 => Self::Json,
            700 | 701 => Self::Float,
            1114 => Self::Timestamp,
            1184 => Self::Instant,
            _ => Self::Text,
        }
    }

    fn write(self, text: &str, out: &mut RowText) -> Result<(), SqlError> {
        match self {
            Self::Boolean => out.push(if text == "t" { "true" } else { "false" }),
            Self::Bytes => out.push_bytes(&hex(text)),
            Self::Integer if is_number(text) && is_safe(text) => out.push(text),
            Self::Float if is_number(text) => out.push(text),
            Self::Json => write_json(text, out),
            Self::Timestamp => out.push_string(text.replacen(' ', "T", 1).as_bytes()),
            Self::Instant => out.push_string(instant(text).as_deref().unwrap_or(text).as_bytes()),
            Self::Integer | Self::Float | Self::Text => out.push_string(text.as_bytes()),
        }
    }
}

/// The array as JSON of at most `room` bytes. It may be nested and have a bounds prefix.
pub fn array_json(text: &str, element_oid: u32, room: usize) -> Result<String, SqlError> {
    let element = Element::of(element_oid);
    let mut out = RowText::new("", room);
    let mut depth = 0_usize;
    let mut follows = false;
    let mut rest = text.find('{').and_then(|at| text.get(at..)).ok_or_else(unended)?;
    loop {
        let (&first, behind) = rest.as_bytes().split_first().ok_or_else(unended)?;
        if follows && !matches!(first, b'}' | b',') {
            out.push(",")?;
        }
        match first {
            b'{' => {
                out.push("[")?;
                depth += 1;
                if depth > MAX_DEPTH {
                    return Err(SqlError::TooDeep { levels: MAX_DEPTH });
                }
            }
            b'}' => {
                out.push("]")?;
                depth -= 1;
                if depth == 0 {
                    return Ok(out.into_text());
                }
            }
            b',' => {}
            b'"' => {
                let quoted = rest.get(1..).unwrap_or_default();
                let end = end_of_quotes(quoted.as_bytes()).ok_or_else(unended)?;
                let (inner, after) = quoted.split_at_checked(end).ok_or_else(unended)?;
                if element == Element::Text {
                    // JSON escapes at least the same characters, so the text does not get shorter.
                    out.expect(inner.len())?;
                }
                element.write(&unquoted(inner), &mut out)?;
                rest = after.get(1..).unwrap_or_default();
                follows = true;
                continue;
            }
            _ => {
                let end = memchr2(b',', b'}', rest.as_bytes()).ok_or_else(unended)?;
                let (bare, after) = rest.split_at_checked(end).ok_or_else(unended)?;
                if bare == "NULL" {
                    out.push("null")?;
                } else {
                    element.write(bare, &mut out)?;
                }
                rest = after;
                follows = true;
                continue;
            }
        }
        follows = first == b'}' || (follows && first == b',');
        rest = rest.get(rest.len() - behind.len()..).unwrap_or_default();
    }
}

fn unended() -> SqlError {
    SqlError::Unreadable("an array has no end".to_owned())
}

/// The index of the closing quote.
fn end_of_quotes(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes.get(at) == Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

fn unquoted(text: &str) -> Cow<'_, str> {
    if memchr(b'\\', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        plain.extend(if letter == '\\' { letters.next() } else { Some(letter) });
    }
    Cow::Owned(plain)
}

fn is_number(text: &str) -> bool {
    text.strip_prefix('-').unwrap_or(text).starts_with(|first: char| first.is_ascii_digit())
}

fn is_safe(integer: &str) -> bool {
    const MAX_SAFE: u64 = (1 << 53) - 1;
    let digits = integer.strip_prefix('-').unwrap_or(integer);
    digits.len() <= SAFE_DIGITS || digits.parse::<u64>().is_ok_and(|value| value <= MAX_SAFE)
}

/// Writes a value of type `json` or `jsonb` unchanged, or as a string if it is not valid JSON.
fn write_json(text: &str, out: &mut RowText) -> Result<(), SqlError> {
    out.expect(text.len())?;
    if is_deeper(text.as_bytes()) {
        return Err(SqlError::TooDeep { levels: MAX_DEPTH });
    }
    // `IgnoredAny` is parsed without recursion.
    match serde_json::from_str::<IgnoredAny>(text) {
        Ok(_) => out.push(text),
        Err(_) => out.push_string(text.as_bytes()),
    }
}

fn is_deeper(bytes: &[u8]) -> bool {
    if bytes.len() <= MAX_DEPTH {
        return false;
    }
    let (mut depth, mut at) = (0_usize, 0_usize);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' => match bytes.get(at + 1..).and_then(end_of_quotes) {
                Some(end) => at += end + 1,
                None => return false,
            },
            _ => {}
        }
        if depth > MAX_DEPTH {
            return true;
        }
        at += 1;
    }
    false
}

/// Decodes `\x` followed by hexadecimal digits, up to the first invalid digit.
fn hex(text: &str) -> Vec<u8> {
    let digits = text.strip_prefix("\\x").unwrap_or_default().as_bytes();
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let pairs = digits.chunks_exact(2).map_while(|pair| match pair {
        [high, low] => u8::try_from(digit(high)? * 16 + digit(low)?).ok(),
        _ => None,
    });
    pairs.collect()
}

/// `2024-01-31 23:59:59.123456+02` in the format of JavaScript's `toISOString`; `None` for values outside the range of
/// `Date`, such as `infinity`.
fn instant(text: &str) -> Option<String> {
    let (date, time) = text.split_once(' ')?;
    let (year, month_day) = date.split_once('-').filter(|(year, _)| year.len() == 4)?;
    let (month, day) = month_day.split_once('-')?;
    let at = time.rfind(['+', '-'])?;
    let (clock, offset) = time.split_at_checked(at)?;
    let sign = if offset.starts_with('-') { -1 } else { 1 };
    let (hours_off, minutes_off) = match offset.get(1..)?.split_once(':') {
        Some((hours, minutes)) => (number(hours)?, number(minutes)?),
        None => (number(offset.get(1..)?)?, 0),
    };
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let mut parts = clock.split(':').map(number);
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
    let thousandths = number(format!("{fraction:0<3}").get(..3)?)?;
    let minutes = (days_before(number(year)?, number(month)?, number(day)?) * 24 + hour) * 60 + minute
        - sign * (hours_off * 60 + minutes_off);
    let (year, month, day) = date_of(minutes.div_euclid(24 * 60));
    let of_day = minutes.rem_euclid(24 * 60);
    let year = if (0..=9_999).contains(&year) { format!("{year:04}") } else { format!("{year:+07}") };
    let (hour, minute) = (of_day / 60, of_day % 60);
    Some(format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{thousandths:03}Z"))
}

fn number(digits: &str) -> Option<i64> {
    digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Days from 1 March of the year 0 to a date. Years are counted from March, so that the leap day is the last day.
fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + (153 * month + 2) / 5 + day - 1
}

fn date_of(days: i64) -> (i64, i64, i64) {
    const DAYS_OF_400_YEARS: i64 = 146_097;
    let (era, day) = (days.div_euclid(DAYS_OF_400_YEARS), days.rem_euclid(DAYS_OF_400_YEARS));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, more) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + more, month, day)
}

#[cfg(test)]
mod tests {
    use super::{array_json, instant};
    use crate::sql_error::SqlError;

    #[test]
    fn arrays_become_json_arrays() {
        for (text, oid, json) in [
            ("{}", 23, "[]"),
            ("{1,-2,NULL}", 23, "[1,-2,null]"),
            ("[2:3]={1,2}", 23, "[1,2]"),
            ("{{1,2},{3,NULL}}", 23, "[[1,2],[3,null]]"),
            (
                "{9007199254740991,9007199254740992,-9007199254740992}",
                20,
                r#"[9007199254740991,"9007199254740992","-9007199254740992"]"#,
            ),
            ("{1.5,NaN,-Infinity,1e+20}", 701, r#"[1.5,"NaN","-Infinity",1e+20]"#),
            (r#"{a,"NULL","a \"b\" \\ {,}",é}"#, 25, r#"["a","NULL","a \"b\" \\ {,}","é"]"#),
            (r#"{"{\"a\": [1]}",[],null,"no json"}"#, 3802, r#"[{"a": [1]},[],null,"no json"]"#),
            ("{t,f}", 16, "[true,false]"),
            (r#"{"\\x00ff07"}"#, 17, r#"[{"$base64":"AP8H"}]"#),
            (r#"{"2024-02-29 12:00:00"}"#, 1114, r#"["2024-02-29T12:00:00"]"#),
            (r#"{"2024-02-29 23:30:00.1+05:30",infinity}"#, 1184, r#"["2024-02-29T18:00:00.100Z","infinity"]"#),
        ] {
            assert_eq!(array_json(text, oid, 1_000).as_deref(), Ok(json), "{text}");
        }
    }

    #[test]
    fn timestamps_are_converted_to_utc() {
        for (text, iso) in [
            ("1970-01-01 00:00:00+00", "1970-01-01T00:00:00.000Z"),
            ("2000-02-29 00:00:00.123456-12", "2000-02-29T12:00:00.123Z"),
            ("1900-03-01 00:00:00+01", "1900-02-28T23:00:00.000Z"),
            ("9999-12-31 23:59:59-01", "+010000-01-01T00:59:59.000Z"),
            ("0001-01-01 00:00:00+00", "0001-01-01T00:00:00.000Z"),
        ] {
            assert_eq!(instant(text).as_deref(), Some(iso));
        }
        for text in ["infinity", "10000-01-01 00:00:00+00", "0044-03-15 00:00:00+00 BC", "1800-01-01 00:00:00+00:53:28"]
        {
            assert_eq!(instant(text), None, "{text}");
        }
    }

    #[test]
    fn too_long_too_deep_and_invalid_arrays_are_refused() {
        assert_eq!(array_json("{1,2,3}", 23, 6), Err(SqlError::TooManyBytes { limit: 6 }));
        let deep = format!("{}1{}", "{".repeat(501), "}".repeat(501));
        assert_eq!(array_json(&deep, 23, 10_000), Err(SqlError::TooDeep { levels: 500 }));
        let json = format!("{{{}{}}}", "[".repeat(501), "]".repeat(501));
        assert_eq!(array_json(&json, 114, 10_000), Err(SqlError::TooDeep { levels: 500 }));
        for text in ["", "no", "{", "{1", "{1,", "{\"a", "{\"a\\", "{{1}", "{\"a\\\"}"] {
            assert!(matches!(array_json(text, 25, 1_000), Err(SqlError::Unreadable(_))), "{text}");
        }
    }
}
