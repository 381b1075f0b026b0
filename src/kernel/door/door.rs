//! The entry point of every call, from every caller: AI SDK tools, forged tools, MCP, the command line, and host calls
//! of a running tool.
//!
//! ```text
//! validate → state → policy → approve → record the intent → execute → record the result
//! ```
//!
//! Arguments of kernel tools are validated before a call gets here, where their schema is known; those of tools by the
//! text that runs.

use super::admitted_call::{AdmittedCall, flush_token_costs};
use super::call_details::CallDetails;
use super::gate::{Gate, Refusal};
use super::present_call::present;
use super::recorder::{Recorder, Records};
use super::shown_json::shown;
use super::witness::{Witness, trailer};
use serde_json::value::{RawValue, to_raw_value};
use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use tgp_base::call::{Call, CallContext, Changes};
use tgp_base::effect::Effect;
use tgp_base::error::{Error, ErrorCode};
use tgp_git::FileChange;
use tgp_ledger::{BodyValue, EventType, Importance, Ledger, LedgerError, NewEvent};
use tgp_vfs::JailPath;

/// The number of the first call that is not a run, far above those of runs.
const FIRST_NUMBER: u64 = 1 << 40;
/// Longest path that is recorded of a call; no operating system allows a longer one.
const MAX_PATH_BYTES: usize = 4096;

pub struct Door {
    pub(super) recorder: Arc<Recorder>,
    pub(super) gate: Arc<Gate>,
    next: AtomicU64,
    /// Whether the first call has been recorded.
    is_in_use: AtomicBool,
    guard: OnceLock<Weak<dyn Guard>>,
}

/// Refuses calls in a halted workspace.
pub trait Guard: Send + Sync {
    /// Whether it can refuse calls.
    fn can_halt(&self) -> bool;

    /// # Errors
    /// `Halt`, and those of its check.
    fn admit(&self, effect: Effect) -> Result<(), Error>;

    /// A commit was made. Must not block.
    fn committed(&self);
}

impl Door {
    /// A door that records every call; without a ledger it only numbers them.
    #[must_use]
    pub fn new(records: Records, gate: Gate) -> Arc<Self> {
        Arc::new(Self {
            recorder: Arc::new(Recorder::new(records)),
            gate: Arc::new(gate),
            next: AtomicU64::new(FIRST_NUMBER),
            is_in_use: AtomicBool::new(false),
            guard: OnceLock::new(),
        })
    }

    /// A door at which everything is allowed.
    #[cfg(test)]
    pub fn open(records: Records) -> Arc<Self> {
        let tokens = super::tokens::Tokens::new(&crate::kernel::config::TokensConfig::default()).unwrap();
        let approvals = super::approvals::Approvals::new(std::time::Duration::ZERO);
        let rules = super::rules::PolicySource::Allow;
        let (tools, mode) =
            (super::known_tools::known_tools(&[], tgp_sql::Dialect::Any), tgp_base::mode::Mode::Explore);
        let compiler = Arc::new(tgp_compile::Compiler::new());
        let secrets = crate::kernel::secret_scan::SecretScan::new(&compiler, &tgp_compile::LintOptions::default());
        Self::new(records, Gate::new(&rules, tools, tokens, approvals, mode, secrets).unwrap())
    }

    #[must_use]
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// The ledger.
    ///
    /// # Errors
    /// `Ledger` when it is turned off, or cannot be used.
    pub fn ledger(&self) -> Result<&Arc<Ledger>, Error> {
        match self.recorder.records() {
            Records::Ledger(ledger) => Ok(ledger),
            Records::Refused(error) => Err(error.clone()),
            Records::Nothing => {
                let text = "The ledger is disabled. Remove \"ledger: false\" from the configuration, or move rootDir to a writable location.";
                Err(Error::new(ErrorCode::Ledger, text))
            }
        }
    }

    /// Sets what refuses calls in a halted workspace.
    pub fn set_guard(&self, guard: Weak<dyn Guard>) {
        // A kernel sets it once.
        let _first = self.guard.set(guard);
    }

    /// Whether the workspace can be halted: whether it is must be read from files.
    #[must_use]
    pub fn has_guard(&self) -> bool {
        self.guard().is_some_and(|guard| guard.can_halt())
    }

    fn guard(&self) -> Option<Arc<dyn Guard>> {
        self.guard.get()?.upgrade()
    }

    fn guarded(&self, effect: Effect) -> Result<(), Refusal> {
        self.guard().map_or(Ok(()), |guard| guard.admit(effect)).map_err(Refusal::Invalid)
    }

