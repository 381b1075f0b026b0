//! Pending approvals. Each approval is for one call, can be used once, and expires.

use parking_lot::Mutex;
use ring::rand::{SecureRandom, SystemRandom};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::time::{Duration, Instant, SystemTime};
use tgp_base::call::CallContext;
use tgp_base::error::{Error, ErrorCode};
use tgp_base::text_hash::text_hash;
use tgp_policy::Verdict;

/// Most pending approvals.
const MAX_WAITING: usize = 10_000;

/// What an approval is bound to: a hash of the tool, its text, the arguments, the caller, and the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject(String);

impl Subject {
    /// Each part is hashed with its length, so that no other parts make the same subject.
    #[must_use]
    pub fn of(parts: &[&str]) -> Self {
        let mut text = Vec::new();
        for part in parts {
            text.extend(part.len().to_le_bytes());
            text.extend(part.as_bytes());
        }
        Self(text_hash(&text))
    }
}

/// Who decides about a pending call.
#[derive(Debug, Clone)]
pub enum Decider {
    /// The policy function of the application, which replaces rules.
    Hook,
    /// The approver.
    Approver(Verdict),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ApprovalState {
    Pending,
    Granted,
}

/// When an approval expires, by two clocks: one stops while the machine sleeps, the other can be set.
#[derive(Debug, Clone, Copy)]
struct Expiry {
    steady: Instant,
    wall: Option<SystemTime>,
}

impl Expiry {
    fn after(time: Duration) -> Self {
        Self { steady: Instant::now() + time, wall: SystemTime::now().checked_add(time) }
    }

    fn is_over(&self) -> bool {
        self.steady <= Instant::now() || self.wall.is_some_and(|wall| wall <= SystemTime::now())
    }
}

#[derive(Debug)]
struct Waiting {
    subject: Subject,
    until: Expiry,
    state: ApprovalState,
    about: CallContext,
    decider: Decider,
}

#[derive(Debug)]
pub struct Approvals {
    waiting: Mutex<HashMap<String, Waiting>>,
    /// How long a request may be answered, and its approval be used.
    pub timeout: Duration,
}

impl Approvals {
    #[must_use]
    pub fn new(timeout: Duration) -> Self {
        Self { waiting: Mutex::default(), timeout }
    }

    /// Records a request and returns its id.
    ///
    /// # Errors
    /// `Approval` when too many are pending, `Io` without random bytes for the id.
    pub fn ask(&self, subject: Subject, about: CallContext, decider: Decider) -> Result<String, Error> {
        let mut random = [0; 16];
        let no_random_bytes =
            |_| Error::new(ErrorCode::Io, "No approval can be requested: the system has no random bytes.");
        SystemRandom::new().fill(&mut random).map_err(no_random_bytes)?;
        let id = random.iter().fold(String::new(), |mut id, byte| {
            // Writing to a String cannot fail.
            let _infallible = write!(id, "{byte:02x}");
            id
        });
        let until = Expiry::after(self.timeout);
        let mut waiting = self.waiting.lock();
        if waiting.len() >= MAX_WAITING {
            waiting.retain(|_, call| !call.until.is_over());
        }
        if waiting.len() >= MAX_WAITING {
            let text =
                "Too many approvals are pending. Make the call again when the approver has answered some of them.";
            return Err(refused(text));
        }
        waiting.insert(id.clone(), Waiting { subject, until, state: ApprovalState::Pending, about, decider });
        Ok(id)
    }

    /// The pending call of this request, and who decides about it.
    ///
    /// # Errors
    /// `Approval` for a call that is not pending.
    pub fn waiting(&self, id: &str) -> Result<(CallContext, Decider), Error> {
        self.with(id, |call| (call.about.clone(), call.decider.clone()))
    }

    /// The request was approved.
    ///
    /// # Errors
    /// As `waiting`.
    pub fn grant(&self, id: &str) -> Result<(), Error> {
        self.with(id, |call| call.state = ApprovalState::Granted)
    }

    /// The policy function passes the request on to the approver.
    ///
    /// # Errors
    /// As `waiting`.
    pub fn pass_on(&self, id: &str, to: Decider) -> Result<(), Error> {
        self.with(id, |call| call.decider = to)
    }

