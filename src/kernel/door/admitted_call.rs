//! An admitted call, until its end is recorded.

use super::caller_visibility::visibility_of;
use super::gate::{Admission, Gate};
use super::recorder::Recorder;
use super::shown_json::shown;
use super::trace::{Trace, TracedCall, millis};
use serde::Serialize;
use serde_json::value::to_raw_value;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use tgp_base::call::{Call, CallContext, SharedVisibility};
use tgp_base::effect::Effect;
use tgp_base::error::{Error, ErrorCode};
use tgp_base::threads;
use tgp_ledger::{BodyValue, EventType, NewEvent};
use tgp_policy::Capability;

/// Counts the cost of ended calls on a thread of its own, because another process may hold the lock of the counters.
pub(super) fn flush_token_costs(gate: &Arc<Gate>) {
    if !gate.tokens.claim_flush() {
        return;
    }
    let own = Arc::clone(gate);
    if threads::spawn("tgp-tokens", move || own.tokens.flush_costs()).is_err() {
        // The next call retries.
        gate.tokens.release_flush();
    }
}

/// An admitted call. Dropping it records an end without an answer.
pub struct AdmittedCall {
    recorder: Arc<Recorder>,
    number: u64,
    effect: Effect,
    context: CallContext,
    trace: Option<Arc<Trace>>,
    /// The hash of the approved text, if any.
    pub approved_text: Option<Arc<str>>,
    /// The token whose budget pays for the elapsed time, and the milliseconds reserved until then. Calls of a run are
    /// part of the run's time.
    spends: Option<(Arc<Gate>, Capability, u64)>,
    /// The gate that lists it as open, if it has a token.
    opened: Option<Arc<Gate>>,
    began: Instant,
    is_over: bool,
}

impl AdmittedCall {
    pub(super) fn new(
        recorder: Arc<Recorder>,
        call: &Call<'_>,
        context: CallContext,
        gate: &Arc<Gate>,
        mut admitted: Admission,
    ) -> Self {
        let Call { number, effect, .. } = *call;
        let visibility = visibility_of(gate, &mut admitted);
        // Nested calls with the same token, at any depth, are part of it.
        if let Some(token) = &admitted.capability {
            gate.tokens.opened(number, token);
        }
        let opened = admitted.capability.is_some().then(|| Arc::clone(gate));
        let spends = admitted.capability.zip(admitted.reserved_ms);
        Self {
            recorder,
            number,
            effect,
            context: CallContext { visibility, ..context },
            trace: None,
            approved_text: admitted.approved_text,
            opened,
            spends: spends.map(|(token, held)| (Arc::clone(gate), token, held)),
            began: Instant::now(),
            is_over: false,
        }
    }

    /// The same, with its timing in a trace, if any.
    #[must_use]
    pub fn traced(mut self, trace: Option<Arc<Trace>>) -> Self {
        self.trace = trace;
        self
    }

    /// The context of the call, for work on its behalf.
    #[must_use]
    pub fn context(&self) -> CallContext {
        self.context.clone()
    }

    /// The files that the caller may see.
    #[must_use]
    pub fn visibility(&self) -> SharedVisibility {
        self.context.visibility.clone()
    }

    /// Its time limit by the token's budget.
    #[must_use]
    pub fn budget(&self) -> Option<Duration> {
        self.spends.as_ref().map(|(_, _, reserved_ms)| Duration::from_millis(*reserved_ms))
    }

    /// Records its end; a value is JSON text.
    pub fn leave(mut self, end: Result<&str, &Error>) {
        self.over(end);
    }

    /// As `leave`, for a value that is not serialised yet.
    pub fn leave_with<T: Serialize>(self, end: Result<&T, &Error>) {
        match end {
            // Without a ledger the value is not needed.
            Ok(_) if self.recorder.ledger().is_none() => self.leave(Ok("null")),
            Err(error) => self.leave(Err(error)),
            Ok(value) => self.leave(Ok(&serde_json::to_string(value).unwrap_or_default())),
        }
    }

    fn over(&mut self, end: Result<&str, &Error>) {
        if std::mem::replace(&mut self.is_over, true) {
            return;
        }
        let took = self.began.elapsed();
        if let Some(gate) = &self.opened {
            gate.tokens.closed(self.number);
        }
        if let Some((gate, capability, reserved_ms)) = &self.spends {
            gate.tokens.spend(capability, *reserved_ms, u64::try_from(took.as_millis()).unwrap_or(u64::MAX).max(1));
            flush_token_costs(gate);
        }
        let code = end.err().map(|error| error.code.as_str());
        let result = end
            .ok()
            .zip(self.recorder.ledger())
            .and_then(|(result, ledger)| shown(result, ledger.blob_bytes(), &|text| ledger.preview(text)));
        let ms = (took.as_secs_f64() * 1e5).round() / 100.0;
        let ms = to_raw_value(&ms).ok();
        let mut body = vec![("ok", BodyValue::Bool(code.is_none()))];
        body.extend(ms.as_deref().map(|ms| ("ms", BodyValue::Json(ms))));
        body.extend(result.as_deref().map(|result| ("result", BodyValue::Json(result))));
        if let Err(error) = end {
            body.extend([("code", BodyValue::Text(error.code.as_str())), ("message", BodyValue::Text(&error.message))]);
        }
        self.recorder.record(&NewEvent::of_call(EventType::Result, &self.context, &body));
        if let Some(trace) = &self.trace {
            let end = millis(SystemTime::now());
            trace.call(TracedCall {
                call: self.context.name.clone(),
                parent: self.context.parent.clone(),
                tool: self.context.tool.to_string(),
                effect: self.effect.as_str(),
                start: end - took.as_secs_f64() * 1e3,
                end,
                code,
                path: self.context.path.clone(),
            });
        }
    }
}

impl Drop for AdmittedCall {
    fn drop(&mut self) {
        if !self.is_over {
            let lost = if std::thread::panicking() {
                Error::panicked()
            } else {
                Error::new(ErrorCode::Aborted, "The call ended without an answer.")
            };
            self.over(Err(&lost));
        }
    }
}
