//! Conversion of guest requests into calls that are authorised and recorded.

use super::question_args::{arguments, first_text};
use crate::kernel::door::sql_changes;
use serde::Deserialize;
use std::borrow::Cow;
use std::sync::Arc;
use tgp_base::call::{Call, Caller, Changes};
use tgp_base::effect::Effect;
use tgp_sandbox::Question;
use tgp_sql::Dialect;

/// Whether the kernel or the application answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnsweredBy {
    Kernel,
    Application,
}

#[derive(Deserialize)]
struct Method {
    method: Option<String>,
}

/// The call of a request; none for internal requests of the realm, and for `exec_tool`, which is a run. SQL counts as a
/// change, unless it is judged in a dialect and only reads.
pub fn guest_call<'c>(
    question: &'c Question,
    by: AnsweredBy,
    caller: &'c Arc<Caller>,
    judged_as: Option<Dialect>,
) -> Option<Call<'c>> {
    let call = |tool: &'static str, effect| Call::of(caller, tool, effect, question.args_json.as_str());
    let path = || first_text(question).ok().map(Cow::Owned);
    Some(match (by, question.name.as_str()) {
        (AnsweredBy::Application, "exec_sql") => Call {
            changes: judged_as
                .map_or(Changes::Something, |dialect| sql_changes(first_text(question).ok().as_deref(), dialect)),
            ..call("exec_sql", Effect::Sql)
        },
        (AnsweredBy::Application, name) => {
            let call = Call::of(caller, name.to_owned(), Effect::App, question.args_json.as_str());
            Call { changes: Changes::Something, ..call }
        }
        (AnsweredBy::Kernel, "read_file") => Call { path: path(), ..call("read_file", Effect::Read) },
        (AnsweredBy::Kernel, "list_files") => Call { path: path(), ..call("list_files", Effect::Read) },
        (AnsweredBy::Kernel, "write_file") => {
            Call { changes: Changes::Something, path: path(), ..call("write_file", Effect::Write) }
        }
        (AnsweredBy::Kernel, "#fetch") => Call { changes: fetch_changes(question), ..call("fetch", Effect::Net) },
        (AnsweredBy::Kernel, _) => return None,
    })
}

fn fetch_changes(question: &Question) -> Changes {
    let method = arguments::<(Method,)>(question).ok().and_then(|(Method { method },)| method);
    let only_looks = |method: &str| method.eq_ignore_ascii_case("GET") || method.eq_ignore_ascii_case("HEAD");
    if method.as_deref().is_none_or(only_looks) { Changes::Nothing } else { Changes::Something }
}

#[cfg(test)]
mod tests {
    use super::{AnsweredBy, guest_call};
    use std::sync::Arc;
    use tgp_base::call::Changes;
    use tgp_base::effect::Effect;
    use tgp_sandbox::Question;
    use tgp_sql::Dialect;

    fn of(name: &str, args: &str, by: AnsweredBy) -> Option<(Effect, Changes)> {
        let question = Question { name: name.to_owned(), args_json: args.to_owned() };
        guest_call(&question, by, &Arc::default(), Some(Dialect::Any)).map(|call| (call.effect, call.changes))
    }

    #[test]
    fn reads_and_changes_are_distinguished() {
        use AnsweredBy::{Application, Kernel};
        use Changes::{Nothing, Something};
        for (name, args, by, expected) in [
            ("read_file", r#"["a"]"#, Kernel, Some((Effect::Read, Nothing))),
            ("write_file", r#"["a","b"]"#, Kernel, Some((Effect::Write, Something))),
            ("#fetch", r#"[{"url":"https://a"}]"#, Kernel, Some((Effect::Net, Nothing))),
            ("#fetch", r#"[{"url":"https://a","method":"head"}]"#, Kernel, Some((Effect::Net, Nothing))),
            ("#fetch", r#"[{"url":"https://a","method":"POST"}]"#, Kernel, Some((Effect::Net, Something))),
            ("exec_sql", r#"["\n SELECT 1"]"#, Application, Some((Effect::Sql, Nothing))),
            ("exec_sql", r#"["WITH a AS (DELETE FROM b) SELECT 1"]"#, Application, Some((Effect::Sql, Something))),
            ("exec_sql", r#"["SELECT * INTO a FROM b"]"#, Application, Some((Effect::Sql, Something))),
            ("exec_sql", r#"["SELECT 1; DELETE FROM b"]"#, Application, Some((Effect::Sql, Something))),
            ("exec_sql", "[]", Application, Some((Effect::Sql, Something))),
            ("read_file", r#"["a"]"#, Application, Some((Effect::App, Something))),
            ("exec_tool", r#"["a"]"#, Kernel, None),
            ("#require", "[]", Kernel, None),
        ] {
            assert_eq!(of(name, args, by), expected, "{name} {args}");
        }
    }
}
