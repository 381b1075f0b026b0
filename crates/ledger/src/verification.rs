//! The result of a verification.

use crate::durability::Durability;
use crate::event::event::Head;
use crate::hash::Hash;

/// A ledger position recorded elsewhere, for example in the trailer of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Witness {
    pub size: u64,
    pub head: Hash,
    /// The durability of the events at that time.
    pub durability: Durability,
}

/// The kind of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProblemKind {
    /// An event was changed.
    Changed,
    /// An event, or one of its large values, is missing.
    Missing,
    /// An event is in the place of another one.
    Order,
    /// Events at the end are missing that a checkpoint or a witness covers.
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

/// Why the end is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// It was on the disk and was removed.
    Removed,
    /// It was not synced to the disk when it was seen: a power cut and a removal cannot be distinguished.
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

    /// The cause for an end with this durability.
    pub(crate) const fn of(durability: Durability) -> Self {
        match durability {
            Durability::Process => Self::Unknown,
            Durability::Power => Self::Removed,
        }
    }
}

/// The first problem of a ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub kind: ProblemKind,
    pub seq: u64,
    pub message: String,
    /// Set for a truncated end.
    pub cause: Option<Cause>,
}

impl Problem {
    pub fn new(kind: ProblemKind, seq: u64, message: impl Into<String>) -> Self {
        Self { kind, seq, message: message.into(), cause: None }
    }

    /// A truncated end, from an event on.
    pub(crate) fn truncated(from: u64, to: u64, who: &str, cause: Cause) -> Self {
        let why = match cause {
            Cause::Removed => "",
            Cause::Unknown => {
                " They were not synced to the disk: the cause is a power cut without \"ledger.fsync\", or a removal."
            }
        };
        let message = format!("Events {from} to {to} are missing from the end, but {who} has seen them.{why}");
        Self { cause: Some(cause), ..Self::new(ProblemKind::Truncated, from, message) }
    }
}

/// The result of a verification. The ledger is valid if there is no problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// The number of the first kept event, or of the next one if there is none.
    pub first: u64,
    /// The number of verified events.
    pub events: u64,
    pub head: Head,
    pub problem: Option<Problem>,
    /// What could not be verified.
    pub note: Option<&'static str>,
}

impl Verification {
    #[must_use]
    pub const fn ok(&self) -> bool {
        self.problem.is_none()
    }
}
