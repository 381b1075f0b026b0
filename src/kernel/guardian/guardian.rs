//! The guardian: compares what the ledger, Git and the graph say about the workspace, and halts it when they disagree.

use super::contradictions::{contradictions, only_kernels_committed};
use super::file_records::FileRecords;
use super::graph_rows::GraphRows;
use super::report::GuardianReport;
use crate::kernel::config::GuardianMode;
use crate::kernel::door::{Door, Guard};
use crate::kernel::graph::Graph;
use crate::kernel::history::History;
use crate::kernel::host_functions::HostFunctions;
use parking_lot::{Mutex, MutexGuard};
use std::sync::{Arc, Weak};
use tgp_base::effect::Effect;
use tgp_base::error::{Error, ErrorCode};
use tgp_base::threads::{Next, Priority, SleepingThread};

pub struct GuardianDeps {
    pub mode: GuardianMode,
    pub door: Arc<Door>,
    pub history: Arc<History>,
    pub graph: Arc<Graph>,
    pub functions: Arc<dyn HostFunctions>,
}

pub struct Guardian {
    pub(super) mode: GuardianMode,
    pub(super) door: Arc<Door>,
    pub(super) history: Arc<History>,
    pub(super) graph: GraphRows,
    functions: Arc<dyn HostFunctions>,
    pub(super) checked: Mutex<Checked>,
    itself: Weak<Self>,
    /// Checks after commits.
    thread: SleepingThread,
}

/// The records, and what they were last compared with.
#[derive(Default)]
pub(super) struct Checked {
    pub records: FileRecords,
    /// The commit of the last check.
    head: Option<String>,
    /// The version of the policy whose invariants were checked.
    policy: String,
}

/// What a check compares.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    Everything,
    /// Nothing, if kernels made all commits since the last check and it found nothing.
    NewCommits,
}

impl Guardian {
    pub fn new(deps: GuardianDeps) -> Result<Arc<Self>, Error> {
        let GuardianDeps { mode, door, history, graph, functions } = deps;
        if mode != GuardianMode::Off && !door.has_records() {
            let text = format!("\"guardian: '{}'\" requires the ledger. Remove \"ledger: false\".", mode.as_str());
            return Err(Error::new(ErrorCode::Config, text).with("key", "guardian"));
        }
        Ok(Arc::new_cyclic(|itself| {
            let (itself, thread) = (itself.clone(), SleepingThread::new("tgp-guardian", Priority::Low));
            let graph = GraphRows(graph);
            Self { mode, door, history, graph, functions, checked: Mutex::default(), itself, thread }
        }))
    }

    /// From now on the door refuses calls in a halted workspace, and reports commits.
    pub fn watch(self: &Arc<Self>) {
        if self.mode != GuardianMode::Off {
            let guard: Weak<dyn Guard> = Arc::downgrade(self) as Weak<dyn Guard>;
            self.door.set_guard(guard);
        }
    }

    /// Ends the thread that checks after commits.
    pub fn stop(&self) {
        self.thread.join();
    }

    /// The check of a boot: its findings, for the log. In mode `halt` a check that fails is repeated by the first call.
    pub fn check_at_boot(&self) -> Vec<String> {
        match self.mode {
            GuardianMode::Off => Vec::new(),
            GuardianMode::Warn | GuardianMode::Halt => match self.check() {
                Ok(report) => report.messages(),
                Err(error) => vec![format!("The guardian could not check the workspace: {}", error.message)],
            },
        }
    }

    /// Checks the workspace, whatever was checked before.
    ///
    /// # Errors
    /// `Ledger`, `Git`, and those of the invariants' queries.
    pub fn check(&self) -> Result<GuardianReport, Error> {
        let mut checked = self.checked.lock();
        self.read_records(&mut checked)?;
        let head = self.history.head()?;
        self.compare(&mut checked, head, Extent::Everything)
    }

    /// The check after a commit: in mode `warn`, its findings go to the application's log.
    fn check_commits(&self) {
        let findings =
            self.current().map(|(_checked, report)| report.map(GuardianReport::messages).unwrap_or_default());
        let failed = |error: Error| vec![format!("The guardian could not check the workspace: {}", error.message)];
        for message in findings.unwrap_or_else(failed) {
            if self.mode == GuardianMode::Warn {
                self.functions.warn(&message);
            }
        }
    }

    /// The state, with the report of a check if the commits or the policy have changed.
    fn current(&self) -> Result<(MutexGuard<'_, Checked>, Option<GuardianReport>), Error> {
        let mut checked = self.checked.lock();
        let head = self.history.head()?;
        let is_new = checked.head != head || checked.policy != self.door.gate().rules.version();
        if !is_new {
            checked.records.read_on(self.door.ledger()?)?;
            return Ok((checked, None));
        }
        // This process may have recorded commits that are not stored yet.
        self.read_records(&mut checked)?;
        let report = self.compare(&mut checked, head, Extent::NewCommits)?;
        Ok((checked, Some(report)))
    }

    pub(super) fn read_records(&self, checked: &mut Checked) -> Result<(), Error> {
        let ledger = self.door.ledger()?;
        // A failed flush, for example on a full disk, does not prevent reading.
        let _later = ledger.flush();
        checked.records.read_on(ledger)
    }

    /// Compares the records with the commit `head`, and records what is new in mode `halt`.
    fn compare(&self, checked: &mut Checked, head: Option<String>, extent: Extent) -> Result<GuardianReport, Error> {
        let is_quick = match (&checked.head, &head) {
            (Some(from), Some(to)) if extent == Extent::NewCommits && checked.records.halts().next().is_none() => {
                only_kernels_committed(&self.history, &checked.records, from, to)?
            }
            _ => false,
        };
        let contradictions = match &head {
            Some(head) if !is_quick => contradictions(&self.history, &checked.records, head)?,
            _ => Vec::new(),
        };
        let violations = self.violations()?;
        if self.mode == GuardianMode::Halt {
            self.record_halts(checked, &contradictions, &violations)?;
        }
        checked.head = head;
        checked.policy = self.door.gate().rules.version();
        let halts: Vec<String> = checked.records.halts().map(|(subject, _)| subject.to_owned()).collect();
        let ok = contradictions.is_empty() && violations.is_empty() && halts.is_empty();
        Ok(GuardianReport { ok, contradictions, violations, halts })
    }
}

impl Guard for Guardian {
    fn can_halt(&self) -> bool {
        self.mode == GuardianMode::Halt
    }

    /// Checks first, if there are new commits.
    fn admit(&self, effect: Effect) -> Result<(), Error> {
        if self.mode != GuardianMode::Halt || effect == Effect::Read {
            return Ok(());
        }
        let (checked, _) = self.current()?;
        let mut halts = checked.records.halts();
        let Some((subject, halt)) = halts.next() else { return Ok(()) };
        let more = halts.count();
        let more = if more == 0 { String::new() } else { format!(" The same applies to {more} more.") };
        let message = format!(
            "The workspace is halted: {}{more} Only reading is allowed until a person calls kernel.guardian.reconcile for it, or removes the cause.",
            halt.reason
        );
        Err(halt_error(message).with("subject", subject))
    }

    fn committed(&self) {
        let guardian = self.itself.clone();
        let step = move || {
            if let Some(guardian) = guardian.upgrade() {
                guardian.check_commits();
            }
            Next::End
        };
        // In mode `halt` the next call checks, whether or not there is a thread.
        let _no_thread = self.thread.wake(step);
    }
}

pub(super) fn halt_error(message: String) -> Error {
    Error::new(ErrorCode::Halt, message).with("code", "EHALT")
}
