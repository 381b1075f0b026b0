//! What holds the sandbox's workers, for people to see.

use crate::kernel::config::IsolationMode;
use serde::Serialize;
use std::sync::atomic::{AtomicBool, Ordering};
use tgp_sandbox::Confinement;

/// What an application that runs tools on its own threads should know.
const THREADS: &str = "Tools run on threads of this process (sandbox.isolation is 'thread'). That is for code you trust: a tool that asks for too much memory at once ends this process, one that ignores its time limit keeps a core busy until this process ends, and memory outside V8's heap is not held to memoryMb. Use isolation: 'process', the default, for what an agent wrote.";

/// The walls around guest code, and a warning when one of them is missing that could be there.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct ConfinementReport {
    isolation: IsolationMode,
    #[serde(flatten)]
    walls: Confinement,
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
}

impl ConfinementReport {
    pub fn new(isolation: IsolationMode, walls: Confinement) -> Self {
        let warning = warning(isolation, &walls);
        Self { isolation, walls, warning }
    }
}

/// What to tell at boot about where tools run. Once per process: an application may have many kernels.
pub fn threads_warning(isolation: IsolationMode) -> Option<String> {
    static TOLD: AtomicBool = AtomicBool::new(false);
    match isolation {
        IsolationMode::Thread if !TOLD.swap(true, Ordering::Relaxed) => Some(THREADS.to_owned()),
        IsolationMode::Thread | IsolationMode::Process => None,
    }
}

/// Threads have no walls by choice; a process that lacks one is weaker than its owner may think.
fn warning(isolation: IsolationMode, walls: &Confinement) -> Option<String> {
    let gaps = walls.gaps();
    match isolation {
        IsolationMode::Process if !gaps.is_empty() => Some(format!(
            "The sandbox runs with less confinement than it could: this system gave no full {}. Tools are still held by V8 and a process of their own. Linux 5.13 or later with Landlock and seccomp has all of it.",
            gaps.join(", ")
        )),
        IsolationMode::Process | IsolationMode::Thread => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{IsolationMode, threads_warning, warning};
    use tgp_sandbox::Confinement;

    #[test]
    fn a_missing_wall_is_told_by_name_unless_nobody_asked_for_walls() {
        let told = warning(IsolationMode::Process, &Confinement::NONE).unwrap_or_default();
        assert!(["seccomp", "landlock", "resourceLimits"].iter().all(|wall| told.contains(wall)), "{told}");
        assert_eq!(warning(IsolationMode::Thread, &Confinement::NONE), None);
    }

    #[test]
    fn threads_are_warned_of_once_and_processes_never() {
        assert_eq!(threads_warning(IsolationMode::Process), None);
        assert!(threads_warning(IsolationMode::Thread).is_some_and(|told| told.contains("isolation: 'process'")));
        assert_eq!(threads_warning(IsolationMode::Thread), None);
    }
}
