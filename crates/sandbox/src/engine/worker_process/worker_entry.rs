//! Entry point of the worker process: the engine, with commands on standard input and events on standard output.
//!
//! The executable `tgp-sandbox` loads this library and calls [`tgp_sandbox_main`]; Node is not involved.

use super::confinement;
use super::probe;
use crate::crash_cause::{EXIT_FATAL, EXIT_USAGE};
#[cfg(target_os = "linux")]
use crate::engine::control::abort_signal;
use crate::engine::control::{EngineControl, Inbox, StuckPolicy, exit_now, fatal_error};
use crate::engine::engine_loop::{ENGINE_STACK, run_engine};
use crate::engine::isolate::locale_data;
use crate::engine::isolate::platform;
use crate::engine::isolate::snapshot;
use crate::frame::write_frame;
#[cfg(not(unix))]
use crate::message::Command;
use crate::message::Event;
#[cfg(target_os = "linux")]
use crate::program;
use parking_lot::Mutex;
use std::ffi::{CStr, c_char, c_int};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tgp_base::threads;

/// The command line of the worker, parsed.
enum Job {
    WriteSnapshot {
        snapshot: PathBuf,
        locales: PathBuf,
    },
    Serve {
        snapshot: PathBuf,
        locales: PathBuf,
        memory_bytes: u64,
    },
    Probe {
        attempt: String,
    },
    #[cfg(target_os = "linux")]
    Supervise,
    #[cfg(target_os = "linux")]
    Exec {
        confinement: String,
        program: String,
        args: Vec<String>,
    },
    #[cfg(target_os = "linux")]
    CheckConfinement,
}

/// Entry point of the worker process. Arguments: `--write-snapshot FILE LOCALES`, `--serve SNAPSHOT LOCALES MEMORY_BYTES`, or
/// `--probe NAME`, which enters the confinement and tries one forbidden operation. On Linux also `--supervise`,
/// `--become CONFINEMENT PROGRAM …` and `--check-confinement`, for system programs.
///
/// # Safety
/// `arguments` must hold `count` valid, NUL-terminated strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tgp_sandbox_main(count: c_int, arguments: *const *const c_char) -> c_int {
    let count = usize::try_from(count).unwrap_or(0);
    let mut texts = Vec::with_capacity(count);
    for index in 0..count {
        // SAFETY: the caller promises `count` valid pointers, and `index` is below it.
        let argument = unsafe { arguments.wrapping_add(index).read() };
        // SAFETY: the caller promises NUL-terminated strings.
        let argument = unsafe { CStr::from_ptr(argument) };
        texts.push(argument.to_string_lossy().into_owned());
    }
    match parse(&texts) {
        Some(Job::WriteSnapshot { snapshot, locales }) => write_snapshot(&snapshot, &locales),
        Some(Job::Serve { snapshot, locales, memory_bytes }) => serve(&snapshot, &locales, memory_bytes),
        Some(Job::Probe { attempt }) => probe::run(&attempt),
        #[cfg(target_os = "linux")]
        Some(Job::Supervise) => {
            close_inherited();
            program::supervise()
        }
        #[cfg(target_os = "linux")]
        Some(Job::Exec { confinement, program, args }) => program::exec_program(&confinement, &program, &args),
        #[cfg(target_os = "linux")]
        Some(Job::CheckConfinement) => program::check_confinement(),
        None => EXIT_USAGE,
    }
}

fn parse(texts: &[String]) -> Option<Job> {
    match texts {
        [flag, snapshot, locales] if flag == "--write-snapshot" => {
            Some(Job::WriteSnapshot { snapshot: snapshot.into(), locales: locales.into() })
        }
        [flag, attempt] if flag == "--probe" => Some(Job::Probe { attempt: attempt.clone() }),
        [flag, snapshot, locales, memory] if flag == "--serve" => {
            let memory_bytes = memory.parse().ok()?;
            Some(Job::Serve { snapshot: snapshot.into(), locales: locales.into(), memory_bytes })
        }
        #[cfg(target_os = "linux")]
        [flag] if flag == "--supervise" => Some(Job::Supervise),
        #[cfg(target_os = "linux")]
        [flag] if flag == "--check-confinement" => Some(Job::CheckConfinement),
        #[cfg(target_os = "linux")]
        [flag, confinement, program, args @ ..] if flag == "--become" => {
            Some(Job::Exec { confinement: confinement.clone(), program: program.clone(), args: args.to_vec() })
        }
        _ => None,
    }
}

