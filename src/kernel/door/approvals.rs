//! Calls that wait for an approval. Each approval is for one call, counts once, and expires.

use super::asked_call::{AskedCall, AskedOf};
use crate::kernel::text_hash::text_hash;
use parking_lot::Mutex;
use ring::rand::{SecureRandom, SystemRandom};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::time::{Duration, Instant, SystemTime};
use tgp_base::error::{Error, ErrorCode};

/// Calls that can wait at the same time.
const MOST_WAITING: usize = 10_000;

/// What a word is given for: a hash of the tool, its text, the arguments, who asks, and the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject(String);

impl Subject {
    /// Each part counts with its length, so that no other parts make the same subject.
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    Awaited,
    Yes,
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
    word: Word,
    about: AskedCall,
}

#[derive(Debug)]
pub struct Approvals {
    waiting: Mutex<HashMap<String, Waiting>>,
    patience: Duration,
}

impl Approvals {
    #[must_use]
    pub fn new(patience: Duration) -> Self {
        Self { waiting: Mutex::default(), patience }
    }

    /// Records a request; the name that its answer must be given under.
    ///
    /// # Errors
    /// `Approval` when too many wait, `Io` when no name can be made.
    pub fn ask(&self, subject: Subject, about: AskedCall) -> Result<String, Error> {
        let mut random = [0; 16];
        let unnamed =
            |_| Error::new(ErrorCode::Io, "The machine gives no random bytes, so no approval can be requested.");
        SystemRandom::new().fill(&mut random).map_err(unnamed)?;
        let id = random.iter().fold(String::new(), |mut id, byte| {
            // Writing to a text cannot fail.
            let _infallible = write!(id, "{byte:02x}");
            id
        });
        let until = Expiry::after(self.patience);
        let mut waiting = self.waiting.lock();
        if waiting.len() >= MOST_WAITING {
            waiting.retain(|_, call| !call.until.is_over());
        }
        if waiting.len() >= MOST_WAITING {
            return Err(refused("Too many calls wait for an approval. Answer some of them first."));
        }
        waiting.insert(id.clone(), Waiting { subject, until, word: Word::Awaited, about });
        Ok(id)
    }

    /// The call that waits under this name.
    ///
    /// # Errors
    /// `Approval` for a call that does not wait, or no longer.
    pub fn waiting(&self, id: &str) -> Result<AskedCall, Error> {
        self.with(id, |call| call.about.clone())
    }

    /// The approver has approved it.
    ///
    /// # Errors
    /// As `waiting`.
    pub fn grant(&self, id: &str) -> Result<(), Error> {
        self.with(id, |call| call.word = Word::Yes)
    }

    /// The policy function wants the approver to be asked.
    ///
    /// # Errors
    /// As `waiting`.
    pub fn pass_on(&self, id: &str, to: AskedOf) -> Result<(), Error> {
        self.with(id, |call| call.about.of = to)
    }

    /// It was refused, or the answer is no longer awaited.
    pub fn forget(&self, id: &str) {
        self.waiting.lock().remove(id);
    }

    fn with<T>(&self, id: &str, work: impl FnOnce(&mut Waiting) -> T) -> Result<T, Error> {
        let mut waiting = self.waiting.lock();
        match waiting.get_mut(id).filter(|call| !call.until.is_over() && call.word == Word::Awaited) {
            Some(call) => Ok(work(call)),
            None => {
                waiting.remove(id);
                Err(late())
            }
        }
    }

    /// Uses a word up.
    ///
    /// # Errors
    /// `Approval` for one that was not given, was used, has expired, or was given for something else.
    pub fn take(&self, id: &str, subject: &Subject) -> Result<(), Error> {
        let Some(Waiting { subject: granted, until, word, .. }) = self.waiting.lock().remove(id) else {
            return Err(late());
        };
        if until.is_over() {
            return Err(late());
        }
        if word != Word::Yes {
            return Err(refused("The approval was not given. Ask the approver first."));
        }
        if granted != *subject {
            return Err(refused(
                "The approval is void: the tool, its arguments, what it reaches or the rules have changed since it was given. Make the call again and have it approved as it is now.",
            ));
        }
        Ok(())
    }

    #[must_use]
    pub fn patience(&self) -> Duration {
        self.patience
    }
}

fn late() -> Error {
    refused("The approval was used already or has expired (agent.approvalMs). Make the call again.")
}

fn refused(message: &str) -> Error {
    Error::new(ErrorCode::Approval, message)
}

#[cfg(test)]
mod tests {
    use super::{Approvals, AskedCall, AskedOf, Expiry, Subject};
    use std::time::{Duration, Instant, SystemTime};

    fn about() -> AskedCall {
        let text = String::new;
        let (call, tool, agent, id) = (text(), text(), text(), text());
        AskedCall { call, parent: None, tool, path: None, session: None, agent, id, of: AskedOf::Hook }
    }

    const LONG: Duration = Duration::from_secs(600);

    #[test]
    fn a_word_counts_once_and_for_what_it_was_given() {
        let approvals = Approvals::new(LONG);
        let subject = Subject::of(&["write_file", "text"]);
        let id = approvals.ask(subject.clone(), about()).unwrap();
        approvals.grant(&id).unwrap();
        approvals.take(&id, &subject).unwrap();
        assert!(approvals.take(&id, &subject).is_err() && approvals.grant(&id).is_err());

        let id = approvals.ask(subject.clone(), about()).unwrap();
        assert!(approvals.take(&id, &subject).is_err(), "nobody has said yes");
        let id = approvals.ask(subject.clone(), about()).unwrap();
        approvals.grant(&id).unwrap();
        let error = approvals.take(&id, &Subject::of(&["write_file", "text2"])).unwrap_err();
        assert!(error.message.contains("void"), "{}", error.message);
        assert!(approvals.take("x", &subject).is_err());
    }

    #[test]
    fn a_late_word_does_not_count() {
        let approvals = Approvals::new(Duration::ZERO);
        let subject = Subject::of(&[]);
        let id = approvals.ask(subject.clone(), about()).unwrap();
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
    fn parts_cannot_be_moved_from_one_to_the_other() {
        assert_ne!(Subject::of(&["ab", "c"]), Subject::of(&["a", "bc"]));
    }
}
