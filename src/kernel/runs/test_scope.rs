//! Extras of test runs: the driver's function, and coverage.

use super::run_scope::RunScope;
use super::test_record::TEST_QUESTION;
use std::sync::Arc;
use tgp_sandbox::Coverage;

/// The names of functions on the guest's `tgp` object; the test driver has one more.
pub fn functions_for(scope: &RunScope, names: Arc<Vec<String>>) -> Arc<Vec<String>> {
    if scope.test.is_none() || !scope.is_outermost() {
        return names;
    }
    Arc::new(names.iter().cloned().chain([TEST_QUESTION.to_owned()]).collect())
}

/// Whether V8 counts executed blocks: in the test run itself, not in nested runs.
pub fn coverage_of(scope: &RunScope) -> Coverage {
    let is_wanted = scope.options.coverage && scope.test.is_some() && scope.is_outermost();
    if is_wanted { Coverage::Blocks } else { Coverage::Off }
}
