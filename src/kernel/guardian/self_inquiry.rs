//! A comparison of all records of the workspace: ledger, Git, registry and graph.

use super::guardian::Guardian;
use crate::kernel::tools::Tools;
use serde::Serialize;
use std::collections::BTreeSet;
use tgp_base::error::Error;

/// Most differences between two records that are listed.
const MAX_FINDINGS: usize = 100;

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SelfInquiry {
    findings: Vec<String>,
}

impl Guardian {
    /// One line for each contradiction; one line that says so if there is none.
    ///
    /// # Errors
    /// `Ledger`, `Git`, and those of the invariants' queries.
    pub fn self_inquiry(&self, tools: &Tools) -> Result<SelfInquiry, Error> {
        let report = self.check()?;
        let mut findings: Vec<String> = report.contradictions.into_iter().map(|found| found.message).collect();
        findings.extend(report.violations.into_iter().map(|found| found.message));
        if let Some(head) = self.history.head()? {
            let in_git = self.history.files_at(&head)?;
            let in_graph: BTreeSet<String> = self.graph.files()?.into_iter().collect();
            findings.extend(differences(&in_git, &in_graph, "Git", "the graph"));
            // A registered tool that is not committed yet is a draft.
            let on_disk: BTreeSet<String> = self.history.present_files()?.into_iter().collect();
            let registered = tools.registry().list()?;
            let missing = registered.iter().map(|(tool, _)| &tool.path).filter(|path| !on_disk.contains(*path));
            let text = |path: &String| format!("{path} is registered as a tool, but its file does not exist.");
            findings.extend(missing.take(MAX_FINDINGS).map(text));
        }
        if findings.is_empty() {
            findings.push("Ledger, Git, registry and graph agree.".to_owned());
        }
        Ok(SelfInquiry { findings })
    }
}

fn differences<'a>(
    one: &'a BTreeSet<String>,
    other: &'a BTreeSet<String>,
    one_name: &'a str,
    other_name: &'a str,
) -> impl Iterator<Item = String> + 'a {
    let only_in_one =
        one.difference(other).map(move |path| format!("{path} exists in {one_name}, but not in {other_name}."));
    let only_in_other =
        other.difference(one).map(move |path| format!("{path} exists in {other_name}, but not in {one_name}."));
    only_in_one.chain(only_in_other).take(MAX_FINDINGS)
}
