//! Denials that do not depend on the arguments.

use super::world::{call, policy};
use crate::Fact;
use serde_json::json;

#[test]
fn always_denies_ignores_denials_that_depend_on_arguments() {
    let sure = |yaml: &str| {
        let policy = policy(&yaml.replace("HASH", &"0".repeat(64)));
        let mut run = call(json!({ "tool": "exec_tool", "args": { "path": "tools/pay/a.ts" } }));
        run.args = Fact::Unknown;
        run.text = Fact::Unknown;
        (policy.may_deny(), policy.always_denies(&run))
    };
    let rules = |default: &str, rule: &str| format!("default: {default}\nrules:\n  - {rule}\n");
    for (default, rule, expected) in [
        ("allow", "{ id: a, deny: [run], paths: [\"tools/pay/**\"] }", (true, true)),
        ("allow", "{ id: a, deny: [run], paths: [\"tools/other/**\"] }", (true, false)),
        ("allow", "{ id: a, deny: [exec_tool], args: { \"/args/n\": 1 } }", (true, false)),
        ("allow", "{ id: a, ask: [run], paths: [\"tools/pay/**\"] }", (false, false)),
        ("deny", "{ id: a, allow: [run], paths: [\"tools/other/**\"] }", (true, true)),
        ("deny", "{ id: a, allow: [run], paths: [\"tools/pay/**\"] }", (true, false)),
        ("deny", "{ id: a, allow: [exec_tool], args: { \"/args/n\": 1 } }", (true, false)),
        ("deny", "{ id: a, ask: [run], text: \"HASH\" }", (true, false)),
        ("ask", "{ id: a, allow: [read] }", (false, false)),
    ] {
        assert_eq!(sure(&rules(default, rule)), expected, "{default} {rule}");
    }
}
