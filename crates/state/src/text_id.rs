//! The identity of a text: its SHA-256.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::fmt;

/// The SHA-256 of a text. As JSON it is 64 hexadecimal digits in lower case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextId([u8; 32]);

impl TextId {
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Parses exactly 64 hexadecimal digits in lower case, so that each hash has one text form.
    #[must_use]
    pub fn parse(hex: &str) -> Option<Self> {
        let digits: Vec<u8> = hex.bytes().map(digit).collect::<Option<_>>()?;
        let bytes: Vec<u8> =
            digits.chunks_exact(2).filter_map(|pair| Some(pair.first()? << 4 | pair.last()?)).collect();
        (digits.len() == 64).then_some(())?;
        bytes.try_into().ok().map(Self)
    }
}

const fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

impl fmt::Display for TextId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digit = |nibble: u8| char::from(if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 });
        let mut hex = String::with_capacity(64);
        hex.extend(self.0.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]));
        formatter.write_str(&hex)
    }
}

impl fmt::Debug for TextId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl Serialize for TextId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_string())
    }
}

impl<'de> Deserialize<'de> for TextId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let hex = String::deserialize(deserializer)?;
        Self::parse(&hex).ok_or_else(|| D::Error::custom("a hash must have 64 hexadecimal digits in lower case"))
    }
}

#[cfg(test)]
mod tests {
    use super::TextId;

    #[test]
    fn a_hash_has_one_text_form() {
        let hex = "00ff".repeat(16);
        let text = TextId::parse(&hex).unwrap();
        assert_eq!(text.to_string(), hex);
        assert_eq!(serde_json::from_str::<TextId>(&serde_json::to_string(&text).unwrap()).unwrap(), text);
        for wrong in ["", "00", &hex.to_uppercase(), &format!("{hex}0"), &format!("{hex}00"), &"zz".repeat(32)] {
            assert_eq!(TextId::parse(wrong), None, "{wrong}");
        }
    }
}
