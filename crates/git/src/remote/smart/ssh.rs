//! The protocol over `ssh`, the program: with the user's own keys, agent, known hosts and configuration, as `git` does.

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

/// Where a repository is on an SSH server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SshConnection {
    /// `user@host` or `host`.
    pub(crate) host: String,
    pub(crate) port: Option<u16>,
    pub(crate) path: String,
    /// A program that starts another one so that it ends with this process.
    pub(crate) launcher: Option<PathBuf>,
}

struct SshConversation {
    input: Option<ChildStdin>,
    answer: PeerStream,
    post: PeerSender,
}

impl Connection for SshConnection {
    fn open(&self, service: Service, deadline: &ExchangeDeadline) -> Result<Box<dyn Conversation>, GitError> {
        // Never a question on a terminal, never an endless wait.
        let mut words: Vec<String> =
            ["-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=15"].map(Into::into).into();
        words.extend(self.port.into_iter().flat_map(|port| ["-p".to_owned(), port.to_string()]));
        words.extend(["--".to_owned(), self.host.clone(), format!("{} {}", service.name(), quoted(&self.path))]);
        let child = Arc::new(SshChild::default());
        let (killed, launcher) = (Arc::clone(&child), self.launcher.clone());
        let (sender, receiver) = crossbeam_channel::bounded(1);
        let job = move |post: &PeerSender| {
            // The thread that starts it stays: a program that is tied to us ends with its thread.
            let (input, mut output) = child.start(launcher.as_deref(), &words)?;
            // Whoever asked is gone if this fails, and so is the program.
            let _ = sender.send(post.clone());
            let _ = post.head(AnswerHead { input: Some(input), ..AnswerHead::default() });
            let bytes_read = post.pump(&mut output).map_err(GitError::from_stream)?;
            child.end(bytes_read)
        };
        let (head, answer) = PeerStream::send(deadline, move || killed.kill(), job)?;
        let post = receiver.recv().map_err(|_| GitError::Unreachable { reason: "the connection broke".to_owned() })?;
        Ok(Box::new(SshConversation { input: head.input, answer, post }))
    }
}

impl Conversation for SshConversation {
    fn greeting(&mut self) -> &mut dyn Read {
        &mut self.answer
    }

    fn ask(mut self: Box<Self>, request: RequestBody, deadline: &ExchangeDeadline) -> Result<Box<dyn Read>, GitError> {
        self.answer.wait_with(deadline);
        if let Some(mut input) = self.input.take() {
            let mut request = Progress { stream: request.into_reader(), post: self.post };
            // A server that stops reading must not keep us: its answer, or the lack of one, tells.
            let send = move || io::copy(&mut request, &mut input).map(drop);
            threads::spawn("tgp-git-io", send)
                .map_err(|_| GitError::Unreachable { reason: "the system refuses more threads".to_owned() })?;
        }
        Ok(Box::new(self.answer))
    }

    fn leave(mut self: Box<Self>) {
        if let Some(mut input) = self.input.take() {
            // The server takes the end of the stream for a goodbye too.
            let _ = input.write_all(super::pkt_line::FLUSH);
        }
    }
}

/// `path` as one word of the shell on the other side.
fn quoted(path: &str) -> String {
    format!("'{}'", path.replace('\'', r"'\''"))
}
