//! The reach of imported files.

use crate::kernel::door::{Need, Reach};
use tgp_policy::Effect;

/// Imported files need the right to run, and must not be forbidden to read, as results could quote them.
pub fn imported(paths: Vec<String>) -> Vec<Reach> {
    vec![
        Reach { effect: Effect::Run, paths: paths.clone(), need: Need::Allowed },
        Reach { effect: Effect::Read, paths, need: Need::NotForbidden },
    ]
}
