//! What is filled in, where, and what is masked.

use super::{BoundSecret, BoundSecrets, Destination, Server, Spelling, Withheld};
use url::Url;

fn secrets() -> BoundSecrets {
    let servers = vec![Server::parse("api.example.com").unwrap(), Server::parse("127.0.0.1:81").unwrap()];
    let functions = vec!["pay".to_owned()];
    let secret = BoundSecret::new("KEY".to_owned(), "a\"b&c/d=1".to_owned(), servers, functions);
    BoundSecrets::new(vec![secret.unwrap()])
}

fn fill(text: &str, url: &str, spelling: Spelling) -> Result<String, Withheld> {
    let url = Url::parse(url).unwrap();
    let to = Destination::Server { url: &url, is_private: url.scheme() == "https" };
    secrets().fill(text.as_bytes(), to, spelling).map(|text| String::from_utf8(text.into_owned()).unwrap())
}

#[test]
fn a_value_is_written_as_its_place_asks() {
    let url = "https://api.example.com/x";
    assert_eq!(fill("Bearer {{secret:KEY}}", url, Spelling::Plain).unwrap(), "Bearer a\"b&c/d=1");
    assert_eq!(fill(r#"{"k":"{{secret:KEY}}"}"#, url, Spelling::Json).unwrap(), r#"{"k":"a\"b&c/d=1"}"#);
    assert_eq!(fill("k={{secret:KEY}}", url, Spelling::Percent).unwrap(), "k=a%22b%26c%2Fd%3D1");
    assert_eq!(fill("k=%7B%7Bsecret%3AKEY%7D%7D", url, Spelling::Plain).unwrap(), "k=a%22b%26c%2Fd%3D1");
    assert_eq!(fill("{{secret}} {{x}}", url, Spelling::Plain).unwrap(), "{{secret}} {{x}}");
}

#[test]
fn it_goes_nowhere_else() {
    for url in ["https://api.example.com.evil.org", "https://api.example.com:444", "https://127.0.0.1", "https://x"] {
        let withheld = fill("{{secret:KEY}}", url, Spelling::Plain).unwrap_err();
        assert!(matches!(withheld, Withheld::NotThere { .. }), "{url}: {withheld}");
    }
    let open = fill("{{secret:KEY}}", "http://127.0.0.1:81", Spelling::Plain).unwrap_err();
    assert!(matches!(open, Withheld::InTheOpen { .. }));
    let unknown = fill("{{secret:OTHER}}", "https://api.example.com", Spelling::Plain).unwrap_err();
    assert!(matches!(unknown, Withheld::Unknown { .. }), "{unknown}");
}

#[test]
fn an_echo_is_masked_in_every_spelling() {
    let echo = r#"a"b&c/d=1 a\"b&c/d=1 a%22b%26c%2Fd%3D1 a\\\"b&c\/d=1 a%22b%26c/d%3d1 a\"b\u0026c/d=1 %61%22b%2526c%252fd%3d%31 a&quot;b&amp;c&#47;d&#x3D;1 \u0061\u0022b\\u0026c/d=\u0031"#;
    let masked = secrets().mask_everywhere(echo.as_bytes()).into_owned();
    assert_eq!(String::from_utf8(masked).unwrap(), ["{{secret:KEY}}"; 9].join(" "));
}

#[test]
fn a_form_writes_spaces_and_tildes_in_its_own_way() {
    let servers = vec![Server::parse("x").unwrap()];
    let secret = BoundSecret::new("KEY".to_owned(), "a ~b-c.d_e + é".to_owned(), servers, Vec::new());
    let secrets = BoundSecrets::new(vec![secret.unwrap()]);
    for echo in
        ["a ~b-c.d_e + é", "a+%7Eb-c.d_e+%2B+%C3%A9", "a%20%7eb%2Dc%2Ed%5Fe%20%2b%20%c3%a9", r"a ~b-c.d_e + \u00e9"]
    {
        assert_eq!(&*secrets.mask_everywhere(echo.as_bytes()), b"{{secret:KEY}}", "{echo}");
    }
    assert_eq!(secrets.mask_text("a ~b-c.d_e".to_owned()), "a ~b-c.d_e");
}

#[test]
fn how_often_it_may_be_named_says_nothing_of_its_length() {
    let most = |value: &str| {
        let servers = vec![Server::parse("x").unwrap()];
        let secret = BoundSecret::new("KEY".to_owned(), value.to_owned(), servers, Vec::new()).unwrap();
        let (secrets, url) = (BoundSecrets::new(vec![secret]), Url::parse("https://x").unwrap());
        let to = Destination::Server { url: &url, is_private: true };
        (1..1000).find(|times| secrets.fill("{{secret:KEY}}".repeat(*times).as_bytes(), to, Spelling::Plain).is_err())
    };
    assert_eq!(most("12345678"), most(&"x".repeat(2 << 10)));
}

#[test]
fn a_long_value_is_found_again() {
    let value = "aZ0bY1cX2dW3+eV4/".repeat(120);
    let secret = BoundSecret::new("KEY".to_owned(), value.clone(), Vec::new(), Vec::new()).unwrap();
    let masked = BoundSecrets::new(vec![secret]).mask_text(format!("<{value}>"));
    assert_eq!(masked, "<{{secret:KEY}}>");
}

#[test]
fn a_beginning_of_a_value_is_masked_where_a_text_was_cut() {
    let value = "0123456789abcdefghijklmnopqrstuv";
    let secret = BoundSecret::new("KEY".to_owned(), value.to_owned(), Vec::new(), Vec::new()).unwrap();
    let secrets = BoundSecrets::new(vec![secret]);
    let masked = |text: &str| String::from_utf8(secrets.mask_beginnings(text.as_bytes()).into_owned()).unwrap();
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
        assert_eq!(secrets().named_in(text.as_bytes()), Some("KEY"), "{text}");
    }
    for text in ["{{secret:OTHER}}", "{{secret:key}}", "KEY"] {
        assert_eq!(secrets().named_in(text.as_bytes()), None, "{text}");
    }
}
