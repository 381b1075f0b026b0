//! The check before a push: refuses tools without passing tests.

use super::test_first::{TestFirst, text_id};
use std::collections::BTreeSet;
use tgp_base::error::Error;
use tgp_git::PushPolicy;
use tgp_state::{Origin, Request, Subject, Texts, test_of};

impl PushPolicy for TestFirst {
    fn refusal(&self, paths: &[&str], text_of: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        let tools: BTreeSet<String> = paths.iter().filter_map(|path| Some(Subject::of(path)?.tool)).collect();
        let id = |path: &str| text_of(path).map(|text| text_id(&text));
        let judged = |tool: &String| {
            // With pull requests the test is on a separate branch.
            let test = id(&test_of(tool)).or_else(|| self.text(&test_of(tool)));
            let now = Texts { tool: id(tool), test, imports: None };
            let mode = self.writers.mode(tool, now.tool, self.usual_mode())?;
            let tools = [(tool.as_str(), now)];
            self.judge(&Request::Persist { tools: &tools }, mode, Origin::Call).err()
        };
        let mut refused = tools.iter().filter_map(judged);
        let Error { message, .. } = refused.next()?;
        Some(match refused.count() {
            0 => message,
            others => format!("{message} The same applies to {others} more."),
        })
    }
}
