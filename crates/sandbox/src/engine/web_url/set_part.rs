//! Setters for parts of a URL. Invalid values are ignored, as the standard requires.

use super::encode_set::{EncodeSet, encoded};
use super::host_text::parse_host;
use super::parse_url::{
    add_path, drop_default_port, file_host, host_kind, is_slash, port_number, query_set, split_port, split_scheme,
    start_path, without_breaks,
};
use super::url_record::{WebUrl, is_special};

/// Sets the part with the name of the `URL` property.
pub fn set_part(url: &mut WebUrl, part: &str, value: &str) {
    match part {
        "protocol" => set_scheme(url, value),
        "username" if !url.cannot_have_port() => url.username = encoded(value, EncodeSet::UserInfo),
        "password" if !url.cannot_have_port() => url.password = encoded(value, EncodeSet::UserInfo),
        "host" if !url.is_opaque => drop(set_host(url, value, WithPort::Allowed)),
        "hostname" if !url.is_opaque => drop(set_host(url, value, WithPort::Refused)),
        "port" if !url.cannot_have_port() => set_port(url, value),
        "pathname" if !url.is_opaque => set_path(url, value),
        "search" => url.query = marked_part(value, '?').map(|query| encoded(&query, query_set(url))),
        "hash" => url.fragment = marked_part(value, '#').map(|fragment| encoded(&fragment, EncodeSet::Fragment)),
        _ => {}
    }
}

/// The part without its leading mark; `None` for an empty value.
fn marked_part(value: &str, mark: char) -> Option<String> {
    (!value.is_empty()).then(|| without_breaks(value.strip_prefix(mark).unwrap_or(value)))
}

fn set_scheme(url: &mut WebUrl, value: &str) {
    let text = format!("{}:", without_breaks(value));
    let Some((scheme, _)) = split_scheme(&text) else { return };
    let would_lose_authority = scheme == "file" && (url.has_credentials() || url.port.is_some());
    let has_no_host = url.is_file() && url.host.as_deref().is_none_or(str::is_empty);
    if is_special(&scheme) == url.is_special() && !would_lose_authority && !has_no_host {
        url.scheme = scheme;
        drop_default_port(url);
    }
}

/// Whether the value of a host setter may include a port.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WithPort {
    Allowed,
    Refused,
}

fn set_host(url: &mut WebUrl, value: &str, with_port: WithPort) -> Option<()> {
    let text = without_breaks(value);
    let special = url.is_special();
    let ends = |character: char| is_slash(character, special) || matches!(character, '?' | '#');
    let place = text.split(ends).next().unwrap_or_default();
    if url.is_file() {
        url.host = Some(file_host(place)?);
        return Some(());
    }
    let (host, port) = split_port(place);
    if port.is_some() && (host.is_empty() || with_port == WithPort::Refused) {
        return None;
    }
    if host.is_empty() && (special || url.has_credentials() || url.port.is_some()) {
        return None;
    }
    url.host = Some(parse_host(host, host_kind(url))?);
    if let Some(port) = port {
        take_port(url, port);
    }
    Some(())
}

fn set_port(url: &mut WebUrl, value: &str) {
    if value.is_empty() {
        url.port = None;
    } else {
        take_port(url, &without_breaks(value));
    }
}

/// Sets the port to the leading digits; without digits it does not change.
fn take_port(url: &mut WebUrl, text: &str) {
    let digits = text.split(|character: char| !character.is_ascii_digit()).next().unwrap_or_default();
    if let Some(port) = port_number(digits).filter(|_| !digits.is_empty()) {
        url.port = Some(port);
        drop_default_port(url);
    }
}

fn set_path(url: &mut WebUrl, value: &str) {
    let text = without_breaks(value);
    url.path.clear();
    if text.is_empty() && url.host.is_none() {
        add_path(url, "");
    } else {
        start_path(url, &text);
    }
}
