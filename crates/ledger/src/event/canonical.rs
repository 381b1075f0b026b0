//! Canonical JSON (RFC 8785), and conversion of foreign JSON to it.

use serde_json::{Map, Number, Value};
use std::borrow::Cow;

/// The most nested objects and arrays. Parser and writer recurse once per level.
const MAX_DEPTH: usize = 100;

/// The largest integer up to which JavaScript numbers are exact: 2^53.
const LARGEST: &[u8] = b"9007199254740992";
const MAX_EXACT: u64 = 1 << 53;

/// The canonical text of an object.
#[must_use]
pub fn canonical_object(object: &Map<String, Value>) -> String {
    let mut text = String::with_capacity(512);
    write_object(object, &mut text);
    text
}

/// The canonical text of a value. Recurses once per level; the parser limits values to 128 levels.
#[must_use]
pub fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write_value(value, &mut text);
    text
}

fn write_value(value: &Value, text: &mut String) {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(true) => text.push_str("true"),
        Value::Bool(false) => text.push_str("false"),
        Value::Number(number) => write_number(number, text),
        Value::String(string) => write_string(string, text),
        Value::Array(list) => {
            text.push('[');
            for (place, member) in list.iter().enumerate() {
                if place > 0 {
                    text.push(',');
                }
                write_value(member, text);
            }
            text.push(']');
        }
        Value::Object(object) => write_object(object, text),
    }
}

fn write_object(object: &Map<String, Value>, text: &mut String) {
    let mut members: Vec<(&String, &Value)> = object.iter().collect();
    if members.iter().all(|(name, _)| name.is_ascii()) {
        members.sort_unstable_by_key(|(name, _)| *name);
    } else {
        members.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
    }
    text.push('{');
    for (place, (name, member)) in members.into_iter().enumerate() {
        if place > 0 {
            text.push(',');
        }
        write_string(name, text);
        text.push(':');
        write_value(member, text);
    }
    text.push('}');
}

fn write_number(number: &Number, text: &mut String) {
    match number.as_i64().filter(|integer| integer.unsigned_abs() <= MAX_EXACT) {
        Some(integer) => text.push_str(&integer.to_string()),
        // Formatted as in JavaScript. Serialising a number from a `Value` cannot fail.
        None => text.push_str(&serde_json_canonicalizer::to_string(number).unwrap_or_default()),
    }
}

fn write_string(string: &str, text: &mut String) {
    text.push('"');
    if string.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\') {
        text.push_str(string);
    } else {
        string.chars().for_each(|character| write_character(character, text));
    }
    text.push('"');
}

fn write_character(character: char, text: &mut String) {
    match character {
        '"' => text.push_str("\\\""),
        '\\' => text.push_str("\\\\"),
        '\n' => text.push_str("\\n"),
        '\r' => text.push_str("\\r"),
        '\t' => text.push_str("\\t"),
        '\u{8}' => text.push_str("\\b"),
        '\u{c}' => text.push_str("\\f"),
        control if control < ' ' => text.push_str(&format!("\\u{:04x}", u32::from(control))),
        other => text.push(other),
    }
}

/// Parses foreign JSON, with integers beyond 2^53 as strings. `None` if it is invalid, nested too deeply, or has numbers out
/// of range or lone surrogates.
#[must_use]
pub fn foreign_value(text: &str) -> Option<Value> {
    serde_json::from_str(&quote_large_integers(text)?).ok()
}

/// Puts quotes around integers beyond 2^53; `None` when the text is nested too deeply. Iterates over the bytes once.
fn quote_large_integers(text: &str) -> Option<Cow<'_, str>> {
    let bytes = text.as_bytes();
    let mut quoted = String::new();
    let (mut copied, mut at, mut depth) = (0, 0, 0_usize);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at = after_string(bytes, at),
            b'{' | b'[' => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return None;
                }
                at += 1;
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                at += 1;
            }
            b'-' | b'0'..=b'9' => {
                let end = after_number(bytes, at);
                let token = text.get(at..end)?;
                if is_large_integer(token) {
                    quoted.push_str(text.get(copied..at)?);
                    quoted.push('"');
                    quoted.push_str(token);
                    quoted.push('"');
                    copied = end;
                }
                at = end;
            }
            _ => at += 1,
        }
    }
    if copied == 0 {
        return Some(Cow::Borrowed(text));
    }
    quoted.push_str(text.get(copied..)?);
    Some(Cow::Owned(quoted))
}

/// The index after the string that begins at `start`.
pub fn after_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    at
}

fn after_number(bytes: &[u8], start: usize) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
    start + rest.iter().position(|byte| !is_part(byte)).unwrap_or(rest.len())
}

