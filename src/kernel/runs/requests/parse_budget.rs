//! The total SQL parsing budget of a run, in addition to the budget of each statement.

use tgp_base::error::{Error, ErrorCode};
use tgp_sandbox::RunTree;
use tgp_sql::parse_steps;

/// SQL parser steps of one run and its nested runs. Plain statements take three steps per byte.
const MAX_PARSE_STEPS: u64 = 50_000_000;

/// Judges a call of a run. A SQL call is refused when the budget is used up.
pub fn within_budget<T>(tree: &RunTree, tool: &str, judge: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    if tool != "exec_sql" {
        return judge();
    }
    if tree.parse_steps() >= MAX_PARSE_STEPS {
        let message = "tgp.exec_sql was refused: the statements of this run, nested runs included, are too complex to check \
                                against the policy. Nest them less, or pass values as parameters.";
        return Err(Error::new(ErrorCode::Limit, message));
    }
    let before = parse_steps();
    let judged = judge();
    tree.count_parse_steps(parse_steps().saturating_sub(before));
    judged
}

#[cfg(test)]
mod tests {
    use super::{MAX_PARSE_STEPS, within_budget};
    use std::time::Duration;
    use tgp_base::error::ErrorCode;
    use tgp_sandbox::{RunTree, TreeLimits};
    use tgp_sql::{Dialect, outline};

    #[test]
    fn a_run_without_parse_budget_is_refused_sql_only() {
        let cpu = Duration::from_secs(1);
        let tree = RunTree::new(TreeLimits { runs: 1, bytes: 1, cpu, package_load: cpu, calls: 1, answer_bytes: 1 });
        let judged = |tool: &str| within_budget(&tree, tool, || Ok(outline("SELECT a FROM b", Dialect::Postgres)));
        assert!(judged("exec_sql").is_ok_and(|found| found.is_some()));
        assert!((1..1000).contains(&tree.parse_steps()));
        tree.count_parse_steps(MAX_PARSE_STEPS);
        assert_eq!(judged("exec_sql").unwrap_err().code, ErrorCode::Limit);
        assert!(judged("read_file").is_ok());
    }
}
