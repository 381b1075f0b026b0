//! Tests of filling in and masking secrets.

use super::{BoundSecret, BoundSecrets, Destination, SecretEncoding, SecretError, Server};
use url::Url;

fn secrets() -> BoundSecrets {
    let servers = vec![Server::parse("api.example.com").unwrap(), Server::parse("127.0.0.1:81").unwrap()];
    let functions = vec!["pay".to_owned()];
    let secret = BoundSecret::new("KEY".to_owned(), "a\"b&c/d=1".to_owned(), servers, functions);
    BoundSecrets::new(vec![secret.unwrap()])
}

fn fill(text: &str, url: &str, encoding: SecretEncoding) -> Result<String, SecretError> {
    let url = Url::parse(url).unwrap();
    let to = Destination::Server { url: &url, is_private: url.scheme() == "https" };
    secrets().fill(text.as_bytes(), to, encoding).map(|text| String::from_utf8(text.into_owned()).unwrap())
}

#[test]
fn values_are_encoded_for_their_place() {
    let url = "https://api.example.com/x";
    assert_eq!(fill("Bearer {{secret:KEY}}", url, SecretEncoding::Plain).unwrap(), "Bearer a\"b&c/d=1");
    assert_eq!(fill(r#"{"k":"{{secret:KEY}}"}"#, url, SecretEncoding::Json).unwrap(), r#"{"k":"a\"b&c/d=1"}"#);
    assert_eq!(fill("k={{secret:KEY}}", url, SecretEncoding::Percent).unwrap(), "k=a%22b%26c%2Fd%3D1");
    assert_eq!(fill("k=%7B%7Bsecret%3AKEY%7D%7D", url, SecretEncoding::Plain).unwrap(), "k=a%22b%26c%2Fd%3D1");
    assert_eq!(fill("{{secret}} {{x}}", url, SecretEncoding::Plain).unwrap(), "{{secret}} {{x}}");
}

#[test]
fn a_secret_is_refused_to_other_destinations() {
    for url in ["https://api.example.com.evil.org", "https://api.example.com:444", "https://127.0.0.1", "https://x"] {
        let error = fill("{{secret:KEY}}", url, SecretEncoding::Plain).unwrap_err();
        assert!(matches!(error, SecretError::WrongDestination { .. }), "{url}: {error}");
    }
    let open = fill("{{secret:KEY}}", "http://127.0.0.1:81", SecretEncoding::Plain).unwrap_err();
    assert!(matches!(open, SecretError::Insecure { .. }));
    let unknown = fill("{{secret:OTHER}}", "https://api.example.com", SecretEncoding::Plain).unwrap_err();
    assert!(matches!(unknown, SecretError::Unknown { .. }), "{unknown}");
}

#[test]
fn an_echo_is_masked_in_every_encoding() {
    let echo = r#"a"b&c/d=1 a\"b&c/d=1 a%22b%26c%2Fd%3D1 a\\\"b&c\/d=1 a%22b%26c/d%3d1 a\"b\u0026c/d=1 %61%22b%2526c%252fd%3d%31 a&quot;b&amp;c&#47;d&#x3D;1 \u0061\u0022b\\u0026c/d=\u0031"#;
    let masked = secrets().mask_bytes(echo.as_bytes()).into_owned();
    assert_eq!(String::from_utf8(masked).unwrap(), ["{{secret:KEY}}"; 9].join(" "));
}

#[test]
fn an_echo_is_masked_in_form_encoding() {
    let servers = vec![Server::parse("x").unwrap()];
    let secret = BoundSecret::new("KEY".to_owned(), "a ~b-c.d_e + é".to_owned(), servers, Vec::new());
    let secrets = BoundSecrets::new(vec![secret.unwrap()]);
    for echo in
        ["a ~b-c.d_e + é", "a+%7Eb-c.d_e+%2B+%C3%A9", "a%20%7eb%2Dc%2Ed%5Fe%20%2b%20%c3%a9", r"a ~b-c.d_e + \u00e9"]
    {
        assert_eq!(&*secrets.mask_bytes(echo.as_bytes()), b"{{secret:KEY}}", "{echo}");
    }
    assert_eq!(secrets.mask_text("a ~b-c.d_e".to_owned()), "a ~b-c.d_e");
}

#[test]
fn the_placeholder_limit_does_not_reveal_the_length() {
    let most = |value: &str| {
        let servers = vec![Server::parse("x").unwrap()];
        let secret = BoundSecret::new("KEY".to_owned(), value.to_owned(), servers, Vec::new()).unwrap();
        let (secrets, url) = (BoundSecrets::new(vec![secret]), Url::parse("https://x").unwrap());
        let to = Destination::Server { url: &url, is_private: true };
        (1..1000)
            .find(|times| secrets.fill("{{secret:KEY}}".repeat(*times).as_bytes(), to, SecretEncoding::Plain).is_err())
    };
    assert_eq!(most("12345678"), most(&"x".repeat(2 << 10)));
}

#[test]
fn a_long_value_is_masked() {
    let value = "aZ0bY1cX2dW3+eV4/".repeat(120);
    let secret = BoundSecret::new("KEY".to_owned(), value.clone(), Vec::new(), Vec::new()).unwrap();
    let masked = BoundSecrets::new(vec![secret]).mask_text(format!("<{value}>"));
    assert_eq!(masked, "<{{secret:KEY}}>");
}

#[test]
fn a_prefix_of_a_value_is_masked_in_truncated_text() {
    let value = "0123456789abcdefghijklmnopqrstuv";
    let secret = BoundSecret::new("KEY".to_owned(), value.to_owned(), Vec::new(), Vec::new()).unwrap();
    let secrets = BoundSecrets::new(vec![secret]);
    let masked = |text: &str| String::from_utf8(secrets.mask_prefixes(text.as_bytes()).into_owned()).unwrap();
    for length in 16..=value.len() {
        let cut = value.get(..length).unwrap();
        assert_eq!(masked(&format!("a {cut}\" {cut}…")), "a {{secret:KEY}}\" {{secret:KEY}}…", "{length}");
    }
    for plain in ["", "0", "01234567 89", "the end of 9abcdefghijklmnopqrstuv"] {
        assert_eq!(masked(plain), plain);
    }
}

#[test]
fn a_server_is_a_host_with_or_without_a_port() {
    for good in ["api.example.com", "api.example.com:8443", "127.0.0.1:80", "localhost:443", "[::1]:9"] {
        assert!(Server::parse(good).is_some(), "{good}");
    }
    for bad in ["", "https://x", "x/y", "u@x", "x:y", "x:99999", " x", "a b"] {
        assert!(Server::parse(bad).is_none(), "{bad}");
    }
    let at = |server: &str, url: &str| Server::parse(server).unwrap().is_at(&Url::parse(url).unwrap());
    assert!(at("localhost:80", "http://localhost/") && !at("localhost:80", "https://localhost/"));
    assert!(at("localhost:443", "https://localhost/") && !at("localhost:443", "http://localhost/"));
}

#[test]
fn a_placeholder_of_a_known_secret_is_found() {
    for text in ["x {{secret:KEY}} y", "{{ secret: KEY }}", "%7B%7Bsecret%3AKEY%7D%7D"] {
        assert_eq!(secrets().first_named_in(text.as_bytes()), Some("KEY"), "{text}");
    }
    for text in ["{{secret:OTHER}}", "{{secret:key}}", "KEY"] {
        assert_eq!(secrets().first_named_in(text.as_bytes()), None, "{text}");
    }
}
