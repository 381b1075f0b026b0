//! The policy rule that permanently allows exactly one call: with the arguments that were shown and the text that would
//! run. It reads like a handwritten rule, so a user can remove conditions from it.

use crate::kernel::door::kernel_tools::kernel_tool;
use serde_json::{Map, Value, json};
use tgp_base::effect::Effect;
use tgp_policy::{ArgKind, Arguments, CallFacts, Fact, Tools, value_hash};

/// Longest value that a rule contains; a longer one is replaced by its hash.
const MAX_BYTES: usize = 200;
/// Deepest nesting of lists and maps that a rule contains.
const MAX_LEVELS: usize = 4;
/// Most positional arguments of a function in a rule.
const MAX_ARGUMENTS: usize = 30;
/// An argument whose values are often secret.
const HEADERS: &str = "headers";

/// The rule without its id; none for a call that no rule can allow without allowing others. Values that `is_secret`
/// selects are hashed, because a policy file is not secret.
pub fn permanent_rule(call: &CallFacts, tools: &Tools, is_secret: &dyn Fn(&str) -> bool) -> Option<Value> {
    if kernel_tool(&call.tool).is_some_and(|tool| tool.is_never_permanent) {
        return None;
    }
    let mut rule = json!({ "allow": [call.tool] });
    let mut add = |key: &str, values: Value| {
        if let Value::Object(rule) = &mut rule {
            rule.insert(key.to_owned(), values);
        }
    };
    match &call.paths {
        Fact::Known(paths) => add("paths", paths.iter().map(|path| literal(path)).collect::<Option<Value>>()?),
        Fact::Unknown => return None,
        Fact::Nothing => {}
    }
    if call.effects.has(Effect::Net) {
        let (Fact::Known(host), Fact::Known(method)) = (&call.host, &call.method) else { return None };
        add("hosts", json!([host.to_string()]));
        add("methods", json!([method.to_ascii_uppercase()]));
    }
    if call.effects.has(Effect::Sql) {
        let (Fact::Known(verbs), Fact::Known(tables)) = (&call.verbs, &call.tables) else { return None };
        // Rules match table names case-insensitively, so a name with capitals would also allow the one without.
        if tables.is_empty() || tables.iter().any(|table| table.as_str().contains(|c: char| c.is_ascii_uppercase())) {
            return None;
        }
        add("verbs", json!(verbs.words()));
        add("tables", tables.iter().map(|table| Value::from(table.as_str())).collect());
    }
    if call.effects.has(Effect::Run) {
        let Fact::Known(text) = &call.text else { return None };
        add("text", json!([text]));
    }
    let args = arguments(call, tools, is_secret)?;
    if !args.is_empty() {
        add("args", Value::Object(args));
    }
    Some(rule)
}

/// A condition for every argument that the call has, and `absent` for every other that it could have.
fn arguments(call: &CallFacts, tools: &Tools, is_secret: &dyn Fn(&str) -> bool) -> Option<Map<String, Value>> {
    let absent = || json!({ "absent": true });
    let Fact::Known(args) = &call.args else { return None };
    match (&tools.get(&call.tool)?.arguments, &**args) {
        (Arguments::Named(named), Value::Object(passed)) => {
            if passed.keys().any(|key| named.iter().all(|(name, _)| name != key)) {
                return None;
            }
            // Paths and methods have their own conditions, which know all spellings.
            let bound = named.iter().filter(|(_, kind)| matches!(kind, ArgKind::Plain | ArgKind::Url | ArgKind::Sql));
            let condition = |name: &str| passed.get(name).map_or_else(absent, |value| exactly(name, value, is_secret));
            Some(bound.map(|(name, _)| (format!("/{name}"), condition(name))).collect())
        }
        (Arguments::Any, Value::Array(passed)) if passed.len() <= MAX_ARGUMENTS => {
            let values = passed.iter().map(|value| exactly("", value, is_secret)).chain([absent()]);
            Some(values.enumerate().map(|(at, condition)| (format!("/{at}"), condition)).collect())
        }
        (Arguments::Named(_) | Arguments::Any, _) => None,
    }
}

