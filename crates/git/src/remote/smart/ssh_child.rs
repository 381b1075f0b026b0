//! The `ssh` child process: with a minimal environment, and killed when it is no longer needed.

use crate::git_error::GitError;
use parking_lot::Mutex;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// Environment variables passed to `ssh`. Others may contain tokens and are removed.
const ENVIRONMENT: [&str; 36] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TERM",
    "TZ",
    "TMPDIR",
    "DISPLAY",
    "XAUTHORITY",
    "WAYLAND_DISPLAY",
    "XDG_RUNTIME_DIR",
    "XDG_CONFIG_HOME",
    "DBUS_SESSION_BUS_ADDRESS",
    "GPG_TTY",
    "KRB5CCNAME",
    "KRB5_CONFIG",
    "GIT_SSH",
    "GIT_SSH_VARIANT",
    "USERPROFILE",
    "USERNAME",
    "HOMEDRIVE",
    "HOMEPATH",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "COMSPEC",
    "PATHEXT",
    "TEMP",
    "TMP",
    "WINDIR",
];
const PREFIXES: [&str; 2] = ["SSH_", "LC_"];

/// Exit code of the launcher if it could not start the program.
const EXIT_NO_PROGRAM: i32 = 127;

/// How long to wait for the exit of a program that closed its output without writing anything.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(10);

/// The child process: not started, running, or ended.
#[derive(Default)]
pub(super) struct SshChild(Mutex<ChildState>);

#[derive(Default)]
enum ChildState {
    #[default]
    New,
    Running(Child),
    Over,
}

impl SshChild {
    /// Starts the program with these arguments and returns its input and output.
    pub(super) fn start(
        &self,
        launcher: Option<&Path>,
        arguments: &[String],
    ) -> Result<(ChildStdin, ChildStdout), GitError> {
        let mut state = self.0.lock();
        if matches!(*state, ChildState::Over) {
            return Err(unreachable("the request was cancelled"));
        }
        let mut child = command(launcher, arguments).spawn().map_err(|_| no_program())?;
        let ends = (child.stdin.take(), child.stdout.take());
        *state = ChildState::Running(child);
        match ends {
            (Some(input), Some(output)) => Ok((input, output)),
            _ => Err(unreachable("the program `ssh` has no input or output")),
        }
    }

    /// After the output was closed: an error if the program could not be started, which is possible only if it wrote nothing.
    pub(super) fn end(&self, bytes_read: u64) -> Result<(), GitError> {
        let deadline = Instant::now() + EXIT_TIMEOUT;
        while bytes_read == 0 && Instant::now() < deadline {
            // The lock is released while waiting, so that the program can be killed.
            match &mut *self.0.lock() {
                ChildState::Running(child) => match child.try_wait() {
                    Ok(Some(status)) if status.code() == Some(EXIT_NO_PROGRAM) => return Err(no_program()),
                    Ok(None) => {}
                    Ok(Some(_)) | Err(_) => break,
                },
                ChildState::New | ChildState::Over => break,
            }
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }

    /// Kills the program and its process group and waits for its exit. It cannot be started afterwards.
    pub(super) fn kill(&self) {
        if let ChildState::Running(mut child) = std::mem::replace(&mut *self.0.lock(), ChildState::Over) {
            #[cfg(unix)]
            if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
                // Fails if the group has already ended.
                let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            }
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for SshChild {
    fn drop(&mut self) {
        self.kill();
    }
}

#[expect(clippy::disallowed_methods, reason = "GIT_SSH names the program, which gets only the variables it needs")]
fn command(launcher: Option<&Path>, arguments: &[String]) -> Command {
    let program = std::env::var_os("GIT_SSH").unwrap_or_else(|| "ssh".into());
    let mut command = match launcher.filter(|launcher| launcher.is_file()) {
        Some(launcher) => {
            let mut command = Command::new(launcher);
            command.arg("--tied").arg(std::process::id().to_string()).arg(program);
            command
        }
        None => Command::new(program),
    };
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command.env_clear().envs(std::env::vars_os().filter(|(name, _)| is_needed(name)));
    // A separate process group, so that its children can be killed too.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command
}

fn is_needed(name: &OsStr) -> bool {
    let Some(name) = name.to_str().map(str::to_ascii_uppercase) else { return false };
    ENVIRONMENT.contains(&name.as_str()) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

fn unreachable(reason: &str) -> GitError {
    GitError::Unreachable { reason: reason.to_owned() }
}

fn no_program() -> GitError {
    unreachable(
        "the program `ssh` could not be started; install OpenSSH, name another program in GIT_SSH, or use an https:// address",
    )
}

#[cfg(test)]
mod tests {
    use super::is_needed;

    #[test]
    fn tokens_and_variables_of_the_application_are_not_passed_on() {
        for name in ["PATH", "HOME", "SSH_AUTH_SOCK", "LC_ALL", "SystemRoot"] {
            assert!(is_needed(name.as_ref()), "{name}");
        }
        for name in
            ["TGP_GIT_TOKEN", "TGP_GITHUB_TOKEN", "OPENAI_API_KEY", "DATABASE_URL", "LD_PRELOAD", "NODE_OPTIONS"]
        {
            assert!(!is_needed(name.as_ref()), "{name}");
        }
    }
}
