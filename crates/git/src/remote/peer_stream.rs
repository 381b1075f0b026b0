//! A byte stream from a peer with timeouts, read on a helper thread.
//!
//! Reads from sockets and pipes can block forever. A helper thread does the blocking I/O and sends the data through a channel,
//! which is polled until the deadline. The helper ends with its next event after the stream was dropped, or when the peer is
//! closed.

use crate::exchange_deadline::ExchangeDeadline;
use crate::git_error::GitError;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use std::io::{self, ErrorKind, Read};
use std::process::ChildStdin;
use tgp_base::threads;

const CHUNK: usize = 64 << 10;
/// Chunks that are read ahead.
const MAX_BUFFERED_CHUNKS: usize = 4;

/// The head of an answer.
#[derive(Debug, Default)]
pub(crate) struct AnswerHead {
    pub(crate) status: u16,
    pub(crate) content_type: String,
    pub(crate) location: Option<String>,
    pub(crate) retry_after: Option<String>,
    pub(crate) is_rate_limited: bool,
    /// The input of the peer.
    pub(crate) input: Option<ChildStdin>,
}

enum Event {
    Head(Box<AnswerHead>),
    Chunk(Vec<u8>),
    /// Sign of progress.
    Alive,
    End(Result<(), GitError>),
}

/// The helper's end of the channel.
#[derive(Clone)]
pub(crate) struct PeerSender(Sender<Event>);

/// The stream was dropped.
#[derive(Debug)]
pub(crate) struct ReceiverDropped;

impl PeerSender {
    pub(crate) fn head(&self, head: AnswerHead) -> Result<(), ReceiverDropped> {
        self.0.send(Event::Head(Box::new(head))).map_err(|_| ReceiverDropped)
    }

    pub(crate) fn alive(&self) -> Result<(), ReceiverDropped> {
        self.0.send(Event::Alive).map_err(|_| ReceiverDropped)
    }

    /// Forwards `stream` until its end or until the receiver is dropped; returns the number of bytes.
    pub(crate) fn pump(&self, stream: &mut dyn Read) -> io::Result<u64> {
        let mut total = 0;
        loop {
            let mut chunk = vec![0; CHUNK];
            let count = match stream.read(&mut chunk) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                result => result?,
            };
            chunk.truncate(count);
            if count == 0 || self.0.send(Event::Chunk(chunk)).is_err() {
                return Ok(total);
            }
            total += count as u64;
        }
    }
}

/// The answer of a peer as a stream.
pub(crate) struct PeerStream {
    events: Receiver<Event>,
    deadline: ExchangeDeadline,
    chunk: Vec<u8>,
    at: usize,
    is_over: bool,
    close: Option<Box<dyn FnOnce() + Send>>,
}

impl PeerStream {
    /// Runs `job`, which communicates with the peer, and waits for the head of the answer. `close` aborts the communication;
    /// it is called once, when the stream is dropped.
    pub(crate) fn send(
        deadline: &ExchangeDeadline,
        close: impl FnOnce() + Send + 'static,
        job: impl FnOnce(&PeerSender) -> Result<(), GitError> + Send + 'static,
    ) -> Result<(AnswerHead, Self), GitError> {
        let (post, events) = bounded(MAX_BUFFERED_CHUNKS);
        let post = PeerSender(post);
        let mut stream = Self {
            events,
            deadline: deadline.clone(),
            chunk: Vec::new(),
            at: 0,
            is_over: false,
            close: Some(Box::new(close)),
        };
        let work = move || {
            let end = job(&post);
            // Fails if the stream was dropped.
            let _ = post.0.send(Event::End(end));
        };
        threads::spawn("tgp-git-io", work)
            .map_err(|_| GitError::Unreachable { reason: "the system could not create a thread".to_owned() })?;
        loop {
            match stream.next()? {
                Some(Event::Head(head)) => return Ok((*head, stream)),
                Some(Event::Alive) => {}
                Some(Event::Chunk(_) | Event::End(_)) | None => return Err(connection_lost()),
            }
        }
    }

    /// Replaces the deadline.
    pub(crate) fn set_deadline(&mut self, deadline: &ExchangeDeadline) {
        self.deadline = deadline.clone();
    }

    /// The next event; `None` after the last one.
    fn next(&mut self) -> Result<Option<Event>, GitError> {
        if self.is_over {
            return Ok(None);
        }
        let wait = self.deadline.wait();
        loop {
            match self.events.recv_timeout(wait.next_poll()?) {
                Ok(Event::End(end)) => {
                    self.is_over = true;
                    return end.map(|()| None);
                }
                Ok(event) => return Ok(Some(event)),
                Err(RecvTimeoutError::Timeout) => {}
                // The helper panicked.
                Err(RecvTimeoutError::Disconnected) => return Err(connection_lost()),
            }
        }
    }
}

fn connection_lost() -> GitError {
    GitError::Unreachable { reason: "the connection was lost".to_owned() }
}

impl Read for PeerStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.chunk.len() {
            match self.next().map_err(io::Error::other)? {
                None => return Ok(0),
                Some(Event::Chunk(chunk)) => (self.chunk, self.at) = (chunk, 0),
                Some(Event::Alive | Event::Head(_) | Event::End(_)) => {}
            }
        }
        let count = self.chunk.get(self.at..).unwrap_or_default().read(buffer)?;
        self.at += count;
        Ok(count)
    }
}

impl Drop for PeerStream {
    fn drop(&mut self) {
        if let Some(close) = self.close.take() {
            close();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{AnswerHead, PeerStream};
    use crate::GitError;
    use crate::exchange_deadline::{ExchangeDeadline, Halt};
    use std::io::Read;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    #[test]
    fn the_whole_answer_and_its_final_result_are_received() {
        let deadline = ExchangeDeadline::new(Duration::from_secs(60), &Halt::default());
        let text = vec![7; 1 << 20];
        let sent = text.clone();
        let (head, mut stream) = PeerStream::send(
            &deadline,
            || {},
            move |post| {
                post.alive().unwrap();
                post.head(AnswerHead { status: 200, ..AnswerHead::default() }).unwrap();
                post.pump(&mut sent.as_slice()).unwrap();
                Err(GitError::Unauthorized)
            },
        )
        .unwrap();
        let mut got = Vec::new();
        let end = stream.read_to_end(&mut got).unwrap_err();
        assert_eq!((head.status, got == text), (200, true));
        assert!(matches!(GitError::from_stream(end), GitError::Unauthorized));
    }

    #[test]
    fn a_silent_or_panicking_peer_is_an_error() {
        let (sender, receiver) = channel::<()>();
        let short = ExchangeDeadline::new(Duration::from_millis(100), &Halt::default());
        let waiting = PeerStream::send(
            &short,
            move || drop(sender),
            move |_| {
                let _ = receiver.recv();
                Ok(())
            },
        );
        assert!(matches!(waiting.err(), Some(GitError::Unreachable { .. })));
        let long = ExchangeDeadline::new(Duration::from_secs(60), &Halt::default());
        let panicking = PeerStream::send(&long, || {}, |_| std::panic::resume_unwind(Box::new(())));
        assert!(matches!(panicking.err(), Some(GitError::Unreachable { .. })));
    }
}
