//! Tokens: what they allow, and what is refused.

use super::world::{call, tools};
use crate::{Capability, Decision, Key, Keys, PolicyError, TokenId, attenuate, issue, verify};
use serde_json::{Value, json};
use tgp_base::error::{ErrorCode, PartError};

pub fn keys() -> Keys {
    Keys::new(Key::new(&[7; 32]).unwrap(), Vec::new())
}

fn issued(caveats: Value) -> String {
    issue(&keys(), &caveats, &tools()).unwrap()
}

fn capability(token: &str) -> Capability {
    verify(&keys(), token).unwrap()
}

fn reason(result: Result<Capability, PolicyError>) -> String {
    let error = result.unwrap_err();
    assert_eq!(error.code(), ErrorCode::Denied);
    assert_eq!(error.details()["rule"], "token");
    error.to_string()
}

#[test]
fn a_token_allows_what_all_its_caveats_cover() {
    let token = issued(json!({"anyOf": [
        {"allow": ["write_file", "read"], "paths": ["reports/**"]},
        {"allow": ["net"], "hosts": ["api.example.com"]},
    ], "expires": "2026-12-01T00:00:00Z"}));
    let narrower = attenuate(&token, &json!({"allow": ["write", "net"], "principal": "agent:sub"})).unwrap();
    let (wide, narrow) = (capability(&token), capability(&narrower));
    let sub = json!({"agent": "sub"});
    for (json, by_wide, by_narrow) in [
        (json!({"tool": "write_file", "args": {"path": "reports/a"}, "principal": sub}), true, true),
        (json!({"tool": "write_file", "args": {"path": "reports/a"}}), true, false),
        (json!({"tool": "write_file", "args": {"path": "other"}, "principal": sub}), false, false),
        (json!({"tool": "write_file", "args": {}, "principal": sub}), false, false),
        (json!({"tool": "delete_file", "args": {"path": "reports/a"}, "principal": sub}), false, false),
        (json!({"tool": "read_file", "args": {"path": "reports/a"}, "principal": sub}), true, false),
        (json!({"tool": "search_files", "args": {"pattern": "x"}, "principal": sub}), false, false),
        (json!({"tool": "fetch", "args": {"url": "https://api.example.com"}, "principal": sub}), true, true),
        (json!({"tool": "fetch", "args": {"url": "https://b.org"}, "principal": sub}), false, false),
        (json!({"tool": "fetch", "principal": sub}), false, false),
        // One alternative must cover all effects.
        (
            json!({"tool": "download", "args": {"url": "https://api.example.com", "path": "reports/a"}, "principal": sub}),
            false,
            false,
        ),
        (json!({"tool": "ping", "principal": sub}), false, false),
    ] {
        let call = call(json.clone());
        let decision = |allowed: bool| if allowed { Decision::Allow } else { Decision::Deny };
        assert_eq!(wide.judge(&call, 0).decision, decision(by_wide), "{json}");
        assert_eq!(narrow.judge(&call, 0).decision, decision(by_narrow), "{json}");
    }
}

#[test]
fn a_denial_proposes_a_covered_call() {
    let capability = capability(&issued(json!({"allow": ["write_file"], "paths": ["reports/**"]})));
    let verdict = capability.judge(&call(json!({"tool": "write_file", "args": {"path": "x"}})), 0);
    assert_eq!((&*verdict.rule, &*verdict.reason), ("token", "The token does not cover this call."));
    assert_eq!(*verdict.at, format!("token:{}", capability.id().unwrap()));
    assert_eq!(verdict.nearest.as_deref(), Some("write_file on paths matching 'reports/**'."));
    let verdict = capability.judge(&call(json!({"tool": "ping"})), 0);
    assert_eq!(verdict.nearest, None);
}

#[test]
fn the_stricter_of_policy_and_token_wins() {
    let policy = super::world::policy("default: ask\nrules: [{ id: r, allow: read }, { id: s, deny: shell }]");
    let capability = capability(&issued(json!({"allow": ["read", "write", "shell"], "paths": ["a/**"]})));
    for (json, verdict, rule) in [
        (json!({"tool": "read_file", "args": {"path": "a/b"}}), "allow", "r"),
        (json!({"tool": "read_file", "args": {"path": "b"}}), "deny", "token"),
        (json!({"tool": "write_file", "args": {"path": "a/b"}}), "ask", "default"),
        (json!({"tool": "shell", "args": {"command": "ls"}}), "deny", "s"),
    ] {
        let call = call(json.clone());
        let found = policy.judge(&call).or_stricter(capability.judge(&call, 0));
        assert_eq!((found.decision.as_str(), &*found.rule), (verdict, rule), "{json}");
    }
}

