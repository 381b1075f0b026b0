//! Decodes nested escapes of a text, layer by layer, and maps each decoded byte to its place in the original text.

use regex::bytes::Regex;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

/// The most nested layers of escapes that are decoded.
const MAX_LAYERS: usize = 6;
/// Bytes decoded at once, without the overlap for a value that crosses the end.
const WINDOW: usize = 256 << 10;
/// The most bytes that encode one byte of a value.
const MAX_WRITTEN: usize = 64;
/// Length of the longest name below.
const MAX_NAME: usize = 16;

/// HTML character references of ASCII.
const NAMED: [(&str, char); 45] = [
    ("amp", '&'),
    ("AMP", '&'),
    ("lt", '<'),
    ("LT", '<'),
    ("gt", '>'),
    ("GT", '>'),
    ("quot", '"'),
    ("QUOT", '"'),
    ("apos", '\''),
    ("Tab", '\t'),
    ("NewLine", '\n'),
    ("excl", '!'),
    ("num", '#'),
    ("dollar", '$'),
    ("percnt", '%'),
    ("lpar", '('),
    ("rpar", ')'),
    ("ast", '*'),
    ("midast", '*'),
    ("plus", '+'),
    ("comma", ','),
    ("period", '.'),
    ("sol", '/'),
    ("colon", ':'),
    ("semi", ';'),
    ("equals", '='),
    ("quest", '?'),
    ("commat", '@'),
    ("lsqb", '['),
    ("lbrack", '['),
    ("bsol", '\\'),
    ("rsqb", ']'),
    ("rbrack", ']'),
    ("Hat", '^'),
    ("lowbar", '_'),
    ("UnderBar", '_'),
    ("grave", '`'),
    ("DiacriticalGrave", '`'),
    ("lcub", '{'),
    ("lbrace", '{'),
    ("verbar", '|'),
    ("vert", '|'),
    ("VerticalLine", '|'),
    ("rcub", '}'),
    ("rbrace", '}'),
];

/// HTML character references from U+00A0 on, in order.
const LATIN: &str = "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute \
micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute \
Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN \
szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute \
ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";

/// A partly decoded text.
#[derive(Debug, Default)]
struct Layer {
    bytes: Vec<u8>,
    /// The place of each byte in the original text.
    places: Vec<Range<u32>>,
}

impl Layer {
    fn of(text: &[u8]) -> Self {
        let places = (0_u32..).zip(text).map(|(at, _)| at..at + 1).collect();
        Self { bytes: text.to_vec(), places }
    }

    /// The next layer; `None` when there is nothing to decode.
    fn inner(&self) -> Option<Self> {
        let mut next = Self::default();
        let mut left = self.places.as_slice();
        decode(&self.bytes, &mut |length, written| {
            let (places, rest) = left.split_at_checked(length).unwrap_or((left, &[]));
            left = rest;
            next.bytes.extend_from_slice(written);
            if length == written.len() {
                next.places.extend_from_slice(places);
            } else if let (Some(first), Some(last)) = (places.first(), places.last()) {
                next.places.resize(next.bytes.len(), first.start..last.end);
            }
        });
        (next.bytes != self.bytes).then_some(next)
    }
}

/// Whether a text has a byte that begins an escape, or a zero byte as in UTF-16.
fn may_be_encoded(text: &[u8]) -> bool {
    text.iter().any(|byte| matches!(byte, b'%' | b'&' | b'\\' | 0))
}

/// Overlapping windows of a text that are decoded separately; no value of up to `longest` bytes is cut.
fn windows(text: &[u8], longest: usize) -> impl Iterator<Item = (usize, &[u8])> {
    let overlap = longest.saturating_mul(MAX_WRITTEN);
    let starts = (0..text.len()).step_by(WINDOW).filter(move |start| *start == 0 || start + overlap < text.len());
    starts.filter_map(move |start| {
        let end = (start + WINDOW + overlap).min(text.len());
        let window = text.get(start..end).filter(|window| may_be_encoded(window))?;
        Some((start, window))
    })
}

/// A value with all escapes decoded.
pub(super) fn plain(value: &[u8]) -> Vec<u8> {
    let mut layer = value.to_vec();
    for _ in 0..MAX_LAYERS {
        let mut next = Vec::with_capacity(layer.len());
        decode(&layer, &mut |_, written| next.extend_from_slice(written));
        layer = next;
    }
    layer
}

/// Calls `look` with each decoded layer of each window. `longest` is the length of the longest value searched for.
pub(super) fn layers(text: &[u8], longest: usize, look: &mut dyn FnMut(&[u8])) {
    for (_, window) in windows(text, longest) {
        let mut layer = Cow::Borrowed(window);
        for _ in 0..MAX_LAYERS {
            let mut next = Vec::with_capacity(layer.len());
            decode(&layer, &mut |_, written| next.extend_from_slice(written));
            if next == *layer {
                break;
            }
            look(&next);
            layer = Cow::Owned(next);
        }
    }
}

/// Calls `take` with the original range of each match of `pattern` in any decoded layer.
pub(super) fn places(text: &[u8], pattern: &Regex, longest: usize, take: &mut dyn FnMut(Range<usize>)) {
    for (start, window) in windows(text, longest) {
        let mut layer = Some(Layer::of(window));
        for _ in 0..MAX_LAYERS {
            layer = layer.as_ref().and_then(Layer::inner);
            let Some(Layer { bytes, places }) = &layer else { break };
            for found in pattern.find_iter(bytes) {
                if let (Some(first), Some(last)) = (places.get(found.start()), places.get(found.end() - 1)) {
                    take(start + first.start as usize..start + last.end as usize);
                }
            }
        }
    }
}

