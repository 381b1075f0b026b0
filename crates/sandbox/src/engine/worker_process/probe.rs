//! Tests the confinement from inside: tries one forbidden operation. One attempt per process, because some end it.

use super::confinement;
use crate::confinement::Confinement;
use crate::engine::isolate::platform;
use serde::Serialize;
use std::ffi::c_int;
use std::io::{Error, Write, stdout};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::process::Command;

/// The default memory limit of a run.
const MEMORY_BYTES: u64 = 64 << 20;

/// The outcome of an attempt. An attempt that kills the process leaves no report.
#[derive(Serialize)]
struct Report<'a> {
    confinement: Confinement,
    attempt: &'a str,
    /// `allowed`, or the error of the system.
    outcome: String,
}

/// Enters the confinement, tries `attempt` and writes a [`Report`] as JSON.
pub fn run(attempt: &str) -> c_int {
    let entered = confinement::enter(MEMORY_BYTES);
    platform::ensure_initialised();
    let confinement = confinement::seal(entered);
    let outcome = match try_it(attempt) {
        Ok(()) => "allowed".to_owned(),
        Err(error) => error.to_string(),
    };
    let report = serde_json::to_string(&Report { confinement, attempt, outcome }).unwrap_or_default();
    c_int::from(writeln!(stdout(), "{report}").is_err())
}

#[expect(clippy::disallowed_methods, reason = "this is what must fail")]
fn try_it(attempt: &str) -> Result<(), Error> {
    match attempt {
        "read" => std::fs::read("/etc/passwd").map(drop),
        "write" => std::fs::write("/tmp/tgp-probe", "x"),
        "list" => std::fs::read_dir("/").map(drop),
        "remove" => std::fs::remove_file("/tmp/tgp-probe"),
        "connect" => TcpStream::connect("127.0.0.1:9").map(drop),
        "listen" => TcpListener::bind("127.0.0.1:0").map(drop),
        "datagram" => UdpSocket::bind("127.0.0.1:0").map(drop),
        "execute" => Command::new("/bin/true").status().map(drop),
        "memory" => allocate(8 << 30),
        "thread" => tgp_base::threads::spawn("tgp-probe", || {}).map(drop),
        "nothing" => Ok(()),
        other => try_system_call(other),
    }
}

/// Ways to memory that no limit counts, open only to an attacker who controls the worker.
#[cfg(target_os = "linux")]
fn try_system_call(attempt: &str) -> Result<(), Error> {
    let private = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    let done = match attempt {
        "private-mapping" => map(private),
        "growing-mapping" => map(private | libc::MAP_GROWSDOWN),
        "shared-mapping" => map(libc::MAP_SHARED | libc::MAP_ANONYMOUS),
        // SAFETY: it only creates a segment, which is never attached.
        "shared-segment" => unsafe { libc::shmget(libc::IPC_PRIVATE, SOME_BYTES, libc::IPC_CREAT) >= 0 },
        // SAFETY: the name is NUL-terminated, and the descriptor is closed when the process ends.
        "memory-file" => unsafe { libc::memfd_create(c"tgp-probe".as_ptr(), 0) >= 0 },
        // SAFETY: `fork` has no precondition here; a child would be this program, and reports as its parent does.
        "process" => unsafe { libc::fork() >= 0 },
        other => return Err(Error::other(format!("unknown attempt: {other}"))),
    };
    if done { Ok(()) } else { Err(Error::last_os_error()) }
}

#[cfg(not(target_os = "linux"))]
fn try_system_call(attempt: &str) -> Result<(), Error> {
    Err(Error::other(format!("unknown attempt: {attempt}")))
}

#[cfg(target_os = "linux")]
const SOME_BYTES: usize = 1 << 20;

#[cfg(target_os = "linux")]
fn map(flags: i32) -> bool {
    let (nowhere, access) = (std::ptr::null_mut(), libc::PROT_READ | libc::PROT_WRITE);
    // SAFETY: a fresh mapping at no fixed address touches nothing that is in use.
    unsafe { libc::mmap(nowhere, SOME_BYTES, access, flags, -1, 0) != libc::MAP_FAILED }
}

fn allocate(bytes: usize) -> Result<(), Error> {
    let mut block: Vec<u8> = Vec::new();
    block.try_reserve_exact(bytes).map_err(Error::other)
}
