//! The protocol over `ssh`, the program: with the user's own keys, agent, known hosts and configuration, as `git` does.

use super::connection::{Connection, Conversation, Service};
use crate::git::git_error::GitError;
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Where a repository is on an SSH server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SshConnection {
    /// `user@host` or `host`.
    pub(crate) host: String,
    pub(crate) port: Option<u16>,
    pub(crate) path: String,
}

struct SshConversation {
    child: Child,
    input: Option<ChildStdin>,
    output: ChildStdout,
}

impl Connection for SshConnection {
    fn open(&self, service: Service) -> Result<Box<dyn Conversation>, GitError> {
        let mut command = Command::new(std::env::var_os("GIT_SSH").unwrap_or_else(|| "ssh".into()));
        // Never a question on a terminal, never an endless wait.
        command.args(["-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=15"]);
        if let Some(port) = self.port {
            command.arg("-p").arg(port.to_string());
        }
        command.arg("--").arg(&self.host).arg(format!("{} {}", service.name(), quoted(&self.path)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let unreachable = |reason: &str| GitError::Unreachable { reason: reason.to_owned() };
        let mut child = command.spawn().map_err(|_| {
            unreachable(
                "the program `ssh` could not be started; install OpenSSH, name another program in GIT_SSH, or use an https:// address",
            )
        })?;
        match (child.stdin.take(), child.stdout.take()) {
            (input @ Some(_), Some(output)) => Ok(Box::new(SshConversation { child, input, output })),
            _ => Err(unreachable("the program `ssh` could not be reached")),
        }
    }
}

impl Conversation for SshConversation {
    fn greeting(&mut self) -> &mut dyn Read {
        &mut self.output
    }

    fn ask(mut self: Box<Self>, request: Vec<u8>) -> Result<Box<dyn Read>, GitError> {
        if let Some(mut input) = self.input.take() {
            input.write_all(&request).map_err(|error| super::pkt_line::broken(&error))?;
        }
        Ok(self)
    }

    fn leave(mut self: Box<Self>) {
        if let Some(mut input) = self.input.take() {
            // The server takes the end of the stream for a goodbye too.
            let _ = input.write_all(super::pkt_line::FLUSH);
        }
    }
}

impl Read for SshConversation {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.output.read(buffer)
    }
}

impl Drop for SshConversation {
    fn drop(&mut self) {
        drop(self.input.take());
        // After the answer the program ends by itself; in any other case nobody listens to it any more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `path` as one word of the shell on the other side.
fn quoted(path: &str) -> String {
    format!("'{}'", path.replace('\'', r"'\''"))
}
