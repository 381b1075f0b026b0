//! Access and durability of a store.

/// The access mode of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    ReadWrite,
    /// Read and verify only; nothing is written.
    ReadOnly,
}

/// What a recorded event survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Durability {
    /// A crash of the process.
    Process,
    /// A power cut as well.
    Power,
}
