//! Property tests with random configurations.

use super::Config;
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::sample::select;
use proptest::strategy::{Just, Strategy, Union};
use serde_json::{Map, Value, json};
use tgp_base::error::ErrorCode;
use tgp_fuzzing::for_all;

const KEYS: &[&str] = &[
    "rootDir",
    "git",
    "sandbox",
    "check",
    "rules",
    "fs",
    "allowedImports",
    "memory",
    "reuse",
    "allowedFetchUrls",
    "network",
    "agent",
    "secrets",
    "ledger",
    "tokens",
    "memoryMb",
    "timeoutMs",
    "wallMs",
    "workers",
    "warm",
    "isolation",
    "resultBytes",
    "fileBytes",
    "rootBytes",
    "rootFiles",
    "allowedDirs",
    "branch",
    "repo",
    "provider",
    "apiBaseUrl",
    "writeStrategy",
    "proxy",
    "caFile",
    "keys",
    "revoked",
    "value",
    "hosts",
    "functions",
    "no-any",
    "unknown",
    "__proto__",
    "",
];

const WORDS: &[&str] = &[
    "",
    "process",
    "thread",
    "strict",
    "warn",
    "off",
    "error",
    "auto",
    "main",
    " ",
    "a\nb",
    "https://x.org/a/b.git",
    "./x",
    "../x",
    "/",
    "github",
    "local",
    "lexical",
    "x",
    "0123456789abcdef0123456789abcdef",
];

fn values() -> impl Strategy<Value = Value> {
    let leaf = Union::new(vec![
        select(WORDS).prop_map(Value::from).boxed(),
        any::<u32>().prop_map(Value::from).boxed(),
        (0_u32..300).prop_map(Value::from).boxed(),
        any::<i64>().prop_map(Value::from).boxed(),
        any::<f64>().prop_map(Value::from).boxed(),
        any::<bool>().prop_map(Value::from).boxed(),
        Just(Value::Null).boxed(),
    ]);
    leaf.prop_recursive(3, 24, 6, |inner| {
        Union::new(vec![vec(inner.clone(), 0..4).prop_map(Value::from).boxed(), objects(inner).boxed()])
    })
}

fn objects(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    vec((select(KEYS), inner), 0..5).prop_map(|members| {
        Value::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>())
    })
}

#[test]
fn a_configuration_is_refused_with_config_or_serialises_stably() {
    for_all(file!(), &objects(values()), |value| match Config::from_json(&value.to_string()) {
        Ok(config) => {
            let written = serde_json::to_string(&config).unwrap();
            let again = Config::from_json(&written).unwrap_or_else(|error| panic!("{}: {written}", error.message));
            assert_eq!(serde_json::to_string(&again).unwrap(), written);
        }
        Err(error) => assert_eq!(error.code, ErrorCode::Config, "{}", error.message),
    });
}

/// Group, limit, least and most.
const LIMITS: &[(&str, &str, u32, u32)] =
    &[("sandbox", "memoryMb", 8, 4096), ("sandbox", "timeoutMs", 1, 3_600_000), ("fs", "rootFiles", 1, 1_000_000)];

#[test]
fn no_number_outside_its_range_is_accepted() {
    for_all(file!(), &(select(LIMITS), any::<u32>()), |((group, key, least, most), number)| {
        let config = json!({group: {key: number}});
        let accepted = Config::from_json(&config.to_string()).is_ok();
        assert!(!accepted || (least..=most).contains(&number), "{config}");
    });
}
