//! The value of an unquoted YAML scalar: the core schema of YAML 1.2, in which `no` and `on` are texts.

use serde_json::{Number, Value};

/// # Errors
/// What is wrong, as text that follows the scalar.
pub(super) fn plain_scalar(word: &str) -> Result<Value, &'static str> {
    match word {
        "" | "~" | "null" | "Null" | "NULL" => return Ok(Value::Null),
        "true" | "True" | "TRUE" => return Ok(Value::Bool(true)),
        "false" | "False" | "FALSE" => return Ok(Value::Bool(false)),
        _ => {}
    }
    let unsigned = word.strip_prefix(['-', '+']).unwrap_or(word);
    let is_number = unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.');
    if !is_number {
        return Ok(Value::String(word.to_owned()));
    }
    let radix = unsigned.strip_prefix("0x").map(|digits| (digits, 16));
    if let Some((digits, radix)) = radix.or_else(|| unsigned.strip_prefix("0o").map(|digits| (digits, 8))) {
        if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) || unsigned.len() != word.len() {
            return Ok(Value::String(word.to_owned()));
        }
        return u64::from_str_radix(digits, radix).map(Value::from).map_err(|_| TOO_LARGE);
    }
    if unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        let number = word.strip_prefix('+').unwrap_or(word);
        let signed = number.parse::<i64>().map(Value::from);
        return signed.or_else(|_| number.parse::<u64>().map(Value::from)).map_err(|_| TOO_LARGE);
    }
    let special = matches!(unsigned, ".inf" | ".Inf" | ".INF" | ".nan" | ".NaN" | ".NAN");
    if special {
        return Err("is not a JSON number");
    }
    let in_float = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'-' | b'+');
    match word.parse::<f64>() {
        Ok(number) if unsigned.bytes().all(in_float) => Number::from_f64(number).map(Value::Number).ok_or(TOO_LARGE),
        Ok(_) | Err(_) => Ok(Value::String(word.to_owned())),
    }
}

const TOO_LARGE: &str = "is too large for a number; put it in quotes";

#[cfg(test)]
mod tests {
    use super::plain_scalar;
    use serde_json::json;

    #[test]
    fn scalars_follow_the_yaml_1_2_core_schema() {
        for (word, value) in [
            ("no", json!("no")),
            ("on", json!("on")),
            ("true", json!(true)),
            ("~", json!(null)),
            ("12", json!(12)),
            ("+12", json!(12)),
            ("-7", json!(-7)),
            ("007", json!(7)),
            ("0x1f", json!(31)),
            ("0o17", json!(15)),
            ("0xzz", json!("0xzz")),
            ("-0x1", json!("-0x1")),
            ("1.5", json!(1.5)),
            ("1e3", json!(1000.0)),
            ("18446744073709551615", json!(u64::MAX)),
            ("1.2.3", json!("1.2.3")),
            ("1_000", json!("1_000")),
            ("2026-11-16", json!("2026-11-16")),
            (".ts", json!(".ts")),
            ("-", json!("-")),
        ] {
            assert_eq!(plain_scalar(word), Ok(value), "{word}");
        }
        for word in ["99999999999999999999", ".nan", "-.inf", "1e999", "0xffffffffffffffffff"] {
            assert!(plain_scalar(word).is_err(), "{word}");
        }
    }
}
