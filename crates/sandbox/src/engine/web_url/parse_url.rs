//! URL parsing. In every state of the standard's parser, the first `#` begins the fragment and the first `?` before it the query:
//! so both are split off first, and the states are functions of the rest.

use super::encode_set::{EncodeSet, encode_into, encoded};
use super::host_text::{HostKind, parse_host};
use super::url_record::{WebUrl, default_port, is_drive_letter};

/// Parses `input` relative to `base`; `None` if it is invalid.
pub fn parse(input: &str, base: Option<&WebUrl>) -> Option<WebUrl> {
    let text = without_breaks(input.trim_matches(|character| character <= ' '));
    let (text, fragment) = split_at_mark(&text, '#');
    let (text, query) = split_at_mark(text, '?');
    let mut url = match split_scheme(text) {
        Some((scheme, rest)) => after_scheme(scheme, rest, Tail { query, fragment }, base)?,
        None => without_scheme(text, Tail { query, fragment }, base?)?,
    };
    if let Some(query) = query {
        url.query = Some(encoded(query, query_set(&url)));
    }
    url.fragment = fragment.map(|fragment| encoded(fragment, EncodeSet::Fragment));
    Some(url)
}

/// Query and fragment.
#[derive(Clone, Copy)]
struct Tail<'a> {
    query: Option<&'a str>,
    fragment: Option<&'a str>,
}

/// Removes line breaks and tabs, which the standard ignores everywhere.
pub fn without_breaks(text: &str) -> String {
    text.chars().filter(|character| !matches!(character, '\t' | '\n' | '\r')).collect()
}

pub fn query_set(url: &WebUrl) -> EncodeSet {
    if url.is_special() { EncodeSet::SpecialQuery } else { EncodeSet::Query }
}

pub fn host_kind(url: &WebUrl) -> HostKind {
    if url.is_special() { HostKind::Domain } else { HostKind::Opaque }
}

/// Whether the character ends a host or a segment.
pub fn is_slash(character: char, is_special: bool) -> bool {
    character == '/' || (is_special && character == '\\')
}

fn split_at_mark(text: &str, mark: char) -> (&str, Option<&str>) {
    text.split_once(mark).map_or((text, None), |(before, after)| (before, Some(after)))
}

/// The scheme in lower case, and what follows its colon.
pub fn split_scheme(text: &str) -> Option<(String, &str)> {
    let (scheme, rest) = text.split_once(':')?;
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.chars().all(|character| character.is_ascii_alphanumeric() || matches!(character, '+' | '-' | '.'));
    is_scheme.then(|| (scheme.to_ascii_lowercase(), rest))
}

fn after_scheme(scheme: String, rest: &str, tail: Tail<'_>, base: Option<&WebUrl>) -> Option<WebUrl> {
    let base = base.filter(|base| base.scheme == scheme);
    let mut url = WebUrl { scheme, ..WebUrl::default() };
    if url.is_file() {
        return file(url, rest, tail, base);
    }
    if url.is_special() {
        if let Some(base) = base
            && !rest.starts_with("//")
        {
            return relative(rest, tail, base);
        }
        return authority(url, without_slashes(rest));
    }
    if let Some(rest) = rest.strip_prefix("//") {
        return authority(url, rest);
    }
    if let Some(rest) = rest.strip_prefix('/') {
        add_path(&mut url, rest);
        return Some(url);
    }
    url.is_opaque = true;
    // A trailing space before `?` or `#` is encoded, because it would be lost when the URL is parsed again.
    match rest.strip_suffix(' ').filter(|_| tail.query.is_some() || tail.fragment.is_some()) {
        Some(rest) => {
            encode_into(&mut url.path, rest, EncodeSet::Control);
            url.path.push_str("%20");
        }
        None => encode_into(&mut url.path, rest, EncodeSet::Control),
    }
    Some(url)
}

fn without_scheme(text: &str, tail: Tail<'_>, base: &WebUrl) -> Option<WebUrl> {
    if base.is_opaque {
        let is_fragment = text.is_empty() && tail.query.is_none() && tail.fragment.is_some();
        return is_fragment.then(|| base.clone());
    }
    if base.is_file() {
        return file(WebUrl { scheme: base.scheme.clone(), ..WebUrl::default() }, text, tail, Some(base));
    }
    relative(text, tail, base)
}

fn relative(rest: &str, tail: Tail<'_>, base: &WebUrl) -> Option<WebUrl> {
    let is_special = base.is_special();
    let mut url = WebUrl { query: None, fragment: None, ..base.clone() };
    if let Some(rest) = rest.strip_prefix(|first| is_slash(first, is_special)) {
        let Some(after) = rest.strip_prefix(|first| is_slash(first, is_special)) else {
            url.path.clear();
            add_path(&mut url, rest);
            return Some(url);
        };
        let url = WebUrl { scheme: url.scheme, ..WebUrl::default() };
        return authority(url, if is_special { without_slashes(after) } else { after });
    }
    if rest.is_empty() {
        url.query = base.query.clone().filter(|_| tail.query.is_none());
        return Some(url);
    }
    url.shorten_path();
    add_path(&mut url, rest);
    Some(url)
}

fn without_slashes(rest: &str) -> &str {
    rest.trim_start_matches(['/', '\\'])
}

