//! The confinement of a worker process, as the worker reports it and the kernel shows it.

use serde::{Deserialize, Serialize};

/// Whether the operating system enforces one part of the confinement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Hold {
    Active,
    /// Enforced in part: the kernel is older than the feature.
    Partial,
    Missing,
}

/// The linked V8, as it describes itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct EngineReport {
    pub version: String,
    /// References inside the heap have 32 bits, so they cannot point outside it.
    pub pointer_compression: bool,
    /// V8's own sandbox: a guest that has corrupted V8's heap cannot reach other memory of the process. Partial if V8 could not
    /// reserve the whole address space for it.
    pub sandbox: Hold,
}

/// The confinement mechanisms of a worker process and whether each is in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Confinement {
    /// An executed program cannot gain privileges.
    pub no_new_privileges: Hold,
    /// The capabilities of a host that runs as root are dropped.
    pub capabilities: Hold,
    /// No access to files, TCP ports or other processes.
    pub landlock: Hold,
    /// Only the system calls that V8 needs are allowed.
    pub seccomp: Hold,
    /// Limits on memory, files and core dumps.
    pub resource_limits: Hold,
    pub engine: EngineReport,
}

impl Confinement {
    /// No confinement, and no engine report yet: for an engine on a host thread, or a system without these mechanisms.
    pub const NONE: Self = Self {
        no_new_privileges: Hold::Missing,
        capabilities: Hold::Missing,
        landlock: Hold::Missing,
        seccomp: Hold::Missing,
        resource_limits: Hold::Missing,
        engine: EngineReport { version: String::new(), pointer_compression: false, sandbox: Hold::Missing },
    };

    /// Public names of the mechanisms that are not fully in force.
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
    fn gaps_lists_partial_and_missing_mechanisms() {
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
