//! Seccomp lists of a worker: allowed system calls, found by running all tests of V8's limits, collections, optimisations and
//! locales, and deadly ones, which kill the process.

use libc::c_long;

/// Allowed with any arguments.
pub const ALLOWED: &[c_long] = &[
    // The pipes to the host.
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_close,
    libc::SYS_ppoll,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_poll,
    // Memory.
    libc::SYS_brk,
    libc::SYS_madvise,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_munmap,
    // Existing threads, and waiting.
    libc::SYS_clock_nanosleep,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_futex,
    libc::SYS_membarrier,
    libc::SYS_nanosleep,
    libc::SYS_restart_syscall,
    libc::SYS_rseq,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler,
    libc::SYS_sched_yield,
    libc::SYS_set_robust_list,
    // Signals to itself: how a process aborts.
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    // Time and random numbers.
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_getrandom,
    libc::SYS_gettimeofday,
];

/// Calls that no part of a worker makes: they show an attack, and the process is killed at the first one.
pub const DEADLY: &[c_long] = &[
    // Other programs and processes.
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_send_signal,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    libc::SYS_setns,
    libc::SYS_unshare,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_fork,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_vfork,
    // The network.
    libc::SYS_accept4,
    libc::SYS_bind,
    libc::SYS_connect,
    libc::SYS_listen,
    libc::SYS_sendmsg,
    libc::SYS_sendto,
    libc::SYS_socket,
    libc::SYS_socketpair,
    // Changes of files.
    libc::SYS_chroot,
    libc::SYS_linkat,
    libc::SYS_mkdirat,
    libc::SYS_mount,
    libc::SYS_renameat2,
    libc::SYS_symlinkat,
    libc::SYS_truncate,
    libc::SYS_unlinkat,
    // Large, rarely used parts of the kernel.
    libc::SYS_add_key,
    libc::SYS_bpf,
    libc::SYS_init_module,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_setup,
    libc::SYS_keyctl,
    libc::SYS_memfd_create,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
];