fn write_snapshot(snapshot: &Path, locales: &Path) -> c_int {
    let written = locale_data::load(locales).is_ok() && snapshot::write(snapshot).is_ok();
    if written { 0 } else { EXIT_USAGE }
}

/// Closes descriptors that other libraries of the host left open without close-on-exec, so that guests cannot reach them.
#[cfg(target_os = "linux")]
fn close_inherited() {
    const FIRST: libc::c_uint = 3;
    // SAFETY: this process has not opened a descriptor yet, so none that is closed here has an owner.
    unsafe { libc::syscall(libc::SYS_close_range, FIRST, libc::c_uint::MAX, 0) };
}

#[cfg(not(target_os = "linux"))]
fn close_inherited() {}

/// Sets the time zone to UTC: the zone file cannot be read inside the confinement, and results must not depend on the host.
#[expect(clippy::disallowed_methods, reason = "the environment of a worker is its own")]
fn use_universal_time() {
    // SAFETY: this process still has one thread, so no other thread reads the environment.
    unsafe { std::env::set_var("TZ", "UTC") };
}

/// Serves commands until the host closes the pipe; then the process ends, even if the guest is running.
fn serve(snapshot: &Path, locales: &Path, memory_bytes: u64) -> c_int {
    close_inherited();
    use_universal_time();
    if locale_data::load(locales).is_err() {
        return EXIT_USAGE;
    }
    let file = snapshot::read_file(snapshot);
    let output = Mutex::new(open_output());
    let sink = move |event: Event| {
        // The host has ended; the reading side ends this process.
        let _host_ended = write_frame(&output, &event);
    };
    let control = EngineControl::new(Arc::new(sink), StuckPolicy::ExitProcess);
    let Ok(inbox) = open_inbox(&control) else { return EXIT_USAGE };
    // From here on no file can be opened; threads started now inherit the confinement.
    let confinement = confinement::enter(memory_bytes);
    platform::ensure_initialised();
    fatal_error::end_process_on(&control);
    #[cfg(target_os = "linux")]
    abort_signal::install_abort_handler();
    let engine = Arc::clone(&control);
    let thread = threads::spawn_with_stack("tgp-engine", ENGINE_STACK, move || {
        let Ok(snapshot) = snapshot::load(file) else { exit_now(EXIT_USAGE) };
        run_engine(&inbox, &engine, &snapshot, memory_bytes, || confinement::seal(confinement));
        exit_now(0);
    });
    match thread {
        // The engine exits the process; a thread that ends otherwise has panicked.
        Ok(thread) => thread.join().map_or(EXIT_FATAL, |end| end.map_or(EXIT_FATAL, |()| EXIT_USAGE)),
        Err(_) => EXIT_USAGE,
    }
}

/// Standard output without line buffering, which would split messages at line ends.
#[cfg(unix)]
struct Output;

#[cfg(unix)]
impl std::io::Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        Ok(rustix::io::write(rustix::stdio::stdout(), bytes)?)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(unix)]
fn open_output() -> Output {
    Output
}

#[cfg(not(unix))]
fn open_output() -> std::io::Stdout {
    std::io::stdout()
}

#[cfg(unix)]
fn open_inbox(control: &Arc<EngineControl>) -> std::io::Result<Arc<dyn Inbox>> {
    Ok(Arc::new(super::pipe_inbox::PipeInbox::new(Arc::clone(control))))
}

/// Where a pipe cannot be polled, a thread reads it.
#[cfg(not(unix))]
fn open_inbox(control: &Arc<EngineControl>) -> std::io::Result<Arc<dyn Inbox>> {
    let (sender, receiver) = crossbeam_channel::unbounded();
    let control = Arc::clone(control);
    threads::spawn("tgp-reader", move || {
        let mut input = crate::frame::FrameReader::new(std::io::stdin(), usize::MAX);
        while let Ok(Some(command)) = input.read::<Command>() {
            if let Command::Cancel { run } = command {
                control.cancel(run);
            }
            if sender.send(command).is_err() {
                break;
            }
        }
        exit_now(0)
    })?;
    Ok(Arc::new(receiver))
}
