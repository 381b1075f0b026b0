//! Percent-encoding by part of the URL.

/// The percent-encode sets of the WHATWG URL standard.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum EncodeSet {
    Control,
    Fragment,
    Query,
    SpecialQuery,
    Path,
    UserInfo,
}

impl EncodeSet {
    fn holds(self, byte: u8) -> bool {
        if !(0x20..=0x7e).contains(&byte) {
            return true;
        }
        let query = matches!(byte, b' ' | b'"' | b'#' | b'<' | b'>');
        let path = query || matches!(byte, b'?' | b'^' | b'`' | b'{' | b'}');
        match self {
            Self::Control => false,
            Self::Fragment => matches!(byte, b' ' | b'"' | b'<' | b'>' | b'`'),
            Self::Query => query,
            Self::SpecialQuery => query || byte == b'\'',
            Self::Path => path,
            Self::UserInfo => path || matches!(byte, b'/' | b':' | b';' | b'=' | b'@' | b'[' | b'\\' | b']' | b'|'),
        }
    }
}

/// Appends `text` to `out`, encoded.
pub fn encode_into(out: &mut String, text: &str, set: EncodeSet) {
    for character in text.chars() {
        if character.is_ascii() && !set.holds(character as u8) {
            out.push(character);
            continue;
        }
        for byte in character.encode_utf8(&mut [0; 4]).bytes() {
            out.push('%');
            for half in [byte >> 4, byte & 15] {
                out.extend(char::from_digit(u32::from(half), 16).map(|digit| digit.to_ascii_uppercase()));
            }
        }
    }
}

pub fn encoded(text: &str, set: EncodeSet) -> String {
    let mut out = String::with_capacity(text.len());
    encode_into(&mut out, text, set);
    out
}

/// Decodes `%XX` sequences; other bytes are copied.
pub fn percent_decoded(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let halves = after.first_chunk::<2>().filter(|_| *first == b'%');
        let digit = |half: u8| char::from(half).to_digit(16);
        match halves.and_then(|[high, low]| Some((digit(*high)? << 4) | digit(*low)?)) {
            Some(byte) => {
                out.extend(u8::try_from(byte));
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                out.push(*first);
                rest = after;
            }
        }
    }
    out
}