/// Parses user, host and port, and the path after them.
fn authority(mut url: WebUrl, rest: &str) -> Option<WebUrl> {
    let is_special = url.is_special();
    let (place, path) = rest.split_at(rest.find(|character| is_slash(character, is_special)).unwrap_or(rest.len()));
    let place = match place.rsplit_once('@') {
        Some((_, "")) => return None,
        Some((credentials, place)) => {
            let (username, password) = credentials.split_once(':').unwrap_or((credentials, ""));
            url.username = encoded(username, EncodeSet::UserInfo);
            url.password = encoded(password, EncodeSet::UserInfo);
            place
        }
        None => place,
    };
    let (host, port) = split_port(place);
    if host.is_empty() && (is_special || port.is_some()) {
        return None;
    }
    url.host = Some(parse_host(host, host_kind(&url))?);
    if let Some(port) = port.filter(|port| !port.is_empty()) {
        url.port = Some(port_number(port)?);
        drop_default_port(&mut url);
    }
    start_path(&mut url, path);
    Some(url)
}

/// Splits host and port at the colon. Colons in brackets are part of an IPv6 address.
pub fn split_port(place: &str) -> (&str, Option<&str>) {
    let mut in_brackets = false;
    for (at, character) in place.char_indices() {
        match character {
            '[' => in_brackets = true,
            ']' => in_brackets = false,
            ':' if !in_brackets => return (place.get(..at).unwrap_or(place), place.get(at + 1..)),
            _ => {}
        }
    }
    (place, None)
}

pub fn port_number(digits: &str) -> Option<u16> {
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() { Some(0) } else { digits.parse().ok() }
}

pub fn drop_default_port(url: &mut WebUrl) {
    if default_port(&url.scheme) == Some(url.port) {
        url.port = None;
    }
}

/// Sets the path of a URL with a host, from its first slash on.
pub fn start_path(url: &mut WebUrl, path: &str) {
    let is_special = url.is_special();
    if is_special || !path.is_empty() {
        add_path(url, path.strip_prefix(|first| is_slash(first, is_special)).unwrap_or(path));
    }
}

/// Appends the segments of `path`.
pub fn add_path(url: &mut WebUrl, path: &str) {
    let is_special = url.is_special();
    let mut segments = path.split(|character| is_slash(character, is_special)).peekable();
    while let Some(segment) = segments.next() {
        let is_last = segments.peek().is_none();
        match dots(segment) {
            0 => {
                url.path.push('/');
                if url.is_file() && url.path.len() == 1 && is_drive_letter(segment) {
                    url.path.extend(segment.chars().take(1));
                    url.path.push(':');
                } else {
                    encode_into(&mut url.path, segment, EncodeSet::Path);
                }
                continue;
            }
            1 => {}
            _ => url.shorten_path(),
        }
        if is_last {
            url.path.push('/');
        }
    }
}

/// Number of dots of a segment that consists of one or two dots, plain or encoded; 0 for other segments.
fn dots(segment: &str) -> usize {
    let mut rest = segment;
    let mut count = 0;
    while !rest.is_empty() {
        let encoded = rest.get(..3).filter(|start| start.eq_ignore_ascii_case("%2e"));
        let after = rest.strip_prefix('.').or_else(|| encoded.and_then(|_| rest.get(3..)));
        let Some(after) = after.filter(|_| count < 2) else { return 0 };
        rest = after;
        count += 1;
    }
    count
}

fn starts_with_drive(rest: &str) -> bool {
    rest.get(..2).is_some_and(is_drive_letter) && rest.chars().nth(2).is_none_or(|third| is_slash(third, true))
}

fn file(mut url: WebUrl, rest: &str, tail: Tail<'_>, base: Option<&WebUrl>) -> Option<WebUrl> {
    url.host = Some(String::new());
    let slash = |text| str::strip_prefix(text, |first| is_slash(first, true));
    let Some(after) = slash(rest) else {
        if let Some(base) = base {
            url.host.clone_from(&base.host);
            url.path.clone_from(&base.path);
            if rest.is_empty() {
                url.query = base.query.clone().filter(|_| tail.query.is_none());
                return Some(url);
            }
            if starts_with_drive(rest) {
                url.path.clear();
            } else {
                url.shorten_path();
            }
        }
        add_path(&mut url, rest);
        return Some(url);
    };
    let Some(place) = slash(after) else {
        if let Some(base) = base {
            url.host.clone_from(&base.host);
            if let Some(drive) = base.first_drive().filter(|_| !starts_with_drive(after)) {
                url.path = format!("/{drive}");
            }
        }
        add_path(&mut url, after);
        return Some(url);
    };
    let (host, path) = place.split_at(place.find(|character| is_slash(character, true)).unwrap_or(place.len()));
    if is_drive_letter(host) {
        add_path(&mut url, place);
        return Some(url);
    }
    url.host = Some(file_host(host)?);
    start_path(&mut url, path);
    Some(url)
}

/// The host of a file URL; `localhost` becomes empty.
pub fn file_host(host: &str) -> Option<String> {
    if host.is_empty() {
        return Some(String::new());
    }
    let host = parse_host(host, HostKind::Domain)?;
    Some(if host == "localhost" { String::new() } else { host })
}