fn is_large_integer(token: &str) -> bool {
    let digits = token.strip_prefix('-').unwrap_or(token).as_bytes();
    digits.iter().all(u8::is_ascii_digit)
        && (digits.len() > LARGEST.len() || (digits.len() == LARGEST.len() && digits > LARGEST))
}

#[cfg(test)]
mod tests {
    use super::{canonical, foreign_value};

    fn both(text: &str) -> String {
        canonical(&foreign_value(text).unwrap())
    }

    #[test]
    fn the_example_of_the_standard_matches() {
        let text = r#"{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
            "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}"#;
        let expected = concat!(
            r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"#,
            r#""string":"€$\u000f\nA'B\"\\\\\"/"}"#
        );
        assert_eq!(both(text), expected);
    }

    #[test]
    fn names_are_sorted_by_utf_16_units() {
        let text = r#"{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One",
            "\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}"#;
        let order = ["Carriage", "One", "Control", "Latin", "Euro", "Emoji", "Hebrew"];
        let found = both(text);
        let places: Vec<_> = order.iter().map(|word| found.find(word).unwrap()).collect();
        assert!(places.is_sorted(), "{found}");
    }

    #[test]
    fn numbers_are_written_as_javascript_writes_them() {
        for (bits, expected) in [
            (0x0000_0000_0000_0000_u64, "0"),
            (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"),
            (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0xc340_0000_0000_0000, "-9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5553, "333333333.3333332"),
            (0x41b3_de43_5555_5554, "333333333.33333325"),
            (0x41b3_de43_5555_5555, "333333333.3333333"),
            (0x41b3_de43_5555_5556, "333333333.3333334"),
            (0x41b3_de43_5555_5557, "333333333.33333343"),
            (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
            (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
        ] {
            let text = canonical(&serde_json::json!(f64::from_bits(bits)));
            assert_eq!(text, expected);
            // The text parses to the same number, unless it is an integer that becomes a string.
            let again = both(&text);
            assert!(again == text || again == format!("\"{text}\""), "{again}");
        }
    }

    #[test]
    fn large_integers_become_strings_wherever_they_are() {
        assert_eq!(both("9007199254740992"), "9007199254740992");
        assert_eq!(both("9007199254740993"), "\"9007199254740993\"");
        assert_eq!(both("-9007199254740993"), "\"-9007199254740993\"");
        assert_eq!(
            both(r#"{"a":[1, 123456789012345678901234567890 ,{"b":-9007199254740993}],"c":"12345678901234567890\"1"}"#),
            r#"{"a":[1,"123456789012345678901234567890",{"b":"-9007199254740993"}],"c":"12345678901234567890\"1"}"#
        );
        assert_eq!(both("1e300"), "1e+300");
    }

    #[test]
    fn invalid_and_deep_values_are_rejected() {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(foreign_value(&deep(100)).is_some());
        assert!(foreign_value(&deep(101)).is_none());
        assert!(foreign_value(&deep(1_000_000)).is_none());
        for text in ["1e999", r#""\ud800""#, "", "{", "1 2", "\"\\"] {
            assert!(foreign_value(text).is_none(), "{text}");
        }
    }

    /// Pseudo-random values of all types.
    fn any(dice: &mut u64, depth: usize) -> serde_json::Value {
        *dice ^= *dice << 13;
        *dice ^= *dice >> 7;
        *dice ^= *dice << 17;
        let roll = *dice;
        let names =
            ["a", "B", "\u{e9}", "\u{1f600}", "\u{fb33}", "a\"b", "\u{1}\n\t\u{8}\u{c}\r\\", "", "\u{7f}", "\u{2028}/"];
        let name = |roll: u64| names[usize::try_from(roll % 10).unwrap()].to_owned();
        match if depth == 0 { roll % 5 } else { roll % 7 } {
            0 => serde_json::Value::Null,
            1 => (roll & 32 == 0).into(),
            2 => i64::try_from(roll >> 11).unwrap().into(),
            3 => f64::from_bits(roll.rotate_left(17)).into(),
            4 => name(roll >> 8).into(),
            5 => (0..roll >> 8 & 7).map(|_| any(dice, depth - 1)).collect(),
            _ => {
                let members = (0..roll >> 8 & 7).map(|place| (name((roll >> 16) + place), any(dice, depth - 1)));
                serde_json::Value::Object(members.collect())
            }
        }
    }

    #[test]
    fn the_reference_implementation_writes_the_same() {
        let mut dice = 0x1234_5678_9abc_def1;
        for _ in 0..20_000 {
            let value = any(&mut dice, 4);
            let text = canonical(&value);
            assert_eq!(text, serde_json_canonicalizer::to_string(&value).unwrap());
            let again: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!(canonical(&again), text);
        }
    }
}