#[test]
fn a_token_expires_at_its_earliest_expiry() {
    let token = issued(json!({"allow": "*", "expires": 2_000}));
    let later = attenuate(&token, &json!({"expires": 9_000})).unwrap();
    let sooner = attenuate(&token, &json!({"expires": 1_000})).unwrap();
    let ping = call(json!({"tool": "ping"}));
    for (token, now, allowed) in [
        (&token, 1_999, true),
        (&token, 2_000, false),
        (&later, 1_999, true),
        (&later, 2_000, false),
        (&sooner, 999, true),
        (&sooner, 1_000, false),
    ] {
        let verdict = capability(token).judge(&ping, now);
        assert_eq!(verdict.decision == Decision::Allow, allowed, "{now}");
        assert!(allowed || verdict.reason.contains("expired"));
    }
}

#[test]
fn keys_rotate_and_tokens_are_revoked() {
    let old = issued(json!({"allow": "*"}));
    let child = attenuate(&old, &json!({"allow": "read"})).unwrap();
    let grandchild = attenuate(&child, &json!({"paths": "a"})).unwrap();
    let new_key = Key::new(&[8; 40]).unwrap();
    let mut rotated = Keys::new(new_key.clone(), vec![Key::new(&[7; 32]).unwrap()]);
    assert!(verify(&rotated, &old).is_ok() && verify(&rotated, &grandchild).is_ok());
    assert!(reason(verify(&Keys::new(new_key, Vec::new()), &old)).contains("not a token of this kernel"));
    let fresh = issue(&rotated, &json!({"allow": "*"}), &tools()).unwrap();
    assert!(verify(&rotated, &fresh).is_ok() && verify(&keys(), &fresh).is_err());
    let id = verify(&rotated, &child).unwrap().id().unwrap();
    assert_eq!(TokenId::parse(&id.to_string()), Some(id));
    rotated.revoke(id);
    assert!(verify(&rotated, &old).is_ok());
    assert!(reason(verify(&rotated, &child)).contains("revoked"));
    assert!(reason(verify(&rotated, &grandchild)).contains("revoked"));
}

#[test]
fn invalid_caveats_are_refused() {
    for (caveats, words) in [
        (json!({}), "caveats: There are no caveats"),
        (json!([]), "caveats: A set of caveats must be a map"),
        (json!({"expire": 1}), "caveats.expire: A set of caveats has no key 'expire'. Did you mean 'expires'?"),
        (json!({"expires": "tomorrow"}), "caveats.expires: 'expires' must be milliseconds"),
        (json!({"expires": -1}), "'expires' must be"),
        (json!({"expires": 1.5}), "'expires' must be"),
        (json!({"calls": 0}), "caveats.calls: 'calls' must be a whole number from 1"),
        (json!({"budget": "5"}), "'budget' must be a whole number"),
        (json!({"allow": ["rite"]}), "caveats.allow[0]: There is no tool or effect 'rite'. Did you mean 'write'?"),
        (json!({"paths": []}), "caveats.paths: 'paths' is an empty list"),
        (json!({"paths": ["/x"]}), "can never match"),
        (json!({"allow": "read", "hosts": ["a.example"]}), "'hosts' never holds for 'read'"),
        (json!({"anyOf": []}), "'anyOf' is an empty list"),
        (json!({"anyOf": [{}]}), "An alternative without conditions covers everything"),
        (json!({"anyOf": [{"calls": 1}]}), "An alternative has no key 'calls'"),
        (json!({"anyOf": [{"allow": "read"}], "paths": "a"}), "'paths' is not allowed beside 'anyOf'"),
        (json!({"deny": ["read"]}), "A set of caveats has no key 'deny'"),
        (json!({"allow": "send_mail", "args": {"/a": "x".repeat(5_000)}}), "longer than 4096 bytes"),
    ] {
        let error = issue(&keys(), &caveats, &tools()).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(error.code(), ErrorCode::Validation);
    }
    // Names are not checked when a token is narrowed; a name that no tool has covers nothing.
    let token = attenuate(&issued(json!({"allow": "*"})), &json!({"allow": ["rite"]})).unwrap();
    assert_eq!(capability(&token).judge(&call(json!({"tool": "ping"})), 0).decision, Decision::Deny);
    assert!(Key::new(&[1; 31]).unwrap_err().to_string().contains("at least 32 bytes"));
}

#[test]
fn tokens_have_size_limits() {
    let mut token = issued(json!({"allow": "*"}));
    for _ in 0..31 {
        token = attenuate(&token, &json!({"allow": "*"})).unwrap();
    }
    assert!(verify(&keys(), &token).is_ok());
    assert!(
        attenuate(&token, &json!({"allow": "*"})).unwrap_err().to_string().contains("32 times, which is the limit")
    );
    let long = json!({"paths": ["a".repeat(500), "b".repeat(500), "c".repeat(500), "d".repeat(500), "e".repeat(500)]});
    let mut token = issued(long.clone());
    let error = loop {
        match attenuate(&token, &long) {
            Ok(longer) => token = longer,
            Err(error) => break error.to_string(),
        }
    };
    assert!(error.contains("longer than 16384 characters") && token.len() <= 16_384, "{error}");
}
