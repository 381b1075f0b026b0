//! A call on its way, until its end is written down.

use super::call::Call;
use super::caller_sight::sight_of;
use super::gate::{Admission, Gate};
use super::present_call::PresentCall;
use super::recorder::Recorder;
use super::shown_json::shown;
use super::trace::{Trace, TracedCall, millis};
use crate::kernel::sight::SharedSight;
use serde::Serialize;
use serde_json::value::to_raw_value;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use tgp_base::error::{Error, ErrorCode};
use tgp_base::threads;
use tgp_ledger::{Actor, EventType, NewEvent, Part, Truth};
use tgp_policy::{Capability, Effect};
use tgp_state::Mode;

/// Has what ended calls cost counted on a thread of its own: another process may have the counts locked.
pub(super) fn settle_tokens(gate: &Arc<Gate>) {
    if !gate.tokens.must_settle() {
        return;
    }
    let own = Arc::clone(gate);
    if threads::spawn("tgp-tokens", move || own.tokens.settle()).is_err() {
        // The next call counts it.
        gate.tokens.not_settled();
    }
}

/// A call that was let in. Dropping it writes down that nobody heard of its end.
pub struct Passage {
    recorder: Arc<Recorder>,
    number: u64,
    parent: Option<u64>,
    tool: Cow<'static, str>,
    path: Option<String>,
    effect: Effect,
    session: Option<String>,
    owner: String,
    agent: String,
    id: String,
    mode: Option<Mode>,
    trace: Option<Arc<Trace>>,
    /// What was approved, where it is a text.
    approved_text: Option<Arc<str>>,
    /// What the caller may see.
    sight: SharedSight,
    /// The token that the time it takes is taken from, and the milliseconds of its budget that are held until then. What a run
    /// asks for is part of its time.
    spends: Option<(Arc<Gate>, Capability, u64)>,
    /// Where it is noted as open, if it has a token.
    opened: Option<Arc<Gate>>,
    began: Instant,
    is_over: bool,
}

impl Passage {
    pub(super) fn new(recorder: Arc<Recorder>, call: Call<'_>, gate: &Arc<Gate>, mut admitted: Admission) -> Self {
        let Actor { agent, id } = call.actor();
        let (agent, id) = (agent.to_owned(), id.to_owned());
        let Call { number, parent, tool, effect, path, asker, trace, .. } = call;
        let sight = sight_of(gate, &mut admitted);
        // Whatever is made below it with the same token is part of it, however deep.
        if let Some(token) = &admitted.capability {
            gate.tokens.opened(number, token);
        }
        let opened = admitted.capability.is_some().then(|| Arc::clone(gate));
        let spends = admitted.capability.zip(admitted.held_ms);
        Self {
            recorder,
            number,
            parent,
            tool,
            path: path.map(Cow::into_owned),
            effect,
            session: asker.session.clone(),
            owner: asker.owner(),
            agent,
            id,
            mode: asker.mode,
            trace,
            sight,
            approved_text: admitted.approved_text,
            opened,
            spends: spends.map(|(token, held)| (Arc::clone(gate), token, held)),
            began: Instant::now(),
            is_over: false,
        }
    }

    /// The call, for what happens on its behalf.
    #[must_use]
    pub fn present(&self) -> PresentCall {
        PresentCall {
            call: self.recorder.name(self.number),
            session: self.session.clone(),
            agent: self.agent.clone(),
            id: self.id.clone(),
            mode: self.mode,
            owner: self.owner.clone(),
            sight: self.sight.clone(),
        }
    }

    /// What the caller may see.
    #[must_use]
    pub fn sight(&self) -> SharedSight {
        self.sight.clone()
    }

    /// The hash of the text that somebody has approved, where that was asked.
    #[must_use]
    pub fn approved_text(&self) -> Option<Arc<str>> {
        self.approved_text.clone()
    }

    /// How long it may last by the budget of its token.
    #[must_use]
    pub fn budget(&self) -> Option<Duration> {
        self.spends.as_ref().map(|(_, _, held_ms)| Duration::from_millis(*held_ms))
    }

    /// Notes how it ended; a value is JSON text.
    pub fn leave(mut self, end: Result<&str, &Error>) {
        self.over(end);
    }

    /// The same for a value that is no text yet.
    pub fn leave_with<T: Serialize>(self, end: Result<&T, &Error>) {
        match end {
            // Nobody reads it.
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
        if let Some((gate, capability, held_ms)) = &self.spends {
            gate.tokens.spend(capability, *held_ms, u64::try_from(took.as_millis()).unwrap_or(u64::MAX).max(1));
            settle_tokens(gate);
        }
        let code = end.err().map(|error| error.code.as_str());
        let name = self.recorder.name(self.number);
        let parent = self.parent.map(|number| self.recorder.name(number));
        let result = end
            .ok()
            .zip(self.recorder.ledger())
            .and_then(|(result, ledger)| shown(result, ledger.blob_bytes(), &|text| ledger.preview(text)));
        let ok = if code.is_none() { Truth::Yes } else { Truth::No };
        let ms = (took.as_secs_f64() * 1e5).round() / 100.0;
        let ms = to_raw_value(&ms).ok();
        let mut body = vec![("ok", Part::Truth(ok))];
        body.extend(ms.as_deref().map(|ms| ("ms", Part::Json(ms))));
        body.extend(result.as_deref().map(|result| ("result", Part::Json(result))));
        if let Err(error) = end {
            body.extend([("code", Part::Text(error.code.as_str())), ("message", Part::Text(&error.message))]);
        }
        self.recorder.record(&NewEvent {
            session: self.session.as_deref(),
            actor: Actor { agent: &self.agent, id: &self.id },
            call: Some(&name),
            parent: parent.as_deref(),
            tool: Some(&self.tool),
            path: self.path.as_deref(),
            body: &body,
            ..NewEvent::of_kernel(EventType::Result)
        });
        if let Some(trace) = &self.trace {
            let end = millis(SystemTime::now());
            trace.call(TracedCall {
                call: name,
                parent,
                tool: self.tool.to_string(),
                effect: self.effect.as_str(),
                start: end - took.as_secs_f64() * 1e3,
                end,
                code,
                path: self.path.clone(),
            });
        }
    }
}

impl Drop for Passage {
    fn drop(&mut self) {
        if !self.is_over {
            let lost = if std::thread::panicking() {
                Error::panicked()
            } else {
                Error::new(ErrorCode::Aborted, "It ended without an answer.")
            };
            self.over(Err(&lost));
        }
    }
}