    /// Removes a request that was refused or cancelled.
    pub fn forget(&self, id: &str) {
        self.waiting.lock().remove(id);
    }

    fn with<T>(&self, id: &str, work: impl FnOnce(&mut Waiting) -> T) -> Result<T, Error> {
        let mut waiting = self.waiting.lock();
        match waiting.get_mut(id).filter(|call| !call.until.is_over() && call.state == ApprovalState::Pending) {
            Some(call) => Ok(work(call)),
            None => {
                waiting.remove(id);
                Err(approval_expired())
            }
        }
    }

    /// Consumes an approval.
    ///
    /// # Errors
    /// `Approval` for one that was not granted, was used, has expired, or is for another subject.
    pub fn take(&self, id: &str, subject: &Subject) -> Result<(), Error> {
        let Some(Waiting { subject: granted, until, state, .. }) = self.waiting.lock().remove(id) else {
            return Err(approval_expired());
        };
        if until.is_over() {
            return Err(approval_expired());
        }
        if state != ApprovalState::Granted {
            return Err(refused("The call is not approved. Ask the approver first."));
        }
        if granted != *subject {
            return Err(refused(
                "The approval is void: the tool, its arguments, the files that it reaches or the rules have changed since. Make the call again and have it approved again.",
            ));
        }
        Ok(())
    }
}

fn approval_expired() -> Error {
    refused("The approval was used already or has expired (agent.approvalMs). Make the call again to have it approved.")
}

fn refused(message: &str) -> Error {
    Error::new(ErrorCode::Approval, message)
}

#[cfg(test)]
mod tests {
    use super::{Approvals, CallContext, Decider, Expiry, Subject};
    use std::sync::Arc;
    use std::time::{Duration, Instant, SystemTime};
    use tgp_base::call::{Call, Caller};
    use tgp_base::effect::Effect;

    fn ask(approvals: &Approvals, subject: &Subject) -> String {
        let caller = Arc::<Caller>::default();
        let call = Call::of(&caller, "write_file", Effect::Write, "");
        let context = CallContext::new(&call, |number| number.to_string());
        approvals.ask(subject.clone(), context, Decider::Hook).unwrap()
    }

    const LONG: Duration = Duration::from_secs(600);

    #[test]
    fn an_approval_can_be_used_once_and_for_its_subject_only() {
        let approvals = Approvals::new(LONG);
        let subject = Subject::of(&["write_file", "text"]);
        let id = ask(&approvals, &subject);
        approvals.grant(&id).unwrap();
        approvals.take(&id, &subject).unwrap();
        assert!(approvals.take(&id, &subject).is_err() && approvals.grant(&id).is_err());

        let id = ask(&approvals, &subject);
        assert!(approvals.take(&id, &subject).is_err(), "not granted yet");
        let id = ask(&approvals, &subject);
        approvals.grant(&id).unwrap();
        let error = approvals.take(&id, &Subject::of(&["write_file", "text2"])).unwrap_err();
        assert!(error.message.contains("void"), "{}", error.message);
        assert!(approvals.take("x", &subject).is_err());
    }

    #[test]
    fn an_expired_approval_is_refused() {
        let approvals = Approvals::new(Duration::ZERO);
        let subject = Subject::of(&[]);
        let id = ask(&approvals, &subject);
        assert!(approvals.grant(&id).is_err() && approvals.take(&id, &subject).is_err());
    }

    #[test]
    fn either_clock_ends_an_approval() {
        let (now, wall) = (Instant::now(), SystemTime::now());
        let (steady, later) = (now + LONG, wall.checked_add(LONG));
        assert!(!Expiry { steady, wall: later }.is_over());
        assert!(Expiry { steady, wall: Some(wall) }.is_over(), "the machine slept");
        assert!(Expiry { steady: now, wall: later }.is_over(), "the clock was set back");
    }

    #[test]
    fn a_subject_depends_on_the_boundaries_of_its_parts() {
        assert_ne!(Subject::of(&["ab", "c"]), Subject::of(&["a", "bc"]));
    }
}
