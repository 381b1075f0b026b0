//! The system calls of a program, held by three filters: what is not listed does not exist, some that are listed are not
//! permitted, and some seem to work.

use super::call_lists::{ALLOWED, FORBIDDEN, OLD, OTHERS_BY_FIRST, PRETENDED, SIGNALS};
use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter,
};
use std::collections::BTreeMap;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Who a program can send signals to, as far as Landlock is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signals {
    /// To those that are behind the same walls.
    Scoped,
    /// To everybody of the same user: the filter has to hold them.
    Everywhere,
}

/// New namespaces, in which a program would have rights again.
const NAMESPACES: &[libc::c_int] = &[
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];

/// Those that send signals to the owner of a descriptor, whoever that is made to be.
const OWNED_DESCRIPTORS: &[libc::c_int] = &[libc::F_SETOWN, F_SETSIG, F_SETOWN_EX];
const F_SETSIG: libc::c_int = 10;
const F_SETOWN_EX: libc::c_int = 15;
const OWNED_SOCKETS: &[u64] = &[0x8901, 0x8902];
/// Kinds of controls that file systems have, for flags, attributes and the like of a file: to read it is enough for some.
const FILE_CONTROLS: &[u64] = &[0x5800, 0x6600, 0x7600];
const CONTROL_KIND: u64 = 0xff00;
/// Types of socket pairs: the low bits are the type, the others are flags.
const SOCKET_TYPE: u64 = 0xf;

/// Applies to this process, which has one thread, and to all that come from it.
pub fn apply(signals: Signals) -> Option<()> {
    // The last one that is applied is asked first, and its answer counts where several refuse.
    for filter in [allowed()?, forbidden(signals)?, pretended()?] {
        apply_filter(&filter).ok()?;
    }
    Some(())
}

/// Whatever is not listed has the answer of an older kernel, also what a later one will know.
fn allowed() -> Option<BpfProgram> {
    let mut rules = whatever(ALLOWED);
    rules.extend(whatever(OLD));
    program(rules, SeccompAction::Errno(errno(libc::ENOSYS)?), SeccompAction::Allow)
}

fn forbidden(signals: Signals) -> Option<BpfProgram> {
    let mut rules = whatever(FORBIDDEN);
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
    // Of a pair that takes addresses, either half could write to the sockets of others.
    let stream = u64::try_from(libc::SOCK_STREAM).ok()?;
    let pairs = other_than(1, SOCKET_TYPE, stream)?;
    rules.insert(libc::SYS_socketpair, pairs);
    if signals == Signals::Everywhere {
        rules.extend(whatever(SIGNALS));
        // To its own group.
        rules.insert(libc::SYS_kill, vec![argument(0, SeccompCmpOp::Ne, 0)?]);
    }
    program(rules, SeccompAction::Allow, SeccompAction::Errno(errno(libc::EPERM)?))
}

/// Landlock does not hold who may use a file, nor its times: those of every file that can be named or opened could be changed. Most
/// programs go on only when such a call has worked, so it seems to.
fn pretended() -> Option<BpfProgram> {
    program(whatever(PRETENDED), SeccompAction::Allow, SeccompAction::Errno(0))
}

fn whatever(calls: &[c_long]) -> Rules {
    calls.iter().map(|call| (*call, Vec::new())).collect()
}

fn errno(number: libc::c_int) -> Option<u32> {
    u32::try_from(number).ok()
}

fn argument(index: u8, operator: SeccompCmpOp, value: u64) -> Option<SeccompRule> {
    let condition = SeccompCondition::new(index, SeccompCmpArgLen::Dword, operator, value).ok()?;
    SeccompRule::new(vec![condition]).ok()
}

/// Every value of the masked bits but one.
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
