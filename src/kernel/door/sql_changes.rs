//! Whether SQL changes something, for calls of guests and of JavaScript: the statement decides.

use serde::Deserialize;
use std::borrow::Cow;
use tgp_base::call::Changes;
use tgp_base::effect::Effect;
use tgp_sql::{Dialect, only_reads};

/// The named arguments of `exec_sql`.
#[derive(Deserialize)]
struct Named<'a> {
    #[serde(borrow)]
    sql: Cow<'a, str>,
}

/// A statement that cannot be read counts as a change.
#[must_use]
pub fn sql_changes(sql: Option<&str>, dialect: Dialect) -> Changes {
    if sql.is_some_and(|sql| only_reads(sql, dialect)) { Changes::Nothing } else { Changes::Something }
}

/// Whether a call with named arguments changes something: as `stated`, but SQL is judged.
#[must_use]
pub fn named_changes(effect: Effect, args_json: &str, stated: Changes, dialect: Dialect) -> Changes {
    if effect != Effect::Sql {
        return stated;
    }
    let named: Option<Named<'_>> = serde_json::from_str(args_json).ok();
    sql_changes(named.as_ref().map(|named| &*named.sql), dialect)
}

#[cfg(test)]
mod tests {
    use super::named_changes;
    use tgp_base::call::Changes::{Nothing, Something};
    use tgp_base::effect::Effect;
    use tgp_sql::Dialect;

    #[test]
    fn a_statement_is_judged_whatever_its_caller_states() {
        for (effect, args, stated, expected) in [
            (Effect::Sql, r#"{"sql":"SELECT 1"}"#, Something, Nothing),
            (Effect::Sql, r#"{"sql":"SELECT \"a\" FROM b","params":[1]}"#, Nothing, Nothing),
            (Effect::Sql, r#"{"sql":"SELECT * INTO a FROM b"}"#, Nothing, Something),
            (Effect::Sql, r#"{"sql":1}"#, Nothing, Something),
            (Effect::Read, r#"{"sql":"DROP TABLE a"}"#, Nothing, Nothing),
            (Effect::App, "[]", Something, Something),
        ] {
            assert_eq!(named_changes(effect, args, stated, Dialect::Postgres), expected, "{args}");
        }
    }
}
