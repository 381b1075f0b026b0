//! Confinement of a worker process on Linux, entered before any guest code runs.
//!
//! Two steps: [`enter`] while the process has one thread (Landlock, capabilities and limits are inherited by later threads),
//! and [`seal`] once V8 is initialised and every thread is started. A system call that is neither allowed nor deadly fails
//! with `ENOSYS`, as on an older kernel: libraries have fallbacks for that, and a newer C library does not crash workers.

use super::system_calls::{ALLOWED, DEADLY};
use crate::confinement::{Confinement, Hold};
use landlock::{ABI, Access, AccessFs, AccessNet, Compatible, Ruleset, RulesetAttr, RulesetStatus, Scope};
use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit, setrlimit};
use rustix::thread::{CapabilitySet, CapabilitySets};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter_all_threads,
};
use std::collections::BTreeMap;

/// Data of the worker itself beside the guest's memory: libraries and stacks (some 24 MB), compilers, regular expressions.
///
/// V8 allocates the first large object since a collection whatever its size and limit. Only this constant and [`COPIES`]
/// bound it, so they are as small as possible: with 64 MB a worker grows by 228 MB at most.
const OWN_DATA: u64 = 128 << 20;
/// How many times a guest's memory may be mapped at once: V8 reserves as much for code, and the heap limit is raised once for
/// the allocation that exceeds it. Buffers and the copies of an outgoing result share the rest.
const COPIES: u64 = 3;
/// Standard input, output and error; no other descriptor is opened.
const DESCRIPTORS: u64 = 3;

/// Raises the data limit of a worker for a run with more memory than usual. A worker cannot raise its own limit.
pub fn raise_data_limit(worker: u32, memory_bytes: u64) {
    let worker = i32::try_from(worker).ok().and_then(Pid::from_raw);
    let limit = Rlimit { current: Some(data_limit(memory_bytes)), maximum: getrlimit(Resource::Data).maximum };
    // Failures need no handling: the worker has ended, or its run ends at the lower limit.
    let _before = worker.map(|worker| prlimit(Some(worker), Resource::Data, limit));
}

/// The data limit of a worker for a run with this memory limit.
fn data_limit(memory_bytes: u64) -> u64 {
    memory_bytes.saturating_mul(COPIES).saturating_add(OWN_DATA)
}

/// Drops the privileges that the process inherited. No other thread may have been started yet.
pub fn enter(memory_bytes: u64) -> Confinement {
    let no_new_privileges = hold(rustix::thread::set_no_new_privs(true).is_ok());
    let landlock = restrict_landlock();
    let resource_limits = hold(limit_resources(memory_bytes));
    let capabilities = hold(drop_capabilities());
    Confinement { no_new_privileges, landlock, resource_limits, capabilities, ..Confinement::NONE }
}

/// Restricts the process to its existing threads and the system calls of a running V8.
pub fn seal(confinement: Confinement) -> Confinement {
    // Root is exempt from this limit; the seccomp filter applies to it too.
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    let limited = setrlimit(Resource::Nproc, none).is_ok();
    let resource_limits = if limited { confinement.resource_limits } else { Hold::Missing };
    let sealed = [deadly_filter(), allow_filter()]
        .into_iter()
        .all(|filter| filter.is_some_and(|program| apply_filter_all_threads(&program).is_ok()));
    Confinement { seccomp: hold(sealed), resource_limits, ..confinement }
}

fn hold(done: bool) -> Hold {
    if done { Hold::Active } else { Hold::Missing }
}

/// Denies files, TCP ports, and signals and abstract sockets to other processes.
fn restrict_landlock() -> Hold {
    // Best effort: rights that the kernel does not support are dropped, and the status reports it.
    let abi = ABI::V6;
    let restricted = Ruleset::default()
        .set_compatibility(landlock::CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(abi))
        .and_then(|rules| rules.handle_access(AccessNet::from_all(abi)))
        .and_then(|rules| rules.scope(Scope::from_all(abi)))
        .and_then(Ruleset::create)
        .and_then(landlock::RulesetCreated::restrict_self);
    match restricted.map(|status| status.ruleset) {
        Ok(RulesetStatus::FullyEnforced) => Hold::Active,
        Ok(RulesetStatus::PartiallyEnforced) => Hold::Partial,
        Ok(RulesetStatus::NotEnforced) | Err(_) => Hold::Missing,
    }
}

/// The hard data limit stays as it is, so that the host can raise the soft one for a run with more memory. The worker cannot:
/// its seccomp filter denies the call.
fn limit_resources(memory_bytes: u64) -> bool {
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    let descriptors = Rlimit { current: Some(DESCRIPTORS), maximum: Some(DESCRIPTORS) };
    let data = Rlimit { current: Some(data_limit(memory_bytes)), maximum: getrlimit(Resource::Data).maximum };
    [(Resource::Core, none), (Resource::Fsize, none), (Resource::Nofile, descriptors), (Resource::Data, data)]
        .into_iter()
        .all(|(resource, limit)| setrlimit(resource, limit).is_ok())
}

fn drop_capabilities() -> bool {
    let none = CapabilitySet::empty();
    rustix::thread::set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })
        .is_ok()
}

fn allow_filter() -> Option<BpfProgram> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = ALLOWED.iter().map(|call| (*call, Vec::new())).collect();
    // Private mappings only: the data limit counts neither shared mappings nor those that grow like a stack.
    let kind = (libc::MAP_TYPE | libc::MAP_GROWSDOWN) as u64;
    rules.insert(libc::SYS_mmap, vec![argument(3, SeccompCmpOp::MaskedEq(kind), libc::MAP_PRIVATE as u64)?]);
    rules.insert(libc::SYS_tgkill, vec![argument(0, SeccompCmpOp::Eq, std::process::id().into())?]);
    let name = argument(0, SeccompCmpOp::Eq, libc::PR_SET_NAME as u64)?;
    let mapping = argument(0, SeccompCmpOp::Eq, libc::PR_SET_VMA as u64)?;
    rules.insert(libc::SYS_prctl, vec![name, mapping]);
    program(rules, SeccompAction::Errno(libc::ENOSYS as u32), SeccompAction::Allow)
}

fn deadly_filter() -> Option<BpfProgram> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = DEADLY.iter().map(|call| (*call, Vec::new())).collect();
    // New processes. A new thread merely fails; so does `clone3`, whose flags a filter cannot read.
    let thread = libc::CLONE_THREAD as u64;
    rules.insert(libc::SYS_clone, vec![argument(0, SeccompCmpOp::MaskedEq(thread), 0)?]);
    program(rules, SeccompAction::Allow, SeccompAction::KillProcess)
}

fn argument(index: u8, operator: SeccompCmpOp, value: u64) -> Option<SeccompRule> {
    let condition = SeccompCondition::new(index, SeccompCmpArgLen::Dword, operator, value).ok()?;
    SeccompRule::new(vec![condition]).ok()
}

fn program(
    rules: BTreeMap<i64, Vec<SeccompRule>>,
    otherwise: SeccompAction,
    listed: SeccompAction,
) -> Option<BpfProgram> {
    let arch = TargetArch::try_from(std::env::consts::ARCH).ok()?;
    SeccompFilter::new(rules, otherwise, listed, arch).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::super::system_calls::{ALLOWED, DEADLY};
    use super::{allow_filter, deadly_filter};

    #[test]
    fn both_filters_compile_and_do_not_contradict_each_other() {
        assert!(allow_filter().is_some() && deadly_filter().is_some());
        assert!(ALLOWED.iter().all(|call| !DEADLY.contains(call)));
    }
}
