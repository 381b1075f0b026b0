//! The smart protocol over the `ssh` program, with the user's keys, agent, known hosts and configuration, as in `git`.

use super::connection::{Connection, Conversation, Service};
use super::ssh_child::SshChild;
use crate::exchange_deadline::ExchangeDeadline;
use crate::git_error::GitError;
use crate::remote::peer_stream::{AnswerHead, PeerSender, PeerStream};
use crate::remote::request_body::{Progress, RequestBody};
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::ChildStdin;
use std::sync::Arc;
use tgp_base::threads;

/// The address of a repository on an SSH server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SshConnection {
    /// `user@host` or `host`.
    pub(crate) host: String,
    pub(crate) port: Option<u16>,
    pub(crate) path: String,
    /// A program that starts another and ends it with this process.
    pub(crate) launcher: Option<PathBuf>,
}

struct SshConversation {
    input: Option<ChildStdin>,
    answer: PeerStream,
    post: PeerSender,
}

impl Connection for SshConnection {
    fn open(&self, service: Service, deadline: &ExchangeDeadline) -> Result<Box<dyn Conversation>, GitError> {
        // No prompts on a terminal, and no endless waits.
        let mut arguments: Vec<String> =
            ["-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=15"].map(Into::into).into();
        arguments.extend(self.port.into_iter().flat_map(|port| ["-p".to_owned(), port.to_string()]));
        arguments.extend(["--".to_owned(), self.host.clone(), format!("{} {}", service.name(), quoted(&self.path))]);
        let child = Arc::new(SshChild::default());
        let (killed, launcher) = (Arc::clone(&child), self.launcher.clone());
        let (sender, receiver) = crossbeam_channel::bounded(1);
        let job = move |post: &PeerSender| {
            // This thread stays alive: the launcher ends the program when the thread that started it ends.
            let (input, mut output) = child.start(launcher.as_deref(), &arguments)?;
            // If this fails, the caller is gone and has killed the program.
            let _ = sender.send(post.clone());
            let _ = post.head(AnswerHead { input: Some(input), ..AnswerHead::default() });
            let bytes_read = post.pump(&mut output).map_err(GitError::from_stream)?;
            child.end(bytes_read)
        };
        let (head, answer) = PeerStream::send(deadline, move || killed.kill(), job)?;
        let post =
            receiver.recv().map_err(|_| GitError::Unreachable { reason: "the connection was lost".to_owned() })?;
        Ok(Box::new(SshConversation { input: head.input, answer, post }))
    }
}

impl Conversation for SshConversation {
    fn advertisement(&mut self) -> &mut dyn Read {
        &mut self.answer
    }

    fn request(
        mut self: Box<Self>,
        request: RequestBody,
        deadline: &ExchangeDeadline,
    ) -> Result<Box<dyn Read>, GitError> {
        self.answer.set_deadline(deadline);
        if let Some(mut input) = self.input.take() {
            let mut request = Progress { stream: request.into_reader(), post: self.post };
            // On a separate thread: a server that stops reading must not block the caller.
            let send = move || io::copy(&mut request, &mut input).map(drop);
            threads::spawn("tgp-git-io", send)
                .map_err(|_| GitError::Unreachable { reason: "the system could not create a thread".to_owned() })?;
        }
        Ok(Box::new(self.answer))
    }

    fn close(mut self: Box<Self>) {
        if let Some(mut input) = self.input.take() {
            // Optional: the server also accepts the end of the stream.
            let _ = input.write_all(super::pkt_line::FLUSH);
        }
    }
}

/// Quotes `path` for the remote shell.
fn quoted(path: &str) -> String {
    format!("'{}'", path.replace('\'', r"'\''"))
}
