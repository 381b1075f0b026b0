//! A report on the confinement of sandbox workers.

use crate::kernel::config::IsolationMode;
use serde::Serialize;
use std::sync::atomic::{AtomicBool, Ordering};
use tgp_sandbox::Confinement;

/// The warning for `isolation: 'thread'`.
const THREADS: &str = "Tools run on threads of this process (sandbox.isolation is 'thread'). Use this only for trusted code: a tool that allocates too much memory at once ends this process, a tool that ignores its time limit keeps a core busy until this process ends, and memory outside V8's heap is not limited by memoryMb. Use isolation: 'process', the default, for code that an agent wrote.";

/// The confinement of guest code, and a warning when a layer is missing.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct ConfinementReport {
    isolation: IsolationMode,
    #[serde(flatten)]
    confinement: Confinement,
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
}

impl ConfinementReport {
    pub fn new(isolation: IsolationMode, confinement: Confinement) -> Self {
        let warning = warning(isolation, &confinement);
        Self { isolation, confinement, warning }
    }
}

/// The boot warning for threads. Once per process, as an application may have many kernels.
pub fn threads_warning(isolation: IsolationMode) -> Option<String> {
    static WARNED: AtomicBool = AtomicBool::new(false);
    match isolation {
        IsolationMode::Thread if !WARNED.swap(true, Ordering::Relaxed) => Some(THREADS.to_owned()),
        IsolationMode::Thread | IsolationMode::Process => None,
    }
}

/// The warning for a missing layer of a worker process. Threads have none by choice.
fn warning(isolation: IsolationMode, confinement: &Confinement) -> Option<String> {
    let gaps = confinement.gaps();
    match isolation {
        IsolationMode::Process if !gaps.is_empty() => Some(format!(
            "The sandbox has reduced confinement: this system does not fully support {}. Tools are still isolated by V8 and a separate process. Linux 5.13 or later with Landlock and seccomp supports all layers.",
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
    fn missing_layers_are_named_for_processes_only() {
        let message = warning(IsolationMode::Process, &Confinement::NONE).unwrap_or_default();
        assert!(["seccomp", "landlock", "resourceLimits"].iter().all(|layer| message.contains(layer)), "{message}");
        assert_eq!(warning(IsolationMode::Thread, &Confinement::NONE), None);
    }

    #[test]
    fn the_thread_warning_is_given_once() {
        assert_eq!(threads_warning(IsolationMode::Process), None);
        assert!(threads_warning(IsolationMode::Thread).is_some_and(|message| message.contains("isolation: 'process'")));
        assert_eq!(threads_warning(IsolationMode::Thread), None);
    }
}
