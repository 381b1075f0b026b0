//! Details of a call that are computed on demand.

use super::reached_files::ReachedFiles;
use tgp_base::error::Error;

/// What a call reaches and runs. Computed only if rules or an approval depend on it.
#[derive(Clone, Copy, Default)]
pub struct CallDetails<'c> {
    /// A hash of the text that it runs or changes, to which an approval is bound.
    pub text: Option<&'c dyn Fn() -> String>,
    /// The files that it reaches without naming them.
    pub reached: Option<&'c dyn Fn() -> Vec<ReachedFiles>>,
    /// Whether its arguments, and the tests of a tool, allow it. Checked before an approval is requested; without an
    /// approval, where the call is executed.
    pub ready: Option<&'c dyn Fn() -> Result<(), Error>>,
}
