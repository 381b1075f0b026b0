//! URL parser by the WHATWG standard, for the guest's `URL`. The host checks addresses with its own parser.
//!
//! Does not use V8.

mod encode_set;
mod host_text;
mod origin;
mod parse_url;
mod set_part;
mod url_record;

pub use origin::origin;
pub use parse_url::parse;
pub use set_part::set_part;
pub use url_record::WebUrl;

#[cfg(test)]
mod tests {
    use super::{origin, parse, set_part};

    fn href(input: &str, base: &str) -> Option<String> {
        let base = parse(base, None);
        parse(input, base.as_ref()).map(|url| url.href())
    }

    #[test]
    fn parses_as_the_current_standard_requires() {
        for (input, base, expected) in [
            ("file:///w|/m", "", Some("file:///w:/m")),
            ("a:b  ?c", "", Some("a:b %20?c")),
            ("a:b  #c", "", Some("a:b %20#c")),
            ("http://a.xn--pokxncvks", "", Some("http://a.xn--pokxncvks/")),
            ("https://xn--/", "", Some("https://xn--/")),
            ("http://ä.xn--/", "", None),
            ("/", "file://h/C:/a/b", Some("file://h/C:/")),
            ("file:\\\\//", "", Some("file:////")),
            ("///test", "http://a/", Some("http://test/")),
            ("C|/", "file://host/", Some("file://host/C:/")),
            ("..", "abc://x/y/z/C:/", Some("abc://x/y/z/")),
            ("\\a", "foo://foo/a", Some("foo://foo/\\a")),
            ("wss://host/^", "", Some("wss://host/%5E")),
            ("a:/..//p", "", Some("a:/.//p")),
            ("http://0x7f.1/", "", Some("http://127.0.0.1/")),
            ("http://1.2.3.4.5/", "", None),
            ("http://[1:0:0:2::3]/", "", Some("http://[1:0:0:2::3]/")),
            ("http://FAẞ.de/", "", Some("http://xn--fa-hia.de/")),
            ("blob:ws://a/b", "", Some("blob:ws://a/b")),
        ] {
            assert_eq!(href(input, base).as_deref(), expected, "{input} {base}");
        }
        assert_eq!(parse("blob:ws://a/b", None).map(|url| origin(&url)).as_deref(), Some("null"));
    }

    #[test]
    fn setters_follow_the_current_standard() {
        for (from, part, value, expected) in [
            ("a:b  #c", "hash", "", "a:b %20"),
            ("a:/.//p", "hostname", "h", "a://h//p"),
            ("foo:///some", "pathname", "", "foo://"),
            ("a:/", "pathname", "//p", "a:/.//p"),
            ("https://a:3000", "port", "\n\t", "https://a:3000/"),
            ("foo://a/b", "host", ":80", "foo://a/b"),
            ("file://monkey/", "pathname", "\\\\", "file://monkey//"),
        ] {
            let mut url = parse(from, None).unwrap();
            set_part(&mut url, part, value);
            assert_eq!(url.href(), expected, "{from} {part} {value}");
        }
    }
}
