//! What a store is opened for, and what its events survive.

/// What the store is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    ReadWrite,
    /// Nothing is written: for those who only read or verify.
    ReadOnly,
}

/// What an event that is in the store has survived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Durability {
    /// The end of the process, however it comes.
    Process,
    /// The end of the machine's power as well.
    Power,
}
