//! Host parsing: domains, IPv4 in all notations, IPv6, and opaque hosts of other schemes.

use super::encode_set::{EncodeSet, encoded, percent_decoded};
use idna::AsciiDenyList;
use std::net::Ipv6Addr;

/// The kind of host that the scheme has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum HostKind {
    Domain,
    Opaque,
}

/// The serialised host; `None` if it is invalid.
pub fn parse_host(text: &str, kind: HostKind) -> Option<String> {
    if let Some(inner) = text.strip_prefix('[') {
        let address: Ipv6Addr = inner.strip_suffix(']')?.parse().ok()?;
        return Some(ipv6_text(address));
    }
    if kind == HostKind::Opaque {
        return (!text.chars().any(is_forbidden)).then(|| encoded(text, EncodeSet::Control));
    }
    let decoded = percent_decoded(text);
    let domain = String::from_utf8_lossy(&decoded);
    let name = ascii_domain(&domain)?;
    if name.is_empty() || name.chars().any(is_forbidden_in_domain) {
        return None;
    }
    if ends_in_number(&name) { ipv4_text(&name) } else { Some(name) }
}

/// Converts a domain to ASCII. An ASCII domain is only lowercased; its Punycode labels are not checked.
fn ascii_domain(domain: &str) -> Option<String> {
    if domain.is_ascii() {
        return Some(domain.to_ascii_lowercase());
    }
    idna::domain_to_ascii_cow(domain.as_bytes(), AsciiDenyList::EMPTY).ok().map(std::borrow::Cow::into_owned)
}

fn is_forbidden(character: char) -> bool {
    matches!(
        character,
        '\0' | '\t' | '\n' | '\r' | ' ' | '#' | '/' | ':' | '<' | '>' | '?' | '@' | '[' | '\\' | ']' | '^' | '|'
    )
}

fn is_forbidden_in_domain(character: char) -> bool {
    is_forbidden(character) || character.is_ascii_control() || character == '%'
}

/// Whether the host must be an IPv4 address.
fn ends_in_number(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    let last = name.rsplit('.').next().unwrap_or_default();
    (!last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit())) || ipv4_number(last).is_some()
}

/// A part of an IPv4 address: decimal, octal after `0`, or hexadecimal after `0x`. An overflow gives `u64::MAX`, which is invalid.
fn ipv4_number(part: &str) -> Option<u64> {
    if part.is_empty() {
        return None;
    }
    let (digits, radix) = match part.strip_prefix("0x").or_else(|| part.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None => match part.strip_prefix('0') {
            Some(digits) if !digits.is_empty() => (digits, 8),
            _ => (part, 10),
        },
    };
    if !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    if digits.is_empty() {
        return Some(0);
    }
    Some(u64::from_str_radix(digits, radix).unwrap_or(u64::MAX))
}

fn ipv4_text(name: &str) -> Option<String> {
    let name = name.strip_suffix('.').unwrap_or(name);
    let mut left: u32 = 4;
    let mut address: u64 = 0;
    let mut parts = name.split('.').peekable();
    while let Some(part) = parts.next() {
        let number = ipv4_number(part)?;
        let is_last = parts.peek().is_none();
        let most = if is_last { 256_u64.checked_pow(left)? } else { 256 };
        left = left.checked_sub(1)?;
        if number >= most {
            return None;
        }
        address += if is_last { number } else { number << (8 * left) };
    }
    let address = u32::try_from(address).ok()?;
    Some(std::net::Ipv4Addr::from(address).to_string())
}

/// Serialises an IPv6 address; the first of the longest runs of two or more zeros is compressed.
fn ipv6_text(address: Ipv6Addr) -> String {
    let pieces = address.segments();
    let (mut from, mut length, mut start) = (0, 0, None);
    for (at, piece) in pieces.iter().enumerate() {
        if *piece != 0 {
            start = None;
            continue;
        }
        let begin = *start.get_or_insert(at);
        if at + 1 - begin > length {
            (from, length) = (begin, at + 1 - begin);
        }
    }
    let mut out = String::from("[");
    for (at, piece) in pieces.iter().enumerate() {
        if length > 1 && (from..from + length).contains(&at) {
            if at == from {
                out.push_str(if at == 0 { "::" } else { ":" });
            }
            continue;
        }
        out.push_str(&format!("{piece:x}"));
        if at < 7 {
            out.push(':');
        }
    }
    out.push(']');
    out
}
