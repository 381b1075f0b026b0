//! URLs and form encoding for the realm, by the WHATWG rules.

use super::booking::{book, copy_text};
use super::callback::{Arguments, Returned, give_text, guarded};
use crate::engine::web_url::{WebUrl, origin, parse, set_part};
use url::form_urlencoded;

/// Copies of a URL's text during parsing, where one byte may become three.
const COPIES: usize = 6;
/// The same for text that is written as part of a form.
const ESCAPED: usize = 4;
/// Memory of one part of a form beside its text: a V8 handle and an array element.
const PART_BYTES: usize = 16;

/// `urlParse(input, base)`: the parts of the URL, or undefined if `input` is not a valid URL.
pub fn url_parse(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((input, _booked)) = copy_text(scope, arguments.get(0), COPIES) else { return };
        let base = arguments.get(1);
        let parsed = if base.is_undefined() {
            parse(&input, None)
        } else {
            let Some((base, _booked)) = copy_text(scope, base, COPIES) else { return };
            parse(&base, None).and_then(|base| parse(&input, Some(&base)))
        };
        if let Some(url) = parsed {
            give_text(scope, &mut returned, &parts(&url));
        }
    });
}

/// `urlSet(href, part, value)`: the parts of the changed URL; an invalid value is ignored.
pub fn url_set(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((href, _href)) = copy_text(scope, arguments.get(0), COPIES) else { return };
        let Some((part, _part)) = copy_text(scope, arguments.get(1), 1) else { return };
        let Some((value, _value)) = copy_text(scope, arguments.get(2), COPIES) else { return };
        let Some(mut url) = parse(&href, None) else { return };
        set_part(&mut url, &part, &value);
        give_text(scope, &mut returned, &parts(&url));
    });
}

/// `formParse(text)`: names and values in turn, without a leading question mark.
pub fn form_parse(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((text, _booked)) = copy_text(scope, arguments.get(0), 1) else { return };
        let parts = text.bytes().filter(|byte| *byte == b'&').count().saturating_add(1).saturating_mul(2);
        let Some(_handles) = book(scope, parts.saturating_mul(PART_BYTES)) else { return };
        let mut flat = Vec::new();
        let form = text.strip_prefix('?').unwrap_or(&text);
        for (name, value) in form_urlencoded::parse(form.as_bytes()) {
            for part in [name, value] {
                let Some(part) = v8::String::new(scope, &part) else { return };
                flat.push(part.into());
            }
        }
        let flat = v8::Array::new_with_elements(scope, &flat);
        returned.set(flat.into());
    });
}

/// `formSerialize(flat)`: the text of names and values in turn.
pub fn form_serialize(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Ok(flat) = v8::Local::<'_, v8::Array>::try_from(arguments.get(0)) else { return };
        let Some(parts) = texts_of(scope, flat) else { return };
        let length: usize = parts.iter().map(|part| part.length()).sum();
        let Some(_booked) = book(scope, length.saturating_mul(ESCAPED)) else { return };
        let mut serializer = form_urlencoded::Serializer::new(String::new());
        for pair in parts.chunks_exact(2) {
            if let [name, value] = pair {
                serializer.append_pair(&name.to_rust_string_lossy(scope), &value.to_rust_string_lossy(scope));
            }
        }
        give_text(scope, &mut returned, &serializer.finish());
    });
}

/// The elements of an array of strings.
fn texts_of<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    flat: v8::Local<'_, v8::Array>,
) -> Option<Vec<v8::Local<'s, v8::String>>> {
    let _booked = book(scope, (flat.length() as usize).saturating_mul(PART_BYTES))?;
    (0..flat.length()).map(|index| flat.get_index(scope, index)?.try_into().ok()).collect()
}

/// One part per line, in the order that `url.js` reads them. No part of a parsed URL holds a line break.
fn parts(url: &WebUrl) -> String {
    let parts: [&str; 11] = [
        &url.href(),
        &origin(url),
        &format!("{}:", url.scheme),
        &url.username,
        &url.password,
        &url.host_text(),
        url.host.as_deref().unwrap_or_default(),
        &url.port_text(),
        &url.path,
        &url.search(),
        &url.hash(),
    ];
    parts.into_iter().flat_map(|part| [part, "\n"]).collect()
}
