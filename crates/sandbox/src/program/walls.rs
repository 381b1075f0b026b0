//! What holds a program: files by Landlock, system calls by seccomp, and limits of the system. All of it, or nothing is started.

use super::call_filter::{self, Signals};
use super::order::Walls;
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, LandlockStatus, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};
use rustix::fs::Mode;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{CapabilitySet, CapabilitySets};
use std::fs;
use std::path::{Path, PathBuf};

/// The first version that holds files back from being cut off: without it, those outside could be emptied.
const LEAST: ABI = ABI::V3;
/// The best that is used where the system has it.
const BEST: ABI = ABI::V6;
/// The application comes first.
pub const NICE: i32 = 10;
const DESCRIPTORS: u64 = 1024;

/// Where systems keep what they run. Secrets lie in `/etc` too, so of that only what libraries read.
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

/// Devices that hold nothing.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// The wall that does not stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    #[error("it would not end with whoever watches it")]
    Supervision,
    #[error("the limits of the system could not be set")]
    Limits,
    #[error("its rights could not be given up")]
    Rights,
    #[error("the kernel cannot confine files: Landlock of Linux 6.2 or later is needed, and must be enabled")]
    Landlock,
    #[error("the kernel cannot confine system calls: seccomp is needed")]
    Seccomp,
}

/// Confines this process for good. It has one thread.
pub fn raise(walls: &Walls, program: &Path) -> Result<(), Missing> {
    limit(walls).ok_or(Missing::Limits)?;
    give_up_rights().ok_or(Missing::Rights)?;
    let signals = restrict_files(walls, program)?;
    call_filter::apply(signals).ok_or(Missing::Seccomp)
}

fn limit(walls: &Walls) -> Option<()> {
    rustix::process::umask(Mode::from_raw_mode(0o022));
    let most = |amount: u64| Rlimit { current: Some(amount), maximum: Some(amount) };
    let already = getrlimit(Resource::Nofile).maximum.unwrap_or(DESCRIPTORS);
    [
        (Resource::Core, most(0)),
        (Resource::Msgqueue, most(0)),
        (Resource::Memlock, most(0)),
        (Resource::Nofile, most(DESCRIPTORS.min(already))),
        (Resource::Fsize, most(walls.file_bytes)),
        (Resource::Data, most(walls.memory_bytes)),
        (Resource::Cpu, most(walls.cpu_seconds.max(1))),
    ]
    .into_iter()
    .all(|(resource, limit)| setrlimit(resource, limit).is_ok())
    .then_some(())
}

/// With this a program of root has no more rights than one of anybody, also when it becomes another.
fn give_up_rights() -> Option<()> {
    rustix::thread::set_no_new_privs(true).ok()?;
    let none = CapabilitySet::empty();
    rustix::thread::set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none }).ok()
}

fn restrict_files(walls: &Walls, program: &Path) -> Result<Signals, Missing> {
    let status = restricted(walls, program).map_err(|_| Missing::Landlock)?;
    match (status.ruleset, status.landlock) {
        (RulesetStatus::NotEnforced, _) | (_, LandlockStatus::NotEnabled | LandlockStatus::NotImplemented) => {
            Err(Missing::Landlock)
        }
        (_, LandlockStatus::Available { effective_abi, .. }) if effective_abi >= ABI::V6 => Ok(Signals::Scoped),
        (_, LandlockStatus::Available { .. }) => Ok(Signals::Everywhere),
    }
}

fn restricted(walls: &Walls, program: &Path) -> Result<landlock::RestrictionStatus, RulesetError> {
    let read = AccessFs::from_read(BEST);
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(LEAST))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(BEST))?
        .handle_access(AccessNet::from_all(BEST))?
        .scope(Scope::from_all(BEST))?
        .create()?
        .add_rules(path_beneath_rules(system_around(SYSTEM, &walls.hidden), read))?
        .add_rules(path_beneath_rules(DEVICES, device_access()))?
        .add_rules(path_beneath_rules([program], read))?
        .add_rules(path_beneath_rules(&walls.readable, read))?
        .add_rules(path_beneath_rules(&walls.writable, write_access()))?
        .restrict_self()
}

/// What systems keep there, without the hidden folders: applications are installed in `/opt` and `/usr/src` too.
fn system_around(system: &[&str], hidden: &[PathBuf]) -> Vec<PathBuf> {
    let mut kept = Vec::new();
    let mut open: Vec<PathBuf> = system.iter().map(PathBuf::from).collect();
    while let Some(place) = open.pop() {
        if !hidden.iter().any(|hidden| hidden != &place && hidden.starts_with(&place)) {
            kept.push(place);
            continue;
        }
        // A link leads to a place that is kept or hidden by its own name.
        let entries = fs::read_dir(&place).into_iter().flatten().flatten();
        let own =
            entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink())).map(|entry| entry.path());
        open.extend(own.filter(|path| !hidden.contains(path)));
    }
    kept
}

/// Everything but devices and sockets, which no program makes in a folder of its own.
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
    fn an_application_in_a_folder_of_the_system_is_left_out_and_all_around_it_stays() {
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
        // A folder of the system itself stays: nothing would run without it.
        let own = [at("usr")];
        assert_eq!(system_around(&system[1..], &own), own);
    }
}
