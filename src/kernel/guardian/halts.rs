//! Halts of the workspace: how they are recorded, and how they end.

use super::contradictions::Contradiction;
use super::file_records::Presence;
use super::guardian::{Checked, Guardian};
use super::report::Violation;
use crate::kernel::door::canonical_path;
use serde::Serialize;
use tgp_base::error::{Error, ErrorCode};
use tgp_ledger::{BodyValue, EventType, Importance, NewEvent};

const MAX_PATH_BYTES: usize = 4096;
const MAX_REF_BYTES: usize = 256;
/// The `diffRef` of a halt that ended because its cause is gone.
const CAUSE_GONE: &str = "cause-gone";

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Reconciled {
    ok: bool,
}

impl Guardian {
    /// Records a halt for each finding that has none, and ends halts whose cause is gone.
    pub(super) fn record_halts(
        &self,
        checked: &mut Checked,
        contradictions: &[Contradiction],
        violations: &[Violation],
    ) -> Result<(), Error> {
        for found in contradictions {
            let mut body = vec![
                ("code", BodyValue::Text("EHALT")),
                ("ledger", BodyValue::Text(found.ledger.as_str())),
                ("git", BodyValue::Text(found.git.as_str())),
                ("reason", BodyValue::Text(&found.message)),
            ];
            body.extend(found.commit.as_deref().map(|commit| ("commit", BodyValue::Text(commit))));
            self.record_halt(checked, &found.file_path, Some(&found.file_path), &body)?;
        }
        for found in violations {
            let body = [
                ("code", BodyValue::Text("EHALT")),
                ("invariant", BodyValue::Text(&found.invariant)),
                ("expected", BodyValue::Text(found.expected)),
                ("actual", BodyValue::Text(found.actual)),
                ("reason", BodyValue::Text(&found.message)),
            ];
            self.record_halt(checked, &found.invariant, None, &body)?;
        }
        let still = |subject: &str| {
            contradictions.iter().any(|found| found.file_path == subject)
                || violations.iter().any(|found| found.invariant == subject)
        };
        let gone: Vec<String> = checked
            .records
            .halts()
            .filter(|(subject, _)| !still(subject))
            .map(|(subject, _)| subject.to_owned())
            .collect();
        for subject in gone {
            self.record_end(checked, &subject, CAUSE_GONE, None)?;
        }
        Ok(())
    }

    fn record_halt(
        &self,
        checked: &mut Checked,
        subject: &str,
        path: Option<&str>,
        body: &[(&str, BodyValue<'_>)],
    ) -> Result<(), Error> {
        if checked.records.halt(subject).is_some() {
            return Ok(());
        }
        let event = NewEvent {
            importance: Importance::Intent,
            agent: "guardian",
            id: "guardian",
            path,
            body,
            ..NewEvent::of_kernel(EventType::Halt)
        };
        let ledger = self.door.ledger()?;
        let records = &mut checked.records;
        ledger.record_once(
            || {
                records.read_on(ledger)?;
                Ok::<bool, Error>(records.halt(subject).is_some())
            },
            &event,
        )?;
        records.read_on(ledger)
    }

    /// Records that a person accepts what Git has of a file, or that an invariant was dealt with. At most one event for each
    /// pair of file and reference.
    ///
    /// # Errors
    /// `Validation` for an empty or long text, `Ledger`.
    pub fn reconcile(&self, path: &str, diff_ref: &str) -> Result<Reconciled, Error> {
        check_text("filePath", path, MAX_PATH_BYTES)?;
        check_text("diffRef", diff_ref, MAX_REF_BYTES)?;
        let path = canonical_path(path.into());
        let mut checked = self.checked.lock();
        self.read_records(&mut checked)?;
        let head = self.history.head()?;
        let in_git = match &head {
            Some(head) => self.history.files_at(head)?.contains(&*path),
            None => false,
        };
        self.record_end(&mut checked, &path, diff_ref, Some(Presence::of(in_git)))?;
        Ok(Reconciled { ok: true })
    }

    fn record_end(
        &self,
        checked: &mut Checked,
        subject: &str,
        diff_ref: &str,
        git: Option<Presence>,
    ) -> Result<(), Error> {
        let mut body = vec![("diffRef", BodyValue::Text(diff_ref))];
        body.extend(git.map(|git| ("git", BodyValue::Text(git.as_str()))));
        let is_invariant = self.invariants().iter().any(|invariant| &*invariant.id == subject);
        if is_invariant {
            body.push(("invariant", BodyValue::Text(subject)));
        }
        let event = NewEvent {
            importance: Importance::Intent,
            agent: "guardian",
            id: "reconciler",
            path: (!is_invariant).then_some(subject),
            body: &body,
            ..NewEvent::of_kernel(EventType::Reconciliation)
        };
        let ledger = self.door.ledger()?;
        let records = &mut checked.records;
        let is_of_person = diff_ref != CAUSE_GONE;
        ledger.record_once(
            || {
                records.read_on(ledger)?;
                let is_over = !is_of_person && records.halt(subject).is_none();
                Ok::<bool, Error>(is_over || (is_of_person && records.is_reconciled(subject, diff_ref)))
            },
            &event,
        )?;
        records.read_on(ledger)
    }
}

fn check_text(field: &str, text: &str, most: usize) -> Result<(), Error> {
    if text.trim().is_empty() || text.len() > most || text.contains('\0') {
        let message = format!("\"{field}\" must be a text of 1 to {most} bytes.");
        return Err(Error::new(ErrorCode::Validation, message).with("field", field));
    }
    Ok(())
}
