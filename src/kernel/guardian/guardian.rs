//! The guardian: compares what the ledger, Git and the graph say about the workspace, and halts it when they disagree.

use super::assertions::Violation;
use super::contradictions::{Contradiction, contradictions, only_kernels_committed};
use super::file_records::FileRecords;
use super::graph_rows::GraphRows;
use crate::kernel::config::GuardianMode;
use crate::kernel::door::Door;
use crate::kernel::history::History;
use crate::kernel::host_functions::HostFunctions;
use parking_lot::{Mutex, MutexGuard};
use serde::Serialize;
use std::sync::Arc;
use tgp_base::effect::Effect;
use tgp_base::error::{Error, ErrorCode};


pub struct GuardianDeps {
    pub mode: GuardianMode,
    pub door: Arc<Door>,
    pub history: Arc<History>,
    pub graph: Arc<dyn GraphRows>,
    pub functions: Arc<dyn HostFunctions>,
}

pub struct Guardian {
    pub(super) mode: GuardianMode,
    pub(super) door: Arc<Door>,
    pub(super) history: Arc<History>,
    pub(super) graph: Arc<dyn GraphRows>,
    functions: Arc<dyn HostFunctions>,
    pub(super) checked: Mutex<Checked>,
}

/// The records, and what they were last compared with.
#[derive(Default)]
pub(super) struct Checked {
    pub records: FileRecords,
    head: Option<String>,
    /// The version of the policy whose invariants were checked.
    policy: String,
}

/// The result of a check.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct GuardianReport {
    pub ok: bool,
    pub contradictions: Vec<Contradiction>,
    pub violations: Vec<Violation>,
    /// Paths and ids of invariants that halt the workspace.
    pub halts: Vec<String>,
}

impl Guardian {
    pub fn new(deps: GuardianDeps) -> Result<Arc<Self>, Error> {
        let GuardianDeps { mode, door, history, graph, functions } = deps;
        if mode != GuardianMode::Off && !door.has_records() {
            let text = format!("\"guardian: '{}'\" requires the ledger. Remove \"ledger: false\".", mode.as_str());
            return Err(Error::new(ErrorCode::Config, text).with("key", "guardian"));
        }
        Ok(Arc::new(Self { mode, door, history, graph, functions, checked: Mutex::default() }))
    }

    /// Refuses a call in a halted workspace. Checks first, if someone else has committed.
    ///
    /// # Errors
    /// `Halt`, and those of the check.
    pub fn admit(&self, effect: Effect) -> Result<(), Error> {
        if self.mode != GuardianMode::Halt || effect == Effect::Read {
            return Ok(());
        }
        let checked = self.current()?;
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

    /// Checks the workspace, whatever was checked before.
    ///
    /// # Errors
    /// `Ledger`, `Git`, and those of the invariants' queries.
    pub fn check(&self) -> Result<GuardianReport, Error> {
        let mut checked = self.checked.lock();
        self.read_records(&mut checked)?;
        let head = self.history.head()?;
        self.compare(&mut checked, head)
    }

    /// The check when a kernel starts and after a commit: in mode `warn`, its findings go to the application's log.
    ///
    /// # Errors
    /// As `check`.
    pub fn check_in_background(&self) -> Result<(), Error> {
        if self.mode == GuardianMode::Off {
            return Ok(());
        }
        let checked = self.current()?;
        drop(checked);
        Ok(())
    }

    /// The state, after a check if the commits or the invariants have changed.
    fn current(&self) -> Result<MutexGuard<'_, Checked>, Error> {
        let mut checked = self.checked.lock();
        let head = self.history.head()?;
        let policy = self.door.gate().rules.version();
        let is_new = checked.head != head || checked.policy != policy;
        if is_new {
            // This process may have recorded commits that are not stored yet.
            let _later = self.door.ledger()?.flush();
        }
        checked.records.read_on(self.door.ledger()?)?;
        if is_new {
            let report = self.compare(&mut checked, head)?;
            if self.mode == GuardianMode::Warn {
                let contradictions = report.contradictions.iter().map(|found| &found.message);
                for message in contradictions.chain(report.violations.iter().map(|found| &found.message)) {
                    self.functions.warn(message);
                }
            }
        }
        Ok(checked)
    }

    pub(super) fn read_records(&self, checked: &mut Checked) -> Result<(), Error> {
        let ledger = self.door.ledger()?;
        // A failed flush, for example on a full disk, does not prevent reading.
        let _later = ledger.flush();
        checked.records.read_on(ledger)
    }

    /// Compares the records with the commit `head`, and records what is new in mode `halt`.
    fn compare(&self, checked: &mut Checked, head: Option<String>) -> Result<GuardianReport, Error> {
        let is_quick = match (&checked.head, &head) {
            (Some(from), Some(to)) if checked.records.halts().next().is_none() => {
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

pub(super) fn halt_error(message: String) -> Error {
    Error::new(ErrorCode::Halt, message).with("code", "EHALT")
}
