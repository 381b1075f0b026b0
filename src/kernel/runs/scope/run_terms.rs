//! The terms of a run: what was requested, and what the door granted.

use super::exec_options::ExecOptions;
use std::sync::Arc;
use std::time::Duration;
use tgp_base::call::{Caller, SharedVisibility};
use tgp_sandbox::RunLimits;

/// What the door granted.
#[derive(Clone, Default)]
pub struct RunAdmission {
    /// The caller that was admitted: dry if the run is nested in a dry one.
    pub caller: Arc<Caller>,
    /// The hash of the approved text; no other text is run.
    pub approved_text: Option<Arc<str>>,
    /// The files that the caller may see.
    pub visibility: SharedVisibility,
    /// The budget of the caller's token, if it is the time limit.
    pub budget: Option<Duration>,
}

/// The terms of a run that the application or one of its functions starts.
pub struct RunTerms {
    pub options: ExecOptions,
    /// Those of the options, within the budget.
    pub limits: RunLimits,
    pub admission: RunAdmission,
}
