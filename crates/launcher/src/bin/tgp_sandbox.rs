//! The sandbox worker: loads the addon's library and enters its main loop, so that there is one copy of V8 on disk.
//! With `--tied` it starts another program instead, one that ends when whoever wanted it does.

#![expect(unsafe_code, reason = "loading a library and calling into it cannot be safe")]

use std::ffi::{CString, OsString, c_char, c_int};
use std::process::ExitCode;

type Main = unsafe extern "C" fn(c_int, *const *const c_char) -> c_int;

/// The command line is unusable.
const EXIT_USAGE: u8 = 64;
/// The library cannot be loaded.
const EXIT_LIBRARY: u8 = 69;
/// There is no such program, in the words of a shell.
#[cfg(unix)]
const EXIT_NO_PROGRAM: u8 = 127;

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    let Some(path) = words.next() else { return ExitCode::from(EXIT_USAGE) };
    if path == "--tied" {
        return tied(words).unwrap_or(ExitCode::from(EXIT_USAGE));
    }
    let Some(words) = words.map(c_string).collect::<Option<Vec<_>>>() else { return ExitCode::from(EXIT_USAGE) };
    run(&path, &words).map_or(ExitCode::from(EXIT_LIBRARY), |code| ExitCode::from(u8::try_from(code).unwrap_or(1)))
}

/// Becomes the program that the words name, after the process that this one must not outlive. Returns when there is no such
/// program.
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "to become another program is what it is for")]
fn tied(mut words: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    use std::os::unix::process::CommandExt;
    let parent: i32 = words.next()?.to_str()?.parse().ok()?;
    let program = words.next()?;
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL)).ok()?;
    // Whoever died before that sends no signal any more.
    if rustix::process::getppid().map(rustix::process::Pid::as_raw_nonzero).map(i32::from) != Some(parent) {
        return Some(ExitCode::FAILURE);
    }
    let _not_started = std::process::Command::new(program).args(words).exec();
    Some(ExitCode::from(EXIT_NO_PROGRAM))
}

#[cfg(not(unix))]
fn tied(_: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    None
}

fn c_string(word: OsString) -> Option<CString> {
    CString::new(word.into_encoded_bytes()).ok()
}

fn run(path: &OsString, words: &[CString]) -> Option<c_int> {
    let pointers: Vec<*const c_char> = words.iter().map(|word| word.as_ptr()).collect();
    let count = c_int::try_from(pointers.len()).ok()?;
    // SAFETY: the path is the addon that started this very program, whose initialisers are harmless outside Node.
    let library = unsafe { libloading::Library::new(path) }.ok()?;
    // SAFETY: the addon exports this function with this signature.
    let main = unsafe { library.get::<Main>(b"tgp_sandbox_main\0") }.ok()?;
    // SAFETY: `pointers` holds `count` valid strings that outlive the call.
    Some(unsafe { main(count, pointers.as_ptr()) })
}
