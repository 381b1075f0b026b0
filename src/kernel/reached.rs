//! The files that a call of a kernel tool reaches without naming them. For runs see `runs/start/run_text.rs`.

use super::door::{CallDetails, Need, Quotes, ReachedFiles, Runs, kernel_tool};
use super::files::FileChangeCall;
use super::kernel::Kernel;
use super::modules::Referenced;
use super::runs::Runnable;
use super::tools::{Catalogue, OfferQuery, OfferedTools, ToolsSince};
use serde::Serialize;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::sync::Arc;
use tgp_base::call::{Call, Caller};
use tgp_base::effect::Effect;
use tgp_base::error::{Error, ErrorCode};
use tgp_policy::{Decision, Verdict};

/// The verdict on a call that is not made yet.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct CallVerdict {
    /// None when a policy function of the application decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Verdict>,
    /// A hash of the text that it would run or change.
    text: String,
    /// The files that it reaches.
    also: Vec<ReachedFiles>,
    /// The test files that it would run, with their hashes.
    tests: Vec<(String, String)>,
}

impl CallVerdict {
    pub fn into_verdict(self) -> Option<Verdict> {
        self.verdict
    }
}

impl Kernel {
    /// The files that a call reads, changes or quotes without naming them.
    #[must_use]
    pub fn reached(&self, tool: &str, args: &Value) -> Vec<ReachedFiles> {
        if let Some(tool) = kernel_tool(tool).filter(|tool| tool.quotes == Quotes::Imports) {
            let path = tool.path_of(args).unwrap_or_default();
            let Referenced { files: paths, absent } = self.checks().read_by_check(path);
            let read = ReachedFiles { effect: Effect::Read, paths, need: Need::Allowed };
            return std::iter::once(read).chain(ReachedFiles::absent(absent)).collect();
        }
        FileChangeCall::of_call(tool, args).map(|change| self.files().reached(&change)).unwrap_or_default()
    }

    /// The verdict on a call, including all that it would reach.
    ///
    /// # Errors
    /// `Denied` for an invalid token.
    pub fn judged(
        &self,
        caller: &Arc<Caller>,
        tool: &str,
        effect: Effect,
        path: Option<&str>,
        args_json: &str,
    ) -> Result<CallVerdict, Error> {
        let args: Value = serde_json::from_str(args_json).map_err(|error| {
            Error::new(ErrorCode::Validation, format!("The arguments of {tool} are not valid JSON: {error}."))
        })?;
        let mut tests: Vec<(String, String)> = Vec::new();
        let runs = kernel_tool(tool).map_or(Runs::Tool, |tool| tool.runs);
        let (text, mut reached): (String, Vec<ReachedFiles>) = match (runs, effect, path) {
            (Runs::Code(argument), ..) => {
                let code = args.get(argument).and_then(Value::as_str).unwrap_or_default();
                self.runs().text_and_reach(&Runnable::Code(code.to_owned()))
            }
            (Runs::Tests, Effect::Run, path) => {
                let (found, reached) = self.runs().tests_and_reach(path, &|test| self.may_test(caller, test));
                tests = found;
                (String::new(), reached)
            }
            (_, Effect::Run, Some(path)) => self.runs().text_and_reach(&Runnable::Tool(path.to_owned())),
            (_, _, path) => {
                (path.map(|path| self.files().text_hash(path)).unwrap_or_default(), self.reached(tool, &args))
            }
        };
        // A preview quotes the current text of the file.
        if let Some(path) = path.filter(|_| caller.dry_run && effect == Effect::Write) {
            reached.push(ReachedFiles { effect: Effect::Read, paths: vec![path.to_owned()], need: Need::NotForbidden });
        }
        let known_text = || text.clone();
        let known_reach = || reached.clone();
        let details = CallDetails { text: Some(&known_text), reached: Some(&known_reach), ready: None };
        let call = Call { path: path.map(Cow::Borrowed), ..Call::of(caller, tool.to_owned(), effect, args_json) };
        let verdict = self.door().gate().verdict(&call, details)?;
        reached.retain(|reach| reach.need != Need::Absent && !reach.paths.is_empty());
        Ok(CallVerdict { verdict, text, also: reached, tests })
    }

    /// At most `limit` tools that are visible to a caller; if there are more, those run most often.
    ///
    /// # Errors
    /// `Denied` for an invalid token.
    pub fn catalogue(&self, caller: &Caller, limit: u32) -> Result<Catalogue, Error> {
        let view = self.door().gate().tool_view(caller)?;
        let shows = |path: &str| view.shows("exec_tool", Some(path));
        self.tools().catalogue(limit, if view.shows_all() { None } else { Some(&shows) })
    }

    /// The most useful tools of those visible to a caller.
    ///
    /// # Errors
    /// `Denied` for an invalid token.
    pub fn offered_tools(&self, caller: &Caller, query: &OfferQuery) -> Result<OfferedTools, Error> {
        let view = self.door().gate().checked_tool_view(caller)?;
        let shows = |path: &str| view.shows("exec_tool", Some(path));
        self.tools().offered(query, if view.shows_all() { None } else { Some(&shows) })
    }

    /// The changes of the tools since a version, with the version of the rules.
    ///
    /// # Errors
    /// As `Tools::list_tools`.
    pub fn list_tools_since(&self, since: Option<u32>) -> Result<ToolsSince, Error> {
        self.tools().list_tools_since(since, self.door().gate().rules.version())
    }

    /// Whether a test that the caller did not name may be run; denied tests are left out.
    #[must_use]
    pub fn may_test(&self, caller: &Arc<Caller>, path: &str) -> bool {
        let read =
            || vec![ReachedFiles { effect: Effect::Read, paths: vec![path.to_owned()], need: Need::NotForbidden }];
        let call = Call::of(caller, "test_tool", Effect::Run, json!({ "path": path }).to_string());
        let call = Call { path: Some(Cow::Borrowed(path)), ..call };
        let details = CallDetails { reached: Some(&read), ..CallDetails::default() };
        let verdict = self.door().gate().verdict(&call, details);
        // An invalid token is refused by the run.
        verdict.map_or(true, |verdict| verdict.is_none_or(|verdict| verdict.decision != Decision::Deny))
    }
}
