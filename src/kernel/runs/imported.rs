//! What a run reaches by importing it.

use crate::kernel::door::{Need, Reach};
use tgp_policy::Effect;

/// Imported files: their code runs as the tool's own does, and whoever may not read them may not have it read either.
pub fn imported(paths: Vec<String>) -> Vec<Reach> {
    vec![
        Reach { effect: Effect::Run, paths: paths.clone(), need: Need::Allowed },
        Reach { effect: Effect::Read, paths, need: Need::NotForbidden },
    ]
}
