//! A JSON writer for rows, with a size limit that is checked before every write.

use crate::sql_error::SqlError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rusqlite::types::ValueRef;

/// The key that marks binary data in JSON.
pub const BASE64: &str = "$base64";
/// The largest safe integer of JavaScript.
const MAX_SAFE: i64 = (1 << 53) - 1;

pub struct RowText {
    text: String,
    /// Maximum number of bytes pushed.
    limit: usize,
    /// Length of the prefix, which does not count.
    prefix: usize,
}

impl RowText {
    /// A text that starts with `prefix`, to which at most `limit` bytes can be pushed.
    pub fn new(prefix: &str, limit: usize) -> Self {
        Self { text: prefix.to_owned(), limit, prefix: prefix.len() }
    }

    pub fn into_text(self) -> String {
        self.text
    }

    /// Reserves space for more bytes, or fails if they would exceed the limit.
    pub fn expect(&mut self, more: usize) -> Result<(), SqlError> {
        let needed = self.text.len().saturating_add(more);
        let most = self.prefix + self.limit;
        if needed > most {
            return Err(SqlError::TooManyBytes { limit: self.limit });
        }
        if needed > self.text.capacity() {
            let wanted = self.text.capacity().saturating_mul(2).clamp(needed, most);
            self.text.reserve_exact(wanted - self.text.len());
        }
        Ok(())
    }

    pub fn push(&mut self, text: &str) -> Result<(), SqlError> {
        self.expect(text.len())?;
        self.text.push_str(text);
        Ok(())
    }

    pub fn push_value(&mut self, value: ValueRef<'_>) -> Result<(), SqlError> {
        match value {
            ValueRef::Null => self.push("null"),
            ValueRef::Integer(number) if (-MAX_SAFE..=MAX_SAFE).contains(&number) => self.push(&number.to_string()),
            ValueRef::Integer(number) => self.push(&format!("\"{number}\"")),
            ValueRef::Real(number) => match serde_json::Number::from_f64(number) {
                Some(number) => self.push(&number.to_string()),
                None if number.is_nan() => self.push("\"NaN\""),
                None => self.push(if number > 0.0 { "\"Infinity\"" } else { "\"-Infinity\"" }),
            },
            ValueRef::Text(bytes) => self.push_string(bytes),
            ValueRef::Blob(bytes) => self.push_bytes(bytes),
        }
    }

    pub fn push_bytes(&mut self, bytes: &[u8]) -> Result<(), SqlError> {
        self.push(&format!("{{\"{BASE64}\":\""))?;
        self.expect(bytes.len().div_ceil(3).saturating_mul(4))?;
        STANDARD.encode_string(bytes, &mut self.text);
        self.push("\"}")
    }

    /// Pushes a JSON string. Invalid UTF-8 becomes U+FFFD.
    pub fn push_string(&mut self, bytes: &[u8]) -> Result<(), SqlError> {
        // Each byte takes at least one byte.
        self.expect(bytes.len())?;
        self.push("\"")?;
        for chunk in bytes.utf8_chunks() {
            self.push_escaped(chunk.valid())?;
            if !chunk.invalid().is_empty() {
                self.push("\u{fffd}")?;
            }
        }
        self.push("\"")
    }

    fn push_escaped(&mut self, text: &str) -> Result<(), SqlError> {
        let mut rest = text;
        while let Some(at) = rest.bytes().position(|byte| byte < 0x20 || matches!(byte, b'"' | b'\\')) {
            let (plain, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
            self.push(plain)?;
            let mut letters = from.chars();
            match letters.next().unwrap_or_default() {
                '"' => self.push("\\\"")?,
                '\\' => self.push("\\\\")?,
                '\n' => self.push("\\n")?,
                '\r' => self.push("\\r")?,
                '\t' => self.push("\\t")?,
                control => self.push(&format!("\\u{:04x}", u32::from(control)))?,
            }
            rest = letters.as_str();
        }
        self.push(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::RowText;
    use rusqlite::types::ValueRef;

    fn text_of(value: ValueRef<'_>, limit: usize) -> Option<String> {
        let mut rows = RowText::new("", limit);
        rows.push_value(value).ok()?;
        Some(rows.into_text())
    }

    #[test]
    fn values_are_valid_json() {
        for text in ["", "plain", "\"\\\n\r\t\u{1}\u{1f}\u{7f} é 𝄞", "\u{0}", "]\u{2028}"] {
            let json = text_of(ValueRef::Text(text.as_bytes()), 1_000).unwrap();
            assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        }
        let lossy = text_of(ValueRef::Text(b"a\xff\xc3(b"), 1_000).unwrap();
        assert_eq!(serde_json::from_str::<String>(&lossy).unwrap(), "a\u{fffd}\u{fffd}(b");
        assert_eq!(text_of(ValueRef::Integer(1 << 60), 1_000).unwrap(), "\"1152921504606846976\"");
        assert_eq!(text_of(ValueRef::Blob(&[0, 255, 7]), 1_000).unwrap(), "{\"$base64\":\"AP8H\"}");
    }

    #[test]
    fn the_text_never_exceeds_the_limit() {
        let control = vec![1_u8; 1_000];
        assert!(text_of(ValueRef::Text(&control), 6_002).is_some());
        assert!(text_of(ValueRef::Text(&control), 6_001).is_none());
        assert!(text_of(ValueRef::Blob(&control), 1_300).is_none());
        let mut rows = RowText::new("", 100);
        assert!(rows.push_value(ValueRef::Text(&control)).is_err());
        assert!(rows.into_text().capacity() <= 100);
    }
}