/// Decodes one layer: percent signs, backslashes, HTML references; a plus is a space, and zero bytes are dropped. Calls
/// `put` with the number of encoded bytes and the bytes they stand for.
fn decode(text: &[u8], put: &mut dyn FnMut(usize, &[u8])) {
    let mut rest = text;
    while let Some(first) = rest.first() {
        let mut utf8 = [0; 4];
        let (length, written): (usize, &[u8]) = match first {
            0 => (1, &[]),
            b'+' => (1, b" "),
            b'%' => match hex(rest, 1, 2).and_then(|byte| u8::try_from(byte).ok()) {
                Some(byte) => {
                    utf8[0] = byte;
                    (3, &utf8[..1])
                }
                None => (1, b"%"),
            },
            b'\\' => {
                let (length, c) = backslash(rest);
                (length, c.encode_utf8(&mut utf8).as_bytes())
            }
            b'&' => match reference(rest) {
                Some((length, c)) => (length, c.encode_utf8(&mut utf8).as_bytes()),
                None => (1, b"&"),
            },
            _ => {
                let is_escape = |byte: &u8| matches!(byte, 0 | b'+' | b'%' | b'\\' | b'&');
                let length = rest.iter().position(is_escape).unwrap_or(rest.len());
                (length, rest.get(..length).unwrap_or_default())
            }
        };
        put(length, written);
        rest = rest.get(length..).unwrap_or_default();
    }
}

/// The number in the `count` hexadecimal digits from `at` on.
fn hex(text: &[u8], at: usize, count: usize) -> Option<u32> {
    let digits = text.get(at..at + count)?;
    digits.iter().try_fold(0, |number, digit| Some(number * 16 + char::from(*digit).to_digit(16)?))
}

/// The length of an escape with any number of backslashes, and its character.
fn backslash(text: &[u8]) -> (usize, char) {
    let run = text.iter().take_while(|byte| **byte == b'\\').count();
    let simple = |c| (run + 1, c);
    match text.get(run) {
        Some(b'n') => simple('\n'),
        Some(b'r') => simple('\r'),
        Some(b't') => simple('\t'),
        Some(b'"') => simple('"'),
        Some(b'\'') => simple('\''),
        Some(b'/') => simple('/'),
        Some(b'x') => hex(text, run + 1, 2).and_then(char::from_u32).map_or((run, '\\'), |c| (run + 3, c)),
        Some(b'u') => unicode(text, run).unwrap_or((run, '\\')),
        Some(_) | None => (run, '\\'),
    }
}

/// Decodes `uXXXX`, a surrogate pair of these, or `u{X…}`, behind a run of backslashes.
fn unicode(text: &[u8], run: usize) -> Option<(usize, char)> {
    if text.get(run + 1) == Some(&b'{') {
        let (count, number) = number(text.get(run + 2..)?, 16)?;
        let end = run + 2 + count;
        return (text.get(end) == Some(&b'}')).then_some((end + 1, char::from_u32(number)?));
    }
    let first = hex(text, run + 1, 4)?;
    let end = run + 5;
    if let Some(c) = char::from_u32(first) {
        return Some((end, c));
    }
    let rest = text.get(end..)?;
    let again = rest.iter().take_while(|byte| **byte == b'\\').count();
    let second = (rest.get(again) == Some(&b'u')).then(|| hex(rest, again + 1, 4)).flatten()?;
    let units = [u16::try_from(first).ok()?, u16::try_from(second).ok()?];
    let c = char::decode_utf16(units).next()?.ok()?;
    Some((end + again + 5, c))
}

/// The count of leading digits, and their number.
fn number(text: &[u8], radix: u32) -> Option<(usize, u32)> {
    let digits = text.iter().map_while(|byte| char::from(*byte).to_digit(radix));
    let (count, number) = digits
        .fold((0, 0_u32), |(count, number), digit| (count + 1, number.saturating_mul(radix).saturating_add(digit)));
    (count > 0).then_some((count, number))
}

/// The length of an HTML character reference, with or without its semicolon, and its character.
fn reference(text: &[u8]) -> Option<(usize, char)> {
    let (length, c) = match (text.get(1)?, text.get(2)) {
        (b'#', Some(b'x' | b'X')) => {
            let (count, number) = number(text.get(3..)?, 16)?;
            (3 + count, char::from_u32(number)?)
        }
        (b'#', _) => {
            let (count, number) = number(text.get(2..)?, 10)?;
            (2 + count, char::from_u32(number)?)
        }
        _ => {
            let letters = text.iter().skip(1).take(MAX_NAME).take_while(|byte| byte.is_ascii_alphanumeric());
            let name = text.get(1..1 + letters.count())?;
            let (length, c) = (1..=name.len()).rev().find_map(|end| Some((end, named(name.get(..end)?)?)))?;
            (1 + length, c)
        }
    };
    Some((length + usize::from(text.get(length) == Some(&b';')), c))
}

fn named(name: &[u8]) -> Option<char> {
    static KNOWN: LazyLock<HashMap<&[u8], char>> = LazyLock::new(|| {
        let letters = (0xa0_u32..).zip(LATIN.split(' '));
        let letters = letters.filter_map(|(number, name)| Some((name.as_bytes(), char::from_u32(number)?)));
        letters.chain(NAMED.map(|(name, c)| (name.as_bytes(), c))).collect()
    });
    KNOWN.get(name).copied()
}