    /// Whether calls are recorded, or changes refused because they cannot be.
    #[must_use]
    pub fn has_records(&self) -> bool {
        !matches!(self.recorder.records(), Records::Nothing)
    }

    /// A number for a call that is not a run.
    #[must_use]
    pub fn next_number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// The name of a call in the ledger.
    #[must_use]
    pub fn name(&self, number: u64) -> String {
        self.recorder.name(number)
    }

    /// The number of events in the ledger, as far as known without a query.
    #[must_use]
    pub fn size(&self) -> Option<u64> {
        self.recorder.ledger().map(|ledger| ledger.last_position().size)
    }

    /// Admits or refuses a call. Its end is reported to the [`AdmittedCall`].
    ///
    /// # Errors
    /// `Denied` for a forbidden call, `Approval` for one that must be approved first, `Ledger` for one that would
    /// change something and cannot be recorded.
    pub fn enter(&self, mut call: Call<'_>, details: CallDetails<'_>) -> Result<AdmittedCall, Error> {
        call.path = call.path.map(canonical_path);
        if call.caller.dry_run {
            call.changes = Changes::Nothing;
        }
        self.require_room(&call)?;
        let judged = self.guarded(call.effect).and_then(|()| self.gate.judge(&call, details));
        // The whole path is judged; what is recorded and reported from here on is bounded.
        call.path = call.path.map(kept_path);
        let admitted = judged.map_err(|refusal| self.refuse(&call, unless_held(details, refusal)))?;
        let context = self.context(&call);
        if let Err(error) = self.record_intent(&call, &context) {
            if let Some((capability, reserved_ms)) = admitted.capability.as_ref().zip(admitted.reserved_ms) {
                self.gate.tokens.spend(capability, reserved_ms, 0);
                flush_token_costs(&self.gate);
            }
            return Err(error);
        }
        Ok(AdmittedCall::new(Arc::clone(&self.recorder), &call, context, &self.gate, admitted))
    }

    /// Authorises a part of an admitted call. Never requests an approval: a part that needs one is refused.
    ///
    /// # Errors
    /// `Denied` and `Approval`.
    pub fn check(&self, mut call: Call<'_>, details: CallDetails<'_>) -> Result<(), Error> {
        call.path = call.path.map(canonical_path);
        let judged = self.guarded(call.effect).and_then(|()| self.gate.judge(&call, details));
        call.path = call.path.map(kept_path);
        judged.map(|_| ()).map_err(|refusal| {
            let mut error = self.refuse(&call, refusal);
            error.details.remove("request");
            error
        })
    }

    /// Refuses a call when the ledger has no room for its intent, before an approval or token is used up, so that it
    /// can be retried.
    fn require_room(&self, call: &Call<'_>) -> Result<(), Error> {
        if call.changes == Changes::Nothing || self.recorder.ledger().is_none_or(|ledger| ledger.has_room()) {
            return Ok(());
        }
        Err(full())
    }

    fn record_intent(&self, call: &Call<'_>, context: &CallContext) -> Result<(), Error> {
        let ledger = match (self.recorder.records(), call.changes) {
            (Records::Ledger(ledger), _) => ledger,
            (Records::Refused(error), Changes::Something) => return Err(error.clone()),
            (Records::Nothing | Records::Refused(_), Changes::Nothing | Changes::Something) => return Ok(()),
        };
        self.begin_records();
        let args = shown(&call.args, ledger.blob_bytes(), &|text| ledger.preview(text));
        let mut body = vec![("effect", BodyValue::Text(call.effect.as_str()))];
        body.extend(call.caller.model.as_deref().map(|model| ("model", BodyValue::Text(model))));
        body.extend(args.as_deref().map(|args| ("args", BodyValue::Json(args))));
        body.extend(call.approval.map(|id| ("approval", BodyValue::Text(id))));
        body.extend(call.caller.dry_run.then_some(("dryRun", BodyValue::Bool(true))));
        let importance = match call.changes {
            Changes::Something => Importance::Intent,
            // Its result, and the intents of changes that follow, are written after it.
            Changes::Nothing => Importance::Later,
        };
        let event = NewEvent { importance, ..NewEvent::of_call(EventType::Call, context, &body) };
        match (ledger.record(&event), call.changes) {
            (Err(error), Changes::Something) => Err(error.into()),
            // Reads go on without a record, so that an application can still read when its disk is full.
            (Ok(()) | Err(_), Changes::Something | Changes::Nothing) => Ok(()),
        }
    }

