//! From a process of ours to the program that somebody named, with the walls in between.

use super::order::Walls;
use super::walls::{self, Missing};
use rustix::process::Signal;
use serde::Serialize;
use std::ffi::c_int;
use std::fs::File;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// Nothing was started.
const EXIT_NOT_STARTED: c_int = 126;

/// Puts the walls up and becomes the program. Returns only when that fails; then the file that the walls name says why.
#[expect(clippy::disallowed_methods, reason = "to become another program is what it is for")]
pub fn become_program(walls: &str, program: &str, args: &[String]) -> c_int {
    let Ok(walls) = serde_json::from_str::<Walls>(walls) else { return EXIT_NOT_STARTED };
    // Opened before the walls stand, and closed by becoming another program.
    let Ok(mut failure) = File::create(&walls.failure) else { return EXIT_NOT_STARTED };
    let _own_session = rustix::process::setsid();
    let reason = match enter(&walls, Path::new(program)) {
        Ok(()) => Command::new(program).args(args).exec().to_string(),
        Err(missing) => missing.to_string(),
    };
    let _unheard = failure.write_all(reason.as_bytes());
    EXIT_NOT_STARTED
}

fn enter(walls: &Walls, program: &Path) -> Result<(), Missing> {
    // Nobody would watch it any more.
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).map_err(|_| Missing::Supervision)?;
    // When memory runs out, the program goes first, and the supervisor has its turn before it.
    let _best_effort =
        File::options().write(true).open("/proc/self/oom_score_adj").map(|mut file| file.write_all(b"1000"));
    let _best_effort = rustix::process::nice(walls::NICE);
    walls::raise(walls, program)
}

/// What a system can hold a program with.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Tried {
    confined: bool,
    missing: Option<String>,
}

/// Puts up walls as they would stand around a program, and says whether they do.
pub fn try_walls() -> c_int {
    let walls = Walls {
        failure: "/".into(),
        readable: Vec::new(),
        hidden: Vec::new(),
        writable: Vec::new(),
        memory_bytes: 1 << 30,
        file_bytes: 1 << 30,
        cpu_seconds: 1 << 20,
    };
    let missing = walls::raise(&walls, Path::new("/")).err().map(|missing| missing.to_string());
    let tried = serde_json::to_string(&Tried { confined: missing.is_none(), missing }).unwrap_or_default();
    // A whole line: what is kept back until the end of the process is lost, because the launcher ends it and not this library.
    c_int::from(writeln!(std::io::stdout(), "{tried}").is_err())
}
