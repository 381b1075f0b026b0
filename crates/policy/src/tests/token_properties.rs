//! Properties of tokens: they only get narrower, and no byte can be changed.

use super::tokens::keys;
use super::world::{Dice, call, tools};
use crate::{CallFacts, Decision, Fact, attenuate, issue, verify};
use serde_json::{Value, json};
use tgp_base::mode::Mode;

fn caveats(dice: &mut Dice) -> Value {
    let targets = [
        json!("*"),
        json!(["read", "write"]),
        json!(["write_file", "net"]),
        json!(["sql"]),
        json!(["exec_tool", "read"]),
    ];
    let paths = [json!(["a/**"]), json!(["**"]), json!(["a/*", "b/**"]), json!(["a/b"])];
    let mut found = json!({"allow": dice.pick(&targets)});
    let mut put = |key: &str, value: Value| {
        found.as_object_mut().unwrap().insert(key.to_owned(), value);
    };
    match dice.roll(8) {
        0 | 1 => put("paths", dice.pick(&paths).clone()),
        2 => put("hosts", json!(["*.example.com"])),
        3 => put("tables", json!(["orders"])),
        4 => put("principal", json!(["agent:a*"])),
        5 => put("mode", json!(["strict", "explore"])),
        6 => put("expires", json!(dice.roll(100))),
        _ => put("args", json!({"/limit": [1, 2]})),
    }
    found
}

fn calls(dice: &mut Dice) -> CallFacts {
    let path = dice.pick(&["a/b", "a/b/c", "b/x", "c"]);
    let json = match dice.roll(6) {
        0 => json!({"tool": "read_file", "args": {"path": path, "limit": dice.roll(4)}}),
        1 => json!({"tool": "write_file", "args": {"path": path}}),
        2 => json!({"tool": "fetch", "args": {"url": *dice.pick(&["https://a.example.com", "https://b.org"])}}),
        3 => json!({"tool": "exec_sql", "args": {"sql": *dice.pick(&["select 1 from orders", "delete from x", "??"])}}),
        4 => json!({"tool": "exec_tool", "args": {"path": path}}),
        _ => json!({"tool": "download", "args": {"url": "https://a.example.com", "path": path}}),
    };
    let mut call = call(json);
    call.principal = dice.pick(&[Fact::Nothing, Fact::Known("abc".to_owned()), Fact::Known("x".to_owned())]).clone();
    call.mode = *dice.pick(&Mode::ALL);
    call
}

#[test]
fn a_narrowed_token_never_allows_what_its_parent_did_not() {
    let (keys, tools) = (keys(), tools());
    let mut dice = Dice(0xD1CE);
    let (mut allowed, mut narrowed) = (0, 0);
    for _ in 0..150 {
        let mut token = issue(&keys, &json!({"allow": "*"}), &tools).unwrap();
        let mut chain = vec![verify(&keys, &token).unwrap()];
        for _ in 0..=dice.roll(3) {
            let caveats = caveats(&mut dice);
            token = attenuate(&token, &caveats).unwrap();
            chain.push(verify(&keys, &token).unwrap());
        }
        for _ in 0..30 {
            let (call, now) = (calls(&mut dice), u64::try_from(dice.roll(120)).unwrap());
            let verdicts: Vec<Decision> =
                chain.iter().map(|capability| capability.judge(&call, now).decision).collect();
            assert!(verdicts.is_sorted(), "{verdicts:?} {call:?}");
            allowed += usize::from(verdicts.last() == Some(&Decision::Allow));
            narrowed += usize::from(verdicts.last() == Some(&Decision::Deny));
        }
    }
    assert!(allowed > 100 && narrowed > 100, "the dice must show both: {allowed} {narrowed}");
}

#[test]
fn may_allow_holds_for_every_allowed_call() {
    let (keys, tools) = (keys(), tools());
    let mut dice = Dice(0x5EE);
    let (mut allowed, mut hidden) = (0, 0);
    for _ in 0..150 {
        let mut token = issue(&keys, &json!({"allow": "*"}), &tools).unwrap();
        for _ in 0..=dice.roll(3) {
            token = attenuate(&token, &caveats(&mut dice)).unwrap();
        }
        let capability = verify(&keys, &token).unwrap();
        for _ in 0..30 {
            let (call, now) = (calls(&mut dice), u64::try_from(dice.roll(120)).unwrap());
            let some = tools.some_call(&call.tool);
            let some = CallFacts { principal: call.principal.clone(), mode: call.mode, ..some };
            let is_shown = capability.may_allow(&some, now);
            if capability.judge(&call, now).decision == Decision::Allow {
                assert!(is_shown, "{call:?}");
                allowed += 1;
            }
            hidden += usize::from(!is_shown);
        }
    }
    assert!(allowed > 100 && hidden > 100, "the dice must show both: {allowed} {hidden}");
}