    /// Records, before any other event, that this process is in use and by which rules.
    pub(super) fn begin_records(&self) {
        if !self.is_in_use.swap(true, Ordering::Relaxed) {
            self.record_session("open");
            self.record_rules();
        }
    }

    /// Flushes the ledger, signs its position and closes it.
    pub fn close(&self) {
        self.gate.tokens.close();
        if let Some(ledger) = self.recorder.ledger() {
            if self.is_in_use.load(Ordering::Relaxed) {
                self.record_session("close");
            }
            // Unwritten events stay in the spool until the ledger is opened again.
            let _later = ledger.close();
        }
    }

    /// Records what happened to a tool or its test, so that the state can be rebuilt.
    pub fn record_state(&self, by: Option<&CallContext>, path: &str, event: &RawValue) {
        let body = [("what", BodyValue::Json(event)), ("process", BodyValue::Text(self.recorder.process()))];
        let event = NewEvent { path: Some(path), body: &body, ..NewEvent::of_kernel(EventType::State) };
        self.recorder.record_for(by, &event);
    }

    /// The context of a call.
    #[must_use]
    pub fn context(&self, call: &Call<'_>) -> CallContext {
        CallContext::new(call, |number| self.name(number))
    }

    /// The prefix of the names of this process's calls.
    pub fn process(&self) -> &str {
        self.recorder.process()
    }

    /// Records that this process is in use, or no longer.
    fn record_session(&self, state: &str) {
        let body = [
            ("state", BodyValue::Text(state)),
            ("process", BodyValue::Text(self.recorder.process())),
            ("version", BodyValue::Text(env!("CARGO_PKG_VERSION"))),
        ];
        self.recorder.record(&NewEvent { body: &body, ..NewEvent::of_kernel(EventType::Session) });
    }
}

/// The error when the ledger has no room; the call can be retried.
pub fn full() -> Error {
    Error::from(LedgerError::SpoolFull).with("reason", "full")
}

/// Requests no approval for a call that its arguments or the tests of a tool would refuse.
fn unless_held(details: CallDetails<'_>, refusal: Refusal) -> Refusal {
    let Refusal::NeedsApproval(asking) = refusal else { return refusal };
    let held = details.ready.and_then(|ready| ready().err());
    held.map_or(Refusal::NeedsApproval(asking), Refusal::Invalid)
}

/// A path in the canonical spelling of events. A path outside the root is unchanged.
pub fn canonical_path(path: Cow<'_, str>) -> Cow<'_, str> {
    match JailPath::parse(&path) {
        Ok(parsed) if !parsed.is_root() => Cow::Owned(parsed.as_str().to_owned()),
        Ok(_) | Err(_) => path,
    }
}

/// The path, cut to the length that is recorded.
fn kept_path(path: Cow<'_, str>) -> Cow<'_, str> {
    if path.len() <= MAX_PATH_BYTES {
        return path;
    }
    let end = path.floor_char_boundary(MAX_PATH_BYTES);
    Cow::Owned(format!("{}…", path.get(..end).unwrap_or_default()))
}

impl Witness for Door {
    fn trailer(&self) -> Option<String> {
        // Without a readable ledger the commit has no trailer, and is still valid.
        let ledger = self.recorder.ledger()?;
        let head = ledger.witnessed_position().ok().filter(|head| head.size > 0)?;
        let (key, signature) = ledger.witness(&head).ok()?;
        Some(trailer(&head, &key, &signature))
    }

    fn committed(&self, commit: &str, changes: &[FileChange<'_>]) {
        let json_of = |paths: &[&str]| to_raw_value(paths).ok().filter(|_| !paths.is_empty());
        let paths: Vec<&str> = changes.iter().map(|change| change.path).collect();
        let removed: Vec<&str> =
            changes.iter().filter(|change| change.content.is_none()).map(|change| change.path).collect();
        let (paths_json, removed_json) = (json_of(&paths), json_of(&removed));
        let mut body = vec![("commit", BodyValue::Text(commit))];
        body.extend(paths_json.as_deref().map(|paths| ("paths", BodyValue::Json(paths))));
        body.extend(removed_json.as_deref().map(|paths| ("removed", BodyValue::Json(paths))));
        let path = paths.first().copied();
        self.recorder
            .record_for(present().as_ref(), &NewEvent { path, body: &body, ..NewEvent::of_kernel(EventType::Commit) });
        if let Some(guard) = self.guard() {
            guard.committed();
        }
    }
}
