//! Seccomp filters of a confined program: unlisted system calls fail with ENOSYS, forbidden ones with EPERM, and pretended ones
//! succeed without effect.

use super::call_lists::{ALLOWED, FORBIDDEN, LEGACY, OTHERS_BY_FIRST, PRETENDED, SIGNALS};
use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter,
};
use std::collections::BTreeMap;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// The processes that Landlock lets a program send signals to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signals {
    /// Processes in the same Landlock domain.
    Scoped,
    /// All processes of the user, so the seccomp filter must restrict signals.
    Everywhere,
}

/// Flags of new namespaces, in which a program would have privileges again.
const NAMESPACES: &[libc::c_int] = &[
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];

/// `fcntl` commands that set the owner of a descriptor, which gets signals.
const OWNED_DESCRIPTORS: &[libc::c_int] = &[libc::F_SETOWN, F_SETSIG, F_SETOWN_EX];
const F_SETSIG: libc::c_int = 10;
const F_SETOWN_EX: libc::c_int = 15;
const OWNED_SOCKETS: &[u64] = &[0x8901, 0x8902];
/// `ioctl` types of file systems, for flags and attributes of a file; read access is sufficient for some.
const FILE_CONTROLS: &[u64] = &[0x5800, 0x6600, 0x7600];
const CONTROL_KIND: u64 = 0xff00;
/// Types of socket pairs: the low bits are the type, the others are flags.
const SOCKET_TYPE: u64 = 0xf;

/// Applies the filters to this process, which has one thread, and its descendants.
pub fn apply(signals: Signals) -> Option<()> {
    // The filter applied last runs first, and its result counts if several refuse.
    for filter in [allowed()?, forbidden(signals)?, pretended()?] {
        apply_filter(&filter).ok()?;
    }
    Some(())
}

/// Unlisted system calls, including those of later kernels, fail as on an older kernel.
fn allowed() -> Option<BpfProgram> {
    let mut rules = unconditionally(ALLOWED);
    rules.extend(unconditionally(LEGACY));
    program(rules, SeccompAction::Errno(errno(libc::ENOSYS)?), SeccompAction::Allow)
}

fn forbidden(signals: Signals) -> Option<BpfProgram> {
    let mut rules = unconditionally(FORBIDDEN);
    for call in OTHERS_BY_FIRST {
        rules.insert(*call, vec![argument(0, SeccompCmpOp::Ne, 0)?]);
    }
    let process = u64::from(libc::PRIO_PROCESS);
    let priorities = vec![argument(0, SeccompCmpOp::Ne, process)?, argument(1, SeccompCmpOp::Ne, 0)?];
    rules.insert(libc::SYS_setpriority, priorities);
    let namespaces = NAMESPACES.iter().map(|flag| {
        let flag = u64::try_from(*flag).ok()?;
        argument(0, SeccompCmpOp::MaskedEq(flag), flag)
    });
    rules.insert(libc::SYS_clone, namespaces.collect::<Option<_>>()?);
    let owners = OWNED_DESCRIPTORS.iter().map(|command| argument(1, SeccompCmpOp::Eq, u64::try_from(*command).ok()?));
    rules.insert(libc::SYS_fcntl, owners.collect::<Option<_>>()?);
    let terminals = [libc::TIOCSTI, libc::TIOCLINUX].map(Into::into);
    let controls = OWNED_SOCKETS.iter().copied().chain(terminals).map(|request| argument(1, SeccompCmpOp::Eq, request));
    let of_files = FILE_CONTROLS.iter().map(|kind| argument(1, SeccompCmpOp::MaskedEq(CONTROL_KIND), *kind));
    rules.insert(libc::SYS_ioctl, controls.chain(of_files).collect::<Option<_>>()?);
    // Datagram pairs accept addresses, so either end could write to other processes' sockets.
    let stream = u64::try_from(libc::SOCK_STREAM).ok()?;
    let pairs = other_than(1, SOCKET_TYPE, stream)?;
    rules.insert(libc::SYS_socketpair, pairs);
    if signals == Signals::Everywhere {
        rules.extend(unconditionally(SIGNALS));
        // Only to its own process group.
        rules.insert(libc::SYS_kill, vec![argument(0, SeccompCmpOp::Ne, 0)?]);
    }
    program(rules, SeccompAction::Allow, SeccompAction::Errno(errno(libc::EPERM)?))
}

/// Landlock does not restrict changes of modes and times of files. Most programs fail if such calls fail, so they succeed without
/// effect.
fn pretended() -> Option<BpfProgram> {
    program(unconditionally(PRETENDED), SeccompAction::Allow, SeccompAction::Errno(0))
}

fn unconditionally(calls: &[c_long]) -> Rules {
    calls.iter().map(|call| (*call, Vec::new())).collect()
}

fn errno(number: libc::c_int) -> Option<u32> {
    u32::try_from(number).ok()
}

fn argument(index: u8, operator: SeccompCmpOp, value: u64) -> Option<SeccompRule> {
    let condition = SeccompCondition::new(index, SeccompCmpArgLen::Dword, operator, value).ok()?;
    SeccompRule::new(vec![condition]).ok()
}

/// Rules for every value of the masked bits except one.
fn other_than(index: u8, mask: u64, value: u64) -> Option<Vec<SeccompRule>> {
    (0..=mask)
        .filter(|other| *other != value)
        .map(|other| argument(index, SeccompCmpOp::MaskedEq(mask), other))
        .collect()
}

fn program(rules: Rules, otherwise: SeccompAction, listed: SeccompAction) -> Option<BpfProgram> {
    let arch = TargetArch::try_from(std::env::consts::ARCH).ok()?;
    SeccompFilter::new(rules, otherwise, listed, arch).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::super::call_lists::{ALLOWED, FORBIDDEN, PRETENDED};
    use super::{Signals, allowed, forbidden, pretended};

    #[test]
    fn every_filter_compiles_and_no_call_is_both_allowed_and_forbidden() {
        assert!(allowed().is_some() && pretended().is_some());
        assert!(forbidden(Signals::Scoped).is_some() && forbidden(Signals::Everywhere).is_some());
        assert!(FORBIDDEN.iter().chain(PRETENDED).all(|call| !ALLOWED.contains(call)));
    }
}
