//! What a call of a kernel tool reaches beside what it names. Runs are told by what they are made of (`runs/run_text.rs`); all
//! others are here.

use super::door::{Asker, Call, Changes, Effect, Need, Reach};
use super::files::FileChangeCall;
use super::kernel::Kernel;
use serde_json::{Value, json};
use std::borrow::Cow;
use tgp_policy::Decision;

impl Kernel {
    /// The files that a call reads, changes or quotes and does not name.
    #[must_use]
    pub fn reached(&self, tool: &str, args: &Value) -> Vec<Reach> {
        if tool == "check_tool" {
            let path = args.get("path").and_then(Value::as_str).unwrap_or_default();
            let paths = self.checks().read_by_check(path);
            return vec![Reach { effect: Effect::Read, paths, need: Need::Allowed }];
        }
        FileChangeCall::of_call(tool, args).map(|change| self.files().reached(&change)).unwrap_or_default()
    }

    /// Whether a test that somebody did not name may be one of those that they have run: what is denied is not there for them.
    #[must_use]
    pub fn may_test(&self, asker: &Asker, path: &str) -> bool {
        let read = || vec![Reach { effect: Effect::Read, paths: vec![path.to_owned()], need: Need::NotForbidden }];
        let verdict = self.door().gate().verdict(&Call {
            number: 0,
            parent: None,
            tool: Cow::Borrowed("test_tool"),
            effect: Effect::Run,
            changes: Changes::Nothing,
            path: Some(Cow::Borrowed(path)),
            args: Cow::Owned(json!({ "path": path }).to_string()),
            asker,
            asking_tool: None,
            trace: None,
            approval: None,
            text: None,
            also: Some(&read),
            state: None,
        });
        // A token that does not count is refused by the run.
        verdict.map_or(true, |verdict| verdict.is_none_or(|verdict| verdict.verdict != Decision::Deny))
    }
}
