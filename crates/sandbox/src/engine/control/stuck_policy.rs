//! What to do about a guest that ignores termination; depends on where its engine runs.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StuckPolicy {
    /// End this process: the engine runs in a worker process.
    ExitProcess,
    /// Report the end of the run and abandon the thread: the engine runs in the host process.
    Abandon,
}
