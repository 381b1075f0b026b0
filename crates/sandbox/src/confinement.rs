//! What holds a worker, as the worker reports it and the kernel shows it.

use serde::{Deserialize, Serialize};

/// Whether the system gave what was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Hold {
    Active,
    /// An older kernel: some of it.
    Partial,
    Missing,
}

/// The V8 that runs guests, by its own account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct EngineReport {
    pub version: String,
    /// References inside the heap are 32 bits long, so they cannot lead out of it.
    pub pointer_compression: bool,
    /// V8's own sandbox: a guest that has corrupted V8's heap reaches nothing else of the process. Partial where the system did
    /// not give the address space to keep everything else away from it.
    pub sandbox: Hold,
}

/// Every wall around a worker, each up or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Confinement {
    /// Nothing that is executed can gain rights.
    pub no_new_privileges: Hold,
    /// The capabilities of a host that runs as root are given up.
    pub capabilities: Hold,
    /// No file, no port and no foreign process can be reached.
    pub landlock: Hold,
    /// Only the system calls that V8 needs.
    pub seccomp: Hold,
    /// Memory, files and dumps are bounded by the system too.
    pub resource_limits: Hold,
    pub engine: EngineReport,
}

impl Confinement {
    /// Nothing beyond V8, of which nothing is known yet: an engine on a thread of the host, or a system without any of this.
    pub const NONE: Self = Self {
        no_new_privileges: Hold::Missing,
        capabilities: Hold::Missing,
        landlock: Hold::Missing,
        seccomp: Hold::Missing,
        resource_limits: Hold::Missing,
        engine: EngineReport { version: String::new(), pointer_compression: false, sandbox: Hold::Missing },
    };

    /// The walls that are not fully up, by the names that users see.
    pub fn gaps(&self) -> Vec<&'static str> {
        [
            ("noNewPrivileges", self.no_new_privileges),
            ("capabilities", self.capabilities),
            ("landlock", self.landlock),
            ("seccomp", self.seccomp),
            ("resourceLimits", self.resource_limits),
        ]
        .into_iter()
        .filter(|(_, hold)| *hold != Hold::Active)
        .map(|(name, _)| name)
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Confinement, Hold};

    #[test]
    fn a_wall_that_is_only_partly_up_is_a_gap() {
        let full = Confinement {
            no_new_privileges: Hold::Active,
            capabilities: Hold::Active,
            landlock: Hold::Active,
            seccomp: Hold::Active,
            resource_limits: Hold::Active,
            ..Confinement::NONE
        };
        assert!(full.gaps().is_empty());
        assert_eq!(
            Confinement { landlock: Hold::Partial, seccomp: Hold::Missing, ..full }.gaps(),
            ["landlock", "seccomp"]
        );
        assert_eq!(Confinement::NONE.gaps().len(), 5);
    }
}
