//! What a run of tests has that others have not.

use super::run_scope::RunScope;
use super::test_record::TEST_QUESTION;
use std::sync::Arc;
use tgp_sandbox::Counting;

/// The names of functions that guests find on `tgp`; the driver of tests finds one more.
pub fn functions_for(scope: &RunScope, names: Arc<Vec<String>>) -> Arc<Vec<String>> {
    if scope.test.is_none() || !scope.is_outermost() {
        return names;
    }
    Arc::new(names.iter().cloned().chain([TEST_QUESTION.to_owned()]).collect())
}

/// Whether V8 counts what runs: the tests themselves, and not what they start.
pub fn counting_of(scope: &RunScope) -> Counting {
    let is_wanted = scope.options.coverage && scope.test.is_some() && scope.is_outermost();
    if is_wanted { Counting::Blocks } else { Counting::Off }
}
