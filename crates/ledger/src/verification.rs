//! What verification finds.

use super::durability::Durability;
use super::event::Head;
use super::hash::Hash;

/// What somebody else remembers of the ledger: a trailer of a commit, for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Witness {
    pub size: u64,
    pub head: Hash,
    /// What the events had survived when it saw them.
    pub durability: Durability,
}

/// How the ledger is not what it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProblemKind {
    /// Something of an event is not what was recorded.
    Changed,
    /// An event, or a value beside it, is gone.
    Missing,
    /// An event stands where another was.
    Order,
    /// Events at the end are gone that a checkpoint or a witness knows of.
    Truncated,
    /// A checkpoint was not signed with the ledger's key.
    Signature,
}

impl ProblemKind {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Missing => "missing",
            Self::Order => "order",
            Self::Truncated => "truncated",
            Self::Signature => "signature",
        }
    }
}

/// Why an end is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// It was on the disk, and was taken away.
    Removed,
    /// It was not on the disk yet when it was seen: the power may have failed, or it was taken away. Nothing tells the two apart.
    Unknown,
}

impl Cause {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Removed => "removed",
            Self::Unknown => "unknown",
        }
    }

    /// Of an end that was seen when it had survived this.
    pub(crate) const fn of(durability: Durability) -> Self {
        match durability {
            Durability::Process => Self::Unknown,
            Durability::Power => Self::Removed,
        }
    }
}

/// The first position that is not right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub kind: ProblemKind,
    pub seq: u64,
    pub message: String,
    /// Of what is truncated.
    pub cause: Option<Cause>,
}

impl Problem {
    pub fn new(kind: ProblemKind, seq: u64, message: impl Into<String>) -> Self {
        Self { kind, seq, message: message.into(), cause: None }
    }

    /// The end is gone, from an event on.
    pub(crate) fn truncated(from: u64, to: u64, who: &str, cause: Cause) -> Self {
        let why = match cause {
            Cause::Removed => "",
            Cause::Unknown => {
                " They were not on the disk yet: a power cut without \"ledger.fsync\" does that, and so does removal."
            }
        };
        let message = format!("Events {from} to {to} are gone from the end: {who} has seen them.{why}");
        Self { cause: Some(cause), ..Self::new(ProblemKind::Truncated, from, message) }
    }
}

/// The outcome of a verification. Whole when there is no problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// The number of the first event that is kept; of the next one when none is.
    pub first: u64,
    /// How many events were looked at.
    pub events: u64,
    pub head: Head,
    pub problem: Option<Problem>,
    /// What could not be looked at.
    pub note: Option<&'static str>,
}

impl Verification {
    #[must_use]
    pub const fn ok(&self) -> bool {
        self.problem.is_none()
    }
}
