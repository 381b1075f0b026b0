//! Confines the current process and executes a program in it.

use super::program_confinement::{self, ConfinementError};
use super::program_request::ProgramConfinement;
use rustix::process::Signal;
use serde::Serialize;
use std::ffi::c_int;
use std::fs::File;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// The program was not started.
const EXIT_NOT_STARTED: c_int = 126;

/// Enters the confinement and executes the program. Returns only if that fails; the reason is in the failure file then.
#[expect(clippy::disallowed_methods, reason = "it executes another program by design")]
pub fn exec_program(confinement: &str, program: &str, args: &[String]) -> c_int {
    let Ok(confinement) = serde_json::from_str::<ProgramConfinement>(confinement) else { return EXIT_NOT_STARTED };
    // Opened before the confinement, and closed by exec.
    let Ok(mut failure) = File::create(&confinement.failure) else { return EXIT_NOT_STARTED };
    let _own_session = rustix::process::setsid();
    let reason = match enter(&confinement, Path::new(program)) {
        Ok(()) => Command::new(program).args(args).exec().to_string(),
        Err(error) => error.to_string(),
    };
    let _best_effort = failure.write_all(reason.as_bytes());
    EXIT_NOT_STARTED
}

fn enter(confinement: &ProgramConfinement, program: &Path) -> Result<(), ConfinementError> {
    // Ends with its supervisor.
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).map_err(|_| ConfinementError::Supervision)?;
    // When memory runs out, the kernel kills the program before the supervisor and the application.
    let _best_effort =
        File::options().write(true).open("/proc/self/oom_score_adj").map(|mut file| file.write_all(b"1000"));
    let _best_effort = rustix::process::nice(program_confinement::NICE);
    program_confinement::enter(confinement, program)
}

/// The result of a confinement check.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CheckReport {
    confined: bool,
    missing: Option<String>,
}

/// Enters the confinement of a program, and writes whether that succeeded.
pub fn check_confinement() -> c_int {
    let confinement = ProgramConfinement {
        failure: "/".into(),
        readable: Vec::new(),
        hidden: Vec::new(),
        writable: Vec::new(),
        memory_bytes: 1 << 30,
        file_bytes: 1 << 30,
        cpu_seconds: 1 << 20,
    };
    let missing = program_confinement::enter(&confinement, Path::new("/")).err().map(|error| error.to_string());
    let report = serde_json::to_string(&CheckReport { confined: missing.is_none(), missing }).unwrap_or_default();
    // A whole line, so that it is flushed: buffered output is lost when the launcher ends the process.
    c_int::from(writeln!(std::io::stdout(), "{report}").is_err())
}
