//! A thread that waits for a peer, so that whoever needs the answer need not wait longer than it wants to.
//!
//! Sockets and pipes can keep a reader for ever. Here a helper thread does the reading and writing; what it learns comes
//! through a channel, which is asked in short steps until deadline ends. A helper that nobody listens to any more ends
//! with its next step, or when its peer is given up.

use crate::exchange_deadline::ExchangeDeadline;
use crate::git_error::GitError;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use std::io::{self, ErrorKind, Read};
use std::process::ChildStdin;
use tgp_base::threads;

const CHUNK: usize = 64 << 10;
/// Chunks that wait to be read.
const MAX_BUFFERED_CHUNKS: usize = 4;

/// What a peer says before its answer.
#[derive(Debug, Default)]
pub(crate) struct AnswerHead {
    pub(crate) status: u16,
    pub(crate) content_type: String,
    pub(crate) location: Option<String>,
    pub(crate) retry_after: Option<String>,
    pub(crate) is_rate_limited: bool,
    /// Where the peer can be written to.
    pub(crate) input: Option<ChildStdin>,
}

enum Event {
    Head(Box<AnswerHead>),
    Chunk(Vec<u8>),
    /// Something goes on.
    Alive,
    End(Result<(), GitError>),
}

/// The helper's end of the channel.
#[derive(Clone)]
pub(crate) struct PeerSender(Sender<Event>);

/// Nobody listens any more.
#[derive(Debug)]
pub(crate) struct ReceiverDropped;

impl PeerSender {
    pub(crate) fn head(&self, head: AnswerHead) -> Result<(), ReceiverDropped> {
        self.0.send(Event::Head(Box::new(head))).map_err(|_| ReceiverDropped)
    }

    pub(crate) fn alive(&self) -> Result<(), ReceiverDropped> {
        self.0.send(Event::Alive).map_err(|_| ReceiverDropped)
    }

    /// Hands on all that `stream` holds, until its end or until nobody listens. How much that was.
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

/// The answer of a peer, as it comes in.
pub(crate) struct PeerStream {
    events: Receiver<Event>,
    deadline: ExchangeDeadline,
    chunk: Vec<u8>,
    at: usize,
    is_over: bool,
    give_up: Option<Box<dyn FnOnce() + Send>>,
}

impl PeerStream {
    /// Has `job` talk to the peer and waits for the head of its answer. `give_up` ends the talk; it is called once, when
    /// the stream is dropped.
    pub(crate) fn send(
        deadline: &ExchangeDeadline,
        give_up: impl FnOnce() + Send + 'static,
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
            give_up: Some(Box::new(give_up)),
        };
        let work = move || {
            let end = job(&post);
            // Who listens hears how it ended; if nobody does, nobody has to.
            let _ = post.0.send(Event::End(end));
        };
        threads::spawn("tgp-git-io", work)
            .map_err(|_| GitError::Unreachable { reason: "the system refuses more threads".to_owned() })?;
        loop {
            match stream.next()? {
                Some(Event::Head(head)) => return Ok((*head, stream)),
                Some(Event::Alive) => {}
                Some(Event::Chunk(_) | Event::End(_)) | None => return Err(broke()),
            }
        }
    }

    /// From now on it is waited for so long.
    pub(crate) fn wait_with(&mut self, deadline: &ExchangeDeadline) {
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
                Err(RecvTimeoutError::Disconnected) => return Err(broke()),
            }
        }
    }
}

fn broke() -> GitError {
    GitError::Unreachable { reason: "the connection broke".to_owned() }
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
        if let Some(give_up) = self.give_up.take() {
            give_up();
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
    fn all_of_the_answer_arrives_and_its_end_is_told() {
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
    fn a_peer_that_never_answers_or_panics_is_given_up() {
        let (tell, told) = channel::<()>();
        let short = ExchangeDeadline::new(Duration::from_millis(100), &Halt::default());
        let waiting = PeerStream::send(
            &short,
            move || drop(tell),
            move |_| {
                let _ = told.recv();
                Ok(())
            },
        );
        assert!(matches!(waiting.err(), Some(GitError::Unreachable { .. })));
        let long = ExchangeDeadline::new(Duration::from_secs(60), &Halt::default());
        let panicking = PeerStream::send(&long, || {}, |_| std::panic::resume_unwind(Box::new(())));
        assert!(matches!(panicking.err(), Some(GitError::Unreachable { .. })));
    }
}