#[test]
fn every_changed_character_is_refused() {
    let keys = keys();
    let token = issue(&keys, &json!({"allow": "read", "expires": 5}), &tools()).unwrap();
    let token = attenuate(&token, &json!({"paths": ["a/**"], "calls": 2})).unwrap();
    let letters: Vec<char> = token.chars().collect();
    for at in 0..letters.len() {
        for other in ['A', 'B', 'Q', 'w', '_', '-', '=', '.', ' ', '/', '\0'] {
            let mut changed = letters.clone();
            if changed[at] == other {
                continue;
            }
            changed[at] = other;
            let changed: String = changed.into_iter().collect();
            assert!(verify(&keys, &changed).is_err(), "{changed}");
        }
        let mut shorter = letters.clone();
        shorter.remove(at);
        assert!(verify(&keys, &shorter.into_iter().collect::<String>()).is_err());
        let mut longer = letters.clone();
        longer.insert(at, 'A');
        assert!(verify(&keys, &longer.into_iter().collect::<String>()).is_err());
        let cut: String = letters.iter().take(at).collect();
        assert!(verify(&keys, &cut).is_err());
        // Narrowing has no key and cannot detect a changed token; verifying can.
        assert!(attenuate(&cut, &json!({"calls": 1})).and_then(|token| verify(&keys, &token)).is_err());
    }
    for foreign in
        ["", "tgp_", "tgp_AAAA", "Bearer x", &"A".repeat(100_000), &format!("{token}A"), &format!("{token}=")]
    {
        assert!(verify(&keys, foreign).is_err(), "{foreign}");
    }
}

#[test]
fn caveats_cannot_be_removed_swapped_or_moved() {
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    let keys = keys();
    let decode = |token: &str| URL_SAFE_NO_PAD.decode(token.strip_prefix("tgp_").unwrap()).unwrap();
    let encode = |bytes: &[u8]| format!("tgp_{}", URL_SAFE_NO_PAD.encode(bytes));
    let root = issue(&keys, &json!({"allow": "*"}), &tools()).unwrap();
    let narrow = attenuate(&root, &json!({"allow": "read"})).unwrap();
    let (wide, bytes) = (decode(&root), decode(&narrow));
    // The caveats of the parent, the proof of the child.
    let proof = &bytes[bytes.len() - 32..];
    assert!(verify(&keys, &encode(&[&wide[..wide.len() - 32], proof].concat())).is_err());
    // The other way round.
    assert!(verify(&keys, &encode(&[&bytes[..bytes.len() - 32], &wide[wide.len() - 32..]].concat())).is_err());
    // Both sets of caveats in the other order.
    let header = &bytes[..25];
    let blocks = &bytes[25..bytes.len() - 32];
    let first = 2 + usize::from(u16::from_be_bytes([blocks[0], blocks[1]]));
    let swapped = [header, &blocks[first..], &blocks[..first], proof].concat();
    assert!(verify(&keys, &encode(&swapped)).is_err());
    // The header of another token.
    let other = decode(&issue(&keys, &json!({"allow": "*"}), &tools()).unwrap());
    assert!(verify(&keys, &encode(&[&other[..25], &wide[25..]].concat())).is_err());
    assert!(verify(&keys, &encode(&wide)).is_ok() && verify(&keys, &encode(&bytes)).is_ok());
}

#[test]
fn forged_blocks_are_limited_and_refused() {
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use ring::hmac;
    let keys = keys();
    let root = issue(&keys, &json!({"allow": "*"}), &tools()).unwrap();
    let bytes = URL_SAFE_NO_PAD.decode(root.strip_prefix("tgp_").unwrap()).unwrap();
    let deep = format!("{}{}", "[".repeat(2_000), "]".repeat(2_000));
    for block in ["", "{}", "null", "{\"unknown\":1}", "{\"allow\":", "{\"paths\":[\"/\"]}", &deep, "\u{0}"] {
        let (body, link) = bytes.split_at(bytes.len() - 32);
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, link), block.as_bytes());
        let length = u16::try_from(block.len()).unwrap().to_be_bytes();
        let token = [body, &length, block.as_bytes(), tag.as_ref()].concat();
        let error = verify(&keys, &format!("tgp_{}", URL_SAFE_NO_PAD.encode(token))).unwrap_err().to_string();
        assert!(error.contains("caveats that this kernel does not support"), "{error}");
    }
}
