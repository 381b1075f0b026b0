//! Tries what the walls forbid, from inside them: the proof that they stand. One attempt per process, because some end it.

use super::confinement;
use super::platform;
use crate::sandbox::confinement::Confinement;
use serde::Serialize;
use std::ffi::c_int;
use std::io::{Error, Write, stdout};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::process::Command;

/// What a worker with the default limit gets.
const MEMORY_BYTES: u64 = 64 << 20;

/// What came of an attempt. An attempt that the system answers with death leaves no report.
#[derive(Serialize)]
struct Report<'a> {
    confinement: Confinement,
    attempt: &'a str,
    /// `allowed`, or the system's error.
    outcome: String,
}

/// Puts the walls up, tries `attempt` and writes a [`Report`] as JSON.
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
        "thread" => crate::threads::spawn("tgp-probe", || {}).map(drop),
        "nothing" => Ok(()),
        other => Err(Error::other(format!("there is no attempt named {other}"))),
    }
}

fn allocate(bytes: usize) -> Result<(), Error> {
    let mut block: Vec<u8> = Vec::new();
    block.try_reserve_exact(bytes).map_err(Error::other)
}