fn exactly(name: &str, value: &Value, is_secret: &dyn Fn(&str) -> bool) -> Value {
    let is_hidden = || name == HEADERS || is_secret(&format!("{name}: {value}"));
    match value {
        _ if !fits(value, MAX_LEVELS) || value.to_string().len() > MAX_BYTES || is_hidden() => {
            json!({ "sha256": value_hash(value) })
        }
        // A bare list would mean "one of", and a bare map a condition.
        Value::Array(_) | Value::Object(_) => json!({ "equals": value }),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

fn fits(value: &Value, levels: usize) -> bool {
    let below = levels.checked_sub(1);
    match value {
        Value::Array(values) => below.is_some_and(|levels| values.iter().all(|value| fits(value, levels))),
        Value::Object(values) => below.is_some_and(|levels| values.values().all(|value| fits(value, levels))),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

/// A path as a glob that matches only itself; none if it contains glob characters.
fn literal(path: &str) -> Option<Value> {
    (!path.contains(['*', '?', '[', ']', '{', '}', '!', '\\'])).then(|| path.into())
}

#[cfg(test)]
mod tests {
    use super::permanent_rule;
    use crate::kernel::door::known_tools::known_tools;
    use serde_json::{Value, json};
    use tgp_policy::{Decision, Fact, Policy};

    const TEXT: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

    #[test]
    fn the_rule_allows_exactly_the_shown_call() {
        let tools = known_tools(&["pay".to_owned()], tgp_sql::Dialect::Postgres);
        let text = || Fact::Known(TEXT.to_owned());
        let absent = || json!({ "absent": true });
        for (tool, args, expected, others) in [
            (
                "write_file",
                json!({ "path": "tools/a.ts", "content": "1" }),
                json!({
                    "allow": ["write_file"], "paths": ["tools/a.ts"], "args": { "/content": "1", "/why": absent() },
                }),
                vec![
                    json!({ "path": "tools/a.ts", "content": "2" }),
                    json!({ "path": "tools/b.ts", "content": "1" }),
                    json!({ "path": "tools/a.ts", "content": "1", "why": "x" }),
                ],
            ),
            (
                "fetch",
                json!({ "url": "https://a.example/x", "method": "post" }),
                json!({
                    "allow": ["fetch"], "hosts": ["a.example:443"], "methods": ["POST"],
                    "args": {
                        "/url": "https://a.example/x", "/headers": absent(), "/body": absent(), "/type": absent(),
                        "/redirect": absent(),
                    },
                }),
                vec![
                    json!({ "url": "https://a.example/x", "method": "post", "body": "x" }),
                    json!({ "url": "https://a.example/y", "method": "post" }),
                ],
            ),
            (
                "exec_sql",
                json!({ "sql": "update orders set x = 1" }),
                json!({
                    "allow": ["exec_sql"], "verbs": ["update"], "tables": ["orders"],
                    "args": { "/sql": "update orders set x = 1", "/params": absent() },
                }),
                vec![json!({ "sql": "update orders set x = 2" })],
            ),
            (
                "run_program",
                json!({ "program": "git", "args": ["--version"], "stdin": "" }),
                json!({
                    "allow": ["run_program"],
                    "args": { "/program": "git", "/args": { "equals": ["--version"] }, "/stdin": "" },
                }),
                vec![
                    json!({ "program": "sh", "args": ["--version"], "stdin": "" }),
                    json!({ "program": "git", "args": ["--version", "x"], "stdin": "" }),
                    json!({ "program": "git", "args": ["push"], "stdin": "" }),
                    json!({ "program": "git", "args": ["--version"], "stdin": "x" }),
                ],
            ),
            (
                "pay",
                json!([1]),
                json!({ "allow": ["pay"], "args": { "/0": 1, "/1": absent() } }),
                vec![json!([2]), json!([1, "more"]), json!([]), json!([[1]])],
            ),
            (
                "exec_tool",
                json!({ "path": "tools/a.ts", "args": { "n": 1 } }),
                json!({
                    "allow": ["exec_tool"], "paths": ["tools/a.ts"], "text": [TEXT],
                    "args": { "/args": { "equals": { "n": 1 } } },
                }),
                vec![
                    json!({ "path": "tools/a.ts", "args": { "n": 2 } }),
                    json!({ "path": "tools/a.ts", "args": { "n": 1, "to": "x" } }),
                ],
            ),
        ] {
            let call = |args: &Value| {
                let mut call = tools.call(tool, args).unwrap();
                call.text = text();
                call
            };
            let mut rule = permanent_rule(&call(&args), &tools, &|_| false).unwrap();
            assert_eq!(rule, expected, "{tool}");
            rule["id"] = "always-1".into();
            let policy = Policy::from_json(&json!({ "default": "ask", "rules": [rule] }), "test", &tools).unwrap();
            assert_eq!(policy.decide(&call(&args)), Decision::Allow, "{tool}");
            for other in others {
                assert_eq!(policy.decide(&call(&other)), Decision::Ask, "{tool} {other}");
            }
            let mut later = call(&args);
            later.text = Fact::Known(TEXT.replace('0', "f"));
            assert_eq!(policy.decide(&later) == Decision::Allow, tool != "exec_tool", "{tool} with another text");
        }
    }

    #[test]
    fn long_values_are_bound_by_their_hash() {
        let tools = known_tools(&[], tgp_sql::Dialect::Any);
        let call = |content: &str| tools.call("write_file", &json!({ "path": "a.md", "content": content })).unwrap();
        let long = "x".repeat(100_000);
        let mut rule = permanent_rule(&call(&long), &tools, &|_| false).unwrap();
        assert!(rule.to_string().len() < 300 && rule["args"]["/content"]["sha256"].is_string(), "{rule}");
        rule["id"] = "always-1".into();
        let policy = Policy::from_json(&json!({ "default": "ask", "rules": [rule] }), "test", &tools).unwrap();
        assert_eq!(policy.decide(&call(&long)), Decision::Allow);
        assert_eq!(policy.decide(&call(&format!("{long}x"))), Decision::Ask);
    }

    #[test]
    fn there_is_no_rule_for_calls_that_conditions_cannot_pin() {
        let tools = known_tools(&["pay".to_owned()], tgp_sql::Dialect::Any);
        for (tool, args) in [
            ("write_file", json!({ "path": "tools/*.ts" })),
            ("write_file", json!({ "path": "../x" })),
            ("write_file", json!({ "path": "x", "unheard_of": 1 })),
            ("exec_sql", json!({ "sql": "what is this" })),
            ("exec_tool", json!({ "path": "tools/a.ts", "args": {} })),
            ("run_code", json!({ "code": "1" })),
            // The text of the accepted test can change.
            ("accept_test", json!({ "path": "tools/a.test.ts" })),
            ("pay", json!({ "by": "name" })),
        ] {
            assert_eq!(permanent_rule(&tools.call(tool, &args).unwrap(), &tools, &|_| false), None, "{tool} {args}");
        }
    }

    #[test]
    fn secrets_are_hashed_in_a_rule() {
        let tools = known_tools(&["pay".to_owned()], tgp_sql::Dialect::Any);
        let is_secret = |text: &str| text.contains("hunter2");
        for (tool, args) in [
            (
                "fetch",
                json!({ "url": "https://a.example/", "method": "get", "headers": { "authorization": "Bearer 4711" } }),
            ),
            ("fetch", json!({ "url": "https://a.example/?password=hunter2-4711", "method": "get" })),
            ("pay", json!([{ "password": "hunter2-4711" }])),
        ] {
            let call = tools.call(tool, &args).unwrap();
            let mut rule = permanent_rule(&call, &tools, &is_secret).unwrap();
            assert!(!rule.to_string().contains("4711"), "{rule}");
            rule["id"] = "always-1".into();
            let policy = Policy::from_json(&json!({ "default": "ask", "rules": [rule] }), "test", &tools).unwrap();
            assert_eq!(policy.decide(&call), Decision::Allow, "{tool}");
        }
    }
}
