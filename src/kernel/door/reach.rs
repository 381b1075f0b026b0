//! What a call reaches beside what it names.

use tgp_policy::Effect;

/// Files that a call has to do with and does not name: imports of a tool, files whose imports follow a move.
#[derive(Debug, Clone)]
pub struct Reach {
    pub effect: Effect,
    pub paths: Vec<String>,
    pub need: Need,
}

/// What must be said of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// They are what the call is about as much as what it names.
    Allowed,
    /// They are a means: only a rule of its own keeps them out of reach.
    NotForbidden,
    /// None of them exists, and the answer says so: a caller does not learn that of files out of its reach. They are not part
    /// of what is approved.
    Absent,
}

impl Reach {
    /// The places where imports looked for a file and found none.
    pub fn absent(places: Vec<Vec<String>>) -> impl Iterator<Item = Self> {
        places.into_iter().map(|paths| Self { effect: Effect::Read, paths, need: Need::Absent })
    }
}
