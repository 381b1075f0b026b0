//! Conversion of guest requests into calls that are authorised and recorded.

use super::question_args::{arguments, first_text};
use crate::kernel::door::{Changes, Effect};
use serde::Deserialize;
use std::borrow::Cow;
use tgp_sandbox::Question;

/// A guest request that is a call.
pub struct GuestCall {
    pub tool: Cow<'static, str>,
    pub effect: Effect,
    pub changes: Changes,
    pub path: Option<String>,
}

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

impl GuestCall {
    /// The call of a request; none for internal requests of the realm, and for `exec_tool`, which is a run.
    pub fn of(question: &Question, by: AnsweredBy) -> Option<Self> {
        let call =
            |tool: &'static str, effect, changes, path| Some(Self { tool: Cow::Borrowed(tool), effect, changes, path });
        let path = || first_text(question).ok();
        match (by, question.name.as_str()) {
            (AnsweredBy::Application, "exec_sql") => call("exec_sql", Effect::Sql, sql_changes(question), None),
            (AnsweredBy::Application, name) => Some(Self {
                tool: Cow::Owned(name.to_owned()),
                effect: Effect::App,
                changes: Changes::Something,
                path: None,
            }),
            (AnsweredBy::Kernel, "read_file") => call("read_file", Effect::Read, Changes::Nothing, path()),
            (AnsweredBy::Kernel, "list_files") => call("list_files", Effect::Read, Changes::Nothing, path()),
            (AnsweredBy::Kernel, "write_file") => call("write_file", Effect::Write, Changes::Something, path()),
            (AnsweredBy::Kernel, "#fetch") => call("fetch", Effect::Net, fetch_changes(question), None),
            (AnsweredBy::Kernel, _) => None,
        }
    }
}

/// A statement that begins with SELECT counts as read-only.
fn sql_changes(question: &Question) -> Changes {
    let sql = first_text(question).unwrap_or_default();
    let first = sql.trim_start().split(|letter: char| !letter.is_ascii_alphabetic()).next().unwrap_or_default();
    if first.eq_ignore_ascii_case("select") { Changes::Nothing } else { Changes::Something }
}

fn fetch_changes(question: &Question) -> Changes {
    let method = arguments::<(Method,)>(question).ok().and_then(|(Method { method },)| method);
    let only_looks = |method: &str| method.eq_ignore_ascii_case("GET") || method.eq_ignore_ascii_case("HEAD");
    if method.as_deref().is_none_or(only_looks) { Changes::Nothing } else { Changes::Something }
}

#[cfg(test)]
mod tests {
    use super::{AnsweredBy, GuestCall};
    use crate::kernel::door::{Changes, Effect};
    use tgp_sandbox::Question;

    fn of(name: &str, args: &str, by: AnsweredBy) -> Option<(Effect, Changes)> {
        let question = Question { name: name.to_owned(), args_json: args.to_owned() };
        GuestCall::of(&question, by).map(|call| (call.effect, call.changes))
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
            ("exec_sql", "[]", Application, Some((Effect::Sql, Something))),
            ("read_file", r#"["a"]"#, Application, Some((Effect::App, Something))),
            ("exec_tool", r#"["a"]"#, Kernel, None),
            ("#require", "[]", Kernel, None),
        ] {
            assert_eq!(of(name, args, by), expected, "{name} {args}");
        }
    }
}
