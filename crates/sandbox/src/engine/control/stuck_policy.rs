//! What to do about a guest that ignores termination: it depends on where its engine lives.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StuckPolicy {
    /// End this process: the engine lives in a worker.
    ExitProcess,
    /// Report the end of the run and leave the thread behind: the engine lives in the host.
    Abandon,
}
