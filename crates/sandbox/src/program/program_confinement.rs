//! The confinement of a system program: Landlock for files, seccomp for system calls, and resource limits. If any part fails, the
//! program is not started.

use super::call_filter::{self, Signals};
use super::program_request::ProgramConfinement;
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, LandlockStatus, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};
use rustix::fs::Mode;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{CapabilitySet, CapabilitySets};
use std::fs;
use std::path::{Path, PathBuf};

/// The first version that restricts truncation: without it, files outside could be emptied.
const MIN: ABI = ABI::V3;
/// The newest version that is used if available.
const BEST: ABI = ABI::V6;
/// Lower priority than the application.
pub const NICE: i32 = 10;
const DESCRIPTORS: u64 = 1024;

/// System folders with programs and libraries. Of `/etc`, which may hold secrets, only files that libraries read.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/debian_version",
    "/etc/group",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/locale.alias",
    "/etc/localtime",
    "/etc/magic",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/perl",
    "/etc/pki/tls/certs",
    "/etc/python3",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/terminfo",
    "/etc/timezone",
];

/// Devices without data.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// The part of the confinement that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ConfinementError {
    #[error("it could not be set to end with its supervisor")]
    Supervision,
    #[error("the resource limits could not be set")]
    Limits,
    #[error("its privileges could not be dropped")]
    Privileges,
    #[error("the kernel cannot confine files: Landlock of Linux 6.2 or later is needed, and must be enabled")]
    Landlock,
    #[error("the kernel cannot confine system calls: seccomp is needed")]
    Seccomp,
}

/// Confines this process, which has one thread. This cannot be undone.
pub fn enter(confinement: &ProgramConfinement, program: &Path) -> Result<(), ConfinementError> {
    limit(confinement).ok_or(ConfinementError::Limits)?;
    drop_privileges().ok_or(ConfinementError::Privileges)?;
    let signals = restrict_files(confinement, program)?;
    call_filter::apply(signals).ok_or(ConfinementError::Seccomp)
}

fn limit(confinement: &ProgramConfinement) -> Option<()> {
    rustix::process::umask(Mode::from_raw_mode(0o022));
    let most = |amount: u64| Rlimit { current: Some(amount), maximum: Some(amount) };
    let already = getrlimit(Resource::Nofile).maximum.unwrap_or(DESCRIPTORS);
    [
        (Resource::Core, most(0)),
        (Resource::Msgqueue, most(0)),
        (Resource::Memlock, most(0)),
        (Resource::Nofile, most(DESCRIPTORS.min(already))),
        (Resource::Fsize, most(confinement.file_bytes)),
        (Resource::Data, most(confinement.memory_bytes)),
        (Resource::Cpu, most(confinement.cpu_seconds.max(1))),
    ]
    .into_iter()
    .all(|(resource, limit)| setrlimit(resource, limit).is_ok())
    .then_some(())
}

/// Drops the privileges of root, also for programs that are executed later.
fn drop_privileges() -> Option<()> {
    rustix::thread::set_no_new_privs(true).ok()?;
    let none = CapabilitySet::empty();
    rustix::thread::set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none }).ok()
}

fn restrict_files(confinement: &ProgramConfinement, program: &Path) -> Result<Signals, ConfinementError> {
    let status = restricted(confinement, program).map_err(|_| ConfinementError::Landlock)?;
    match (status.ruleset, status.landlock) {
        (RulesetStatus::NotEnforced, _) | (_, LandlockStatus::NotEnabled | LandlockStatus::NotImplemented) => {
            Err(ConfinementError::Landlock)
        }
        (_, LandlockStatus::Available { effective_abi, .. }) if effective_abi >= ABI::V6 => Ok(Signals::Scoped),
        (_, LandlockStatus::Available { .. }) => Ok(Signals::Everywhere),
    }
}

fn restricted(confinement: &ProgramConfinement, program: &Path) -> Result<landlock::RestrictionStatus, RulesetError> {
    let read = AccessFs::from_read(BEST);
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(MIN))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(BEST))?
        .handle_access(AccessNet::from_all(BEST))?
        .scope(Scope::from_all(BEST))?
        .create()?
        .add_rules(path_beneath_rules(system_around(SYSTEM, &confinement.hidden), read))?
        .add_rules(path_beneath_rules(DEVICES, device_access()))?
        .add_rules(path_beneath_rules([program], read))?
        .add_rules(path_beneath_rules(&confinement.readable, read))?
        .add_rules(path_beneath_rules(&confinement.writable, write_access()))?
        .restrict_self()
}

/// The system folders without the hidden folders, because applications may be installed in `/opt` or `/usr/src`.
fn system_around(system: &[&str], hidden: &[PathBuf]) -> Vec<PathBuf> {
    let mut kept = Vec::new();
    let mut open: Vec<PathBuf> = system.iter().map(PathBuf::from).collect();
    while let Some(place) = open.pop() {
        if !hidden.iter().any(|hidden| hidden != &place && hidden.starts_with(&place)) {
            kept.push(place);
            continue;
        }
        // Links are skipped: their targets are included or hidden by their own paths.
        let entries = fs::read_dir(&place).into_iter().flatten().flatten();
        let own =
            entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink())).map(|entry| entry.path());
        open.extend(own.filter(|path| !hidden.contains(path)));
    }
    kept
}

/// Everything except creating devices and sockets.
fn write_access() -> BitFlags<AccessFs> {
    AccessFs::from_all(BEST) & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::MakeSock | AccessFs::IoctlDev)
}

fn device_access() -> BitFlags<AccessFs> {
    AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev
}

#[cfg(test)]
mod tests {
    use super::system_around;
    use std::collections::BTreeSet;
    use std::path::PathBuf;

    #[test]
    fn an_application_in_a_system_folder_is_hidden_and_its_siblings_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        for path in ["opt/app/.tgp", "opt/node/bin", "opt/deep/er/app", "opt/deep/er/other", "usr/bin"] {
            std::fs::create_dir_all(at(path)).unwrap();
        }
        std::os::unix::fs::symlink(at("opt/app"), at("opt/current")).unwrap();
        let (opt, usr) = (at("opt"), at("usr"));
        let system = [opt.to_str().unwrap(), usr.to_str().unwrap()];
        let found: BTreeSet<PathBuf> =
            system_around(&system, &[at("opt/app"), at("opt/deep/er/app")]).into_iter().collect();
        assert_eq!(found, [at("opt/node"), at("opt/deep/er/other"), at("usr")].into_iter().collect());
        // A system folder itself is never hidden: programs could not run without it.
        let own = [at("usr")];
        assert_eq!(system_around(&system[1..], &own), own);
    }
}
