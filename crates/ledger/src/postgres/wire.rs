//! Framing of protocol messages: a type byte, a length, and a body.

use super::failure::Failure;
use super::stream::Stream;
use std::io::{BufReader, Read, Write};

const READ_BUFFER: usize = 64 << 10;
/// The longest server message; events and blobs have much lower limits.
const MAX_MESSAGE: usize = 256 << 20;
/// The most bytes allocated in advance for an announced length.
const ROOM: usize = 1 << 20;
/// Larger output buffers are freed after use.
const KEPT: usize = 1 << 20;

pub(super) struct Wire {
    stream: BufReader<Stream>,
    out: Vec<u8>,
    body: Vec<u8>,
}

impl Wire {
    pub(super) fn new(stream: Stream) -> Self {
        Self { stream: BufReader::with_capacity(READ_BUFFER, stream), out: Vec::new(), body: Vec::new() }
    }

    pub(super) fn stream(&mut self) -> &mut Stream {
        self.stream.get_mut()
    }

    /// Queues a message; the startup message has no type byte.
    pub(super) fn put(&mut self, letter: Option<u8>, write: &dyn Fn(&mut Vec<u8>)) -> Result<(), Failure> {
        self.out.extend(letter);
        let at = self.out.len();
        self.out.extend_from_slice(&[0; 4]);
        write(&mut self.out);
        let length = i32::try_from(self.out.len() - at).map_err(|_| Failure::Garbled)?;
        if let Some(place) = self.out.get_mut(at..at + 4) {
            place.copy_from_slice(&length.to_be_bytes());
        }
        Ok(())
    }

    /// Sends the queued messages.
    pub(super) fn send(&mut self) -> Result<(), Failure> {
        // Unsent messages are discarded, so that the next operation does not send them.
        let mut out = std::mem::take(&mut self.out);
        let stream = self.stream.get_mut();
        stream.deadline().allow(out.len());
        stream.write_all(&out)?;
        stream.flush()?;
        out.clear();
        out.shrink_to(KEPT);
        self.out = out;
        Ok(())
    }

    /// Receives the next message: its type byte and its body.
    pub(super) fn receive(&mut self) -> Result<(u8, &[u8]), Failure> {
        let mut letter = [0];
        self.stream.read_exact(&mut letter)?;
        let [letter] = letter;
        let mut length = [0; 4];
        self.stream.read_exact(&mut length)?;
        let length = usize::try_from(i32::from_be_bytes(length)).ok().and_then(|length| length.checked_sub(4));
        let length = length.filter(|length| *length <= MAX_MESSAGE).ok_or(Failure::Garbled)?;
        self.body.clear();
        self.body.shrink_to(KEPT);
        while self.body.len() < length {
            let had = self.body.len();
            let next = length.min(had + ROOM);
            // Rows extend the deadline. Notices do not, since a server may send any number of them.
            if letter == b'D' {
                self.stream.get_mut().deadline().allow(next - had);
            }
            self.body.resize(next, 0);
            self.stream.read_exact(self.body.get_mut(had..).unwrap_or_default())?;
        }
        Ok((letter, &self.body))
    }
}

/// Writes a text that ends with NUL.
pub(super) fn put_name(out: &mut Vec<u8>, name: &str) {
    out.extend_from_slice(name.as_bytes());
    out.push(0);
}
