//! URLs and form encoding for the realm, by the WHATWG rules of the `url` crate.

use super::native::{Arguments, Returned, give_text, guarded};
use url::{Url, form_urlencoded, quirks};

/// `urlParse(input, base)`: the parts of the URL, or undefined when it is none.
pub fn url_parse(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let input = arguments.get(0).to_rust_string_lossy(scope);
        let base = arguments.get(1);
        let parsed = if base.is_undefined() {
            Url::parse(&input).ok()
        } else {
            let base = base.to_rust_string_lossy(scope);
            Url::parse(&base).ok().and_then(|base| base.join(&input).ok())
        };
        if let Some(url) = parsed {
            give_text(scope, &mut returned, &parts(&url));
        }
    });
}

/// `urlSet(href, part, value)`: the parts of the changed URL; a value that does not fit changes nothing.
pub fn url_set(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let href = arguments.get(0).to_rust_string_lossy(scope);
        let part = arguments.get(1).to_rust_string_lossy(scope);
        let value = arguments.get(2).to_rust_string_lossy(scope);
        let Ok(mut url) = Url::parse(&href) else { return };
        change(&mut url, &part, &value);
        give_text(scope, &mut returned, &parts(&url));
    });
}

/// `formParse(text)`: names and values one after the other.
pub fn form_parse(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let text = arguments.get(0).to_rust_string_lossy(scope);
        let mut flat = Vec::new();
        for (name, value) in form_urlencoded::parse(text.as_bytes()) {
            for part in [name, value] {
                let Some(part) = v8::String::new(scope, &part) else { return };
                flat.push(part.into());
            }
        }
        let flat = v8::Array::new_with_elements(scope, &flat);
        returned.set(flat.into());
    });
}

/// `formSerialize(flat)`: the text of names and values one after the other.
pub fn form_serialize(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Ok(flat) = v8::Local::<'_, v8::Array>::try_from(arguments.get(0)) else { return };
        let mut serializer = form_urlencoded::Serializer::new(String::new());
        let mut index = 0;
        while index + 1 < flat.length() {
            let (Some(name), Some(value)) = (flat.get_index(scope, index), flat.get_index(scope, index + 1)) else {
                return;
            };
            serializer.append_pair(&name.to_rust_string_lossy(scope), &value.to_rust_string_lossy(scope));
            index += 2;
        }
        give_text(scope, &mut returned, &serializer.finish());
    });
}

/// One part per line, in the order that `url.js` reads them. No part of a parsed URL holds a line break.
fn parts(url: &Url) -> String {
    [
        quirks::href(url),
        &quirks::origin(url),
        quirks::protocol(url),
        quirks::username(url),
        quirks::password(url),
        quirks::host(url),
        quirks::hostname(url),
        quirks::port(url),
        quirks::pathname(url),
        quirks::search(url),
        quirks::hash(url),
    ]
    .into_iter()
    .flat_map(|part| [part, "\n"])
    .collect()
}

/// The setters of the standard ignore what they cannot use, and so does this.
fn change(url: &mut Url, part: &str, value: &str) {
    let _ignored = match part {
        "protocol" => quirks::set_protocol(url, value),
        "username" => quirks::set_username(url, value),
        "password" => quirks::set_password(url, value),
        "host" => quirks::set_host(url, value),
        "hostname" => quirks::set_hostname(url, value),
        "port" => quirks::set_port(url, value),
        "pathname" => {
            quirks::set_pathname(url, value);
            Ok(())
        }
        "search" => {
            quirks::set_search(url, value);
            Ok(())
        }
        "hash" => {
            quirks::set_hash(url, value);
            Ok(())
        }
        _ => Err(()),
    };
}
