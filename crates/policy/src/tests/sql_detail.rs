//! The SQL details that rules and tokens depend on.

use super::tokens::keys;
use super::world::{policy, tools};
use crate::{Policy, attenuate, issue, verify};
use serde_json::json;
use tgp_base::sql_detail::SqlDetail;

#[test]
fn rules_need_only_the_sql_details_of_their_conditions() {
    for (rule, detail) in [
        ("{ id: a, deny: [run], paths: [\"tools/**\"] }", SqlDetail::Nothing),
        ("{ id: a, ask: [sql] }", SqlDetail::Nothing),
        ("{ id: a, deny: [sql], verbs: [delete] }", SqlDetail::Verbs),
        ("{ id: a, allow: [exec_sql], args: { /sql: \"select 1\" } }", SqlDetail::Verbs),
        ("{ id: a, deny: [send_mail], args: { /to: \"x\" } }", SqlDetail::Nothing),
        ("{ id: a, allow: [sql], verbs: [select], tables: [t] }", SqlDetail::Tables),
        ("{ id: a, deny: [\"*\"], tables: [t] }", SqlDetail::Tables),
    ] {
        let text = format!("version: 1\ndefault: allow\nrules:\n  - {rule}\n");
        assert_eq!(policy(&text).sql_detail(), detail, "{rule}");
    }
    assert_eq!(Policy::allow(&tools()).sql_detail(), SqlDetail::Nothing);
    assert_eq!(Policy::safe(&tools()).sql_detail(), SqlDetail::Verbs);
}

#[test]
fn a_narrower_token_needs_at_least_the_same_sql_details() {
    let token = issue(&keys(), &json!({"allow": ["sql", "run"]}), &tools()).unwrap();
    let verbs = attenuate(&token, &json!({"verbs": ["select"]})).unwrap();
    let tables = attenuate(&verbs, &json!({"tables": ["t"]})).unwrap();
    for (token, detail) in [(&token, SqlDetail::Nothing), (&verbs, SqlDetail::Verbs), (&tables, SqlDetail::Tables)] {
        assert_eq!(verify(&keys(), token).unwrap().sql_detail(), detail);
    }
}
