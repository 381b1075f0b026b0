//! The rule that would allow a call for good, as somebody could have written it.

use serde_json::{Value, json};
use tgp_policy::{Call, Effect, Fact};

/// What the rule says, without its id; nothing for a call that rules could only allow together with others.
pub fn always(call: &Call) -> Option<Value> {
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
        // A name with capitals in a rule is also the same name without.
        if tables.is_empty() || tables.iter().any(|table| table.as_str().contains(|c: char| c.is_ascii_uppercase())) {
            return None;
        }
        add("verbs", json!(verbs.words()));
        add("tables", tables.iter().map(|table| Value::from(table.as_str())).collect());
    }
    // Code that is kept nowhere is another one every time.
    (call.tool != "run_code").then_some(rule)
}

/// A path as a glob that nothing else matches; nothing where it has letters that mean something in one.
fn literal(path: &str) -> Option<Value> {
    (!path.contains(['*', '?', '[', ']', '{', '}', '!', '\\'])).then(|| path.into())
}

#[cfg(test)]
mod tests {
    use super::always;
    use crate::kernel::door::known_tools::known_tools;
    use serde_json::json;

    #[test]
    fn the_rule_names_what_the_call_reaches_and_no_more() {
        let tools = known_tools(&["mail".to_owned()], tgp_sql::Dialect::Postgres);
        let rule = |tool: &str, args| always(&tools.call(tool, &args).unwrap());
        for (tool, args, expected) in [
            (
                "write_file",
                json!({ "path": "tools/a.ts" }),
                json!({ "allow": ["write_file"], "paths": ["tools/a.ts"] }),
            ),
            (
                "fetch",
                json!({ "url": "https://a.example/x", "method": "post" }),
                json!({ "allow": ["fetch"], "hosts": ["a.example:443"], "methods": ["POST"] }),
            ),
            (
                "exec_sql",
                json!({ "sql": "update orders set x = 1" }),
                json!({ "allow": ["exec_sql"], "verbs": ["update"], "tables": ["orders"] }),
            ),
            ("mail", json!(["x"]), json!({ "allow": ["mail"] })),
        ] {
            assert_eq!(rule(tool, args), Some(expected), "{tool}");
        }
        for (tool, args) in [
            ("write_file", json!({ "path": "tools/*.ts" })),
            ("write_file", json!({ "path": "../x" })),
            ("exec_sql", json!({ "sql": "what is this" })),
            ("run_code", json!({ "code": "1" })),
        ] {
            assert_eq!(rule(tool, args), None, "{tool}");
        }
    }
}
