//! Fuzz tests of the allow-list and address classification.

use super::address::is_public;
use super::allow_list::AllowList;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use tgp_base::error::{ErrorCode, PartError};
use tgp_fuzzing::{for_all, texts};
use url::Url;

const PIECES: &[&str] = &[
    "https://",
    "http://",
    "api.example.com",
    "API.example.com",
    "evil.org",
    "/v1",
    "/v1/",
    "/v2",
    "/",
    "..",
    "/../",
    "/./",
    "%2e%2e",
    "%2f",
    "%2F",
    "%5c",
    "\\",
    "%25",
    "%252e",
    "@",
    ":",
    ":443",
    ":444",
    ":80",
    "user",
    "?",
    "#",
    ".",
    "127.0.0.1",
    "0x7f.1",
    "[::1]",
    "2130706433",
    "localhost",
    "\t",
    "\n",
    " ",
    "\u{ff0e}",
    "\u{3002}",
    "xn--",
    "é",
    "%00",
    ";",
    "&",
    "=",
    "a",
];

/// The path as a lenient server resolves it: percent-decoded repeatedly, then with every `..` resolved.
fn resolved_by_a_lenient_server(path: &str) -> Vec<String> {
    let mut text = path.to_owned();
    for _ in 0..8 {
        let decoded = percent_encoding::percent_decode_str(&text).decode_utf8_lossy().into_owned();
        if decoded == text {
            break;
        }
        text = decoded;
    }
    let mut segments: Vec<String> = Vec::new();
    for segment in text.split(['/', '\\']) {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            name => segments.push(name.to_owned()),
        }
    }
    segments
}

#[test]
fn an_allowed_url_has_the_listed_host_and_stays_below_its_path() {
    let list = AllowList::parse(&["https://api.example.com/v1".to_owned()]).unwrap();
    for_all(file!(), &texts(PIECES, 10), |text| {
        for text in
            [text.clone(), format!("https://api.example.com{text}"), format!("https://api.example.com/v1{text}")]
        {
            let Ok(url) = Url::parse(&text) else { continue };
            match list.check(&url) {
                Ok(()) => {
                    assert_eq!((url.scheme(), url.host_str()), ("https", Some("api.example.com")), "{url}");
                    assert_eq!(url.port_or_known_default(), Some(443), "{url}");
                    assert!(url.username().is_empty() && url.password().is_none(), "{url}");
                    let read = resolved_by_a_lenient_server(url.path());
                    assert_eq!(read.first().map(String::as_str), Some("v1"), "{url}");
                }
                Err(error) => assert_ne!(error.code(), ErrorCode::Internal, "{url}"),
            }
        }
    });
}

#[test]
fn an_entry_is_refused_or_allows_its_own_url() {
    for_all(file!(), &texts(PIECES, 6), |entry| {
        let Ok(list) = AllowList::parse(std::slice::from_ref(&entry)) else { return };
        let url = Url::parse(&entry).unwrap();
        let hides = ["%2f", "%5c", "%25"].iter().any(|sign| url.path().to_ascii_lowercase().contains(sign));
        assert_eq!(list.check(&url).is_ok(), !hides, "{entry}");
        assert!(AllowList::parse(&[url.to_string()]).unwrap().check(&url).is_ok() || hides, "{url}");
    });
}

#[test]
fn an_embedded_address_is_as_public_as_the_inner_one() {
    let inputs = proptest::prelude::any::<u32>();
    for_all(file!(), &inputs, |bits| {
        let inner = Ipv4Addr::from(bits);
        let mapped = inner.to_ipv6_mapped();
        assert_eq!(is_public(IpAddr::V6(mapped)), is_public(IpAddr::V4(inner)));
        let [a, b] = [(bits >> 16) as u16, (bits & 0xffff) as u16];
        for other in [Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, a, b), Ipv6Addr::new(0x2002, a, b, 0, 0, 0, 0, 1)] {
            assert_eq!(is_public(IpAddr::V6(other)), is_public(IpAddr::V4(inner)), "{other}");
        }
        let local = inner.is_loopback() || inner.is_private() || inner.is_link_local() || inner.is_unspecified();
        assert!(!(local && is_public(IpAddr::V4(inner))), "{inner}");
    });
}
