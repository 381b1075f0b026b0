//! Why a run was interrupted.

use crate::run_end::RunEnd;

/// Why a run was interrupted from outside the guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    Cpu,
    PackageLoad,
    Wall,
    Memory,
    Cancelled,
}

impl Cause {
    /// Whether the guest reached a time limit.
    pub(super) fn is_timeout(self) -> bool {
        matches!(self, Self::Cpu | Self::PackageLoad | Self::Wall)
    }
}

impl From<Cause> for RunEnd {
    fn from(cause: Cause) -> Self {
        match cause {
            Cause::Cpu => Self::CpuTimeout,
            Cause::PackageLoad => Self::PackageTimeout,
            Cause::Wall => Self::WallTimeout,
            Cause::Memory => Self::OutOfMemory,
            Cause::Cancelled => Self::Cancelled,
        }
    }
}
