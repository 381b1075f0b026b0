//! The launcher of sandbox workers: loads the addon's library and calls its main function, so that there is one copy of V8 on
//! disk. With `--tied` it executes another program instead, which ends with its parent process.

#![expect(unsafe_code, reason = "loading a library and calling into it cannot be safe")]

use std::ffi::{CString, OsString, c_char, c_int};
use std::process::ExitCode;

type Main = unsafe extern "C" fn(c_int, *const *const c_char) -> c_int;

/// The command line is unusable.
const EXIT_USAGE: u8 = 64;
/// The library cannot be loaded.
const EXIT_LIBRARY: u8 = 69;
/// The program was not found, as in shells.
#[cfg(unix)]
const EXIT_NO_PROGRAM: u8 = 127;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let Some(path) = arguments.next() else { return ExitCode::from(EXIT_USAGE) };
    if path == "--tied" {
        return tied(arguments).unwrap_or(ExitCode::from(EXIT_USAGE));
    }
    let Some(arguments) = arguments.map(c_string).collect::<Option<Vec<_>>>() else {
        return ExitCode::from(EXIT_USAGE);
    };
    run(&path, &arguments).map_or(ExitCode::from(EXIT_LIBRARY), |code| ExitCode::from(u8::try_from(code).unwrap_or(1)))
}

/// Executes the program named by the arguments, after the id of its parent process, which it must not outlive. Returns only on
/// failure.
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "it executes another program by design")]
fn tied(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    use std::os::unix::process::CommandExt;
    let parent: i32 = arguments.next()?.to_str()?.parse().ok()?;
    let program = arguments.next()?;
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL)).ok()?;
    // The parent may have ended before the call above; then no signal is sent.
    if rustix::process::getppid().map(rustix::process::Pid::as_raw_nonzero).map(i32::from) != Some(parent) {
        return Some(ExitCode::FAILURE);
    }
    let _not_started = std::process::Command::new(program).args(arguments).exec();
    Some(ExitCode::from(EXIT_NO_PROGRAM))
}

#[cfg(not(unix))]
fn tied(_: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    None
}

fn c_string(argument: OsString) -> Option<CString> {
    CString::new(argument.into_encoded_bytes()).ok()
}

fn run(path: &OsString, arguments: &[CString]) -> Option<c_int> {
    let pointers: Vec<*const c_char> = arguments.iter().map(|argument| argument.as_ptr()).collect();
    let count = c_int::try_from(pointers.len()).ok()?;
    // SAFETY: the path is the addon that started this program; its initialisers are harmless outside Node.
    let library = unsafe { libloading::Library::new(path) }.ok()?;
    // SAFETY: the addon exports this function with this signature.
    let main = unsafe { library.get::<Main>(b"tgp_sandbox_main\0") }.ok()?;
    // SAFETY: `pointers` holds `count` valid strings that outlive the call.
    Some(unsafe { main(count, pointers.as_ptr()) })
}
