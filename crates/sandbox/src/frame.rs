//! Framing of messages on a byte stream: a length, then the message in postcard encoding.

use super::message::Event;
use parking_lot::Mutex;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{Error, ErrorKind, Read, Result, Write};

/// Largest message; arguments, results and modules have much lower limits.
const MAX_FRAME_BYTES: u32 = 256 << 20;

/// Encodes one message as a frame. `text_bytes` is the estimated size of its text.
pub fn encode<T: Serialize>(message: &T, text_bytes: usize) -> Result<Vec<u8>> {
    let mut head = Vec::with_capacity(text_bytes.saturating_add(OVERHEAD_BYTES));
    head.extend([0; LENGTH_BYTES]);
    let mut bytes = postcard::to_extend(message, head).map_err(Error::other)?;
    let length = u32::try_from(bytes.len() - 4).ok().filter(|length| *length <= MAX_FRAME_BYTES);
    let Some(length) = length else { return Err(Error::new(ErrorKind::InvalidInput, "the message is too large")) };
    if let Some(head) = bytes.first_chunk_mut::<4>() {
        *head = length.to_le_bytes();
    }
    Ok(bytes)
}

/// Writes one message and flushes it. The lock is not held while the message is encoded.
pub fn write_frame(output: &Mutex<impl Write>, event: &Event) -> Result<()> {
    let frame = encode(event, event.text_bytes())?;
    let mut output = output.lock();
    output.write_all(&frame)?;
    output.flush()
}

/// Initial size of the read buffer.
const READ_BYTES: usize = 64 << 10;
const LENGTH_BYTES: usize = 4;
/// Size of a message without its text.
const OVERHEAD_BYTES: usize = 256;

/// A read buffer that splits a stream into messages.
pub struct FrameBuffer {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    longest: u32,
}

impl Default for FrameBuffer {
    fn default() -> Self {
        Self::new(MAX_FRAME_BYTES as usize)
    }
}

impl FrameBuffer {
    /// A message longer than `longest` is an error.
    pub fn new(longest: usize) -> Self {
        let longest = u32::try_from(longest).unwrap_or(MAX_FRAME_BYTES).min(MAX_FRAME_BYTES);
        Self { bytes: Vec::new(), start: 0, end: 0, longest }
    }

    /// Reads into the buffer with `read`; false at the end of the stream.
    pub fn fill(&mut self, read: impl FnOnce(&mut [u8]) -> Result<usize>) -> Result<bool> {
        self.make_room()?;
        let read = read(self.bytes.get_mut(self.end..).unwrap_or_default())?;
        self.end += read;
        if read == 0 && self.start < self.end {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        Ok(read > 0)
    }

    /// The next complete message.
    pub fn next<T: DeserializeOwned>(&mut self) -> Result<Option<T>> {
        let Some(length) = self.next_length()? else { return Ok(None) };
        let body = self.start + LENGTH_BYTES;
        let Some(bytes) = self.bytes.get(body..(body + length).min(self.end)).filter(|bytes| bytes.len() == length)
        else {
            return Ok(None);
        };
        let message = postcard::from_bytes(bytes).map_err(Error::other)?;
        self.start = body + length;
        Ok(Some(message))
    }

    /// Whether a message has arrived in part.
    pub fn is_partial(&self) -> bool {
        self.start < self.end
    }

    /// Length of the next message, once it has arrived.
    fn next_length(&self) -> Result<Option<usize>> {
        let head = self.bytes.get(self.start..self.end).and_then(|bytes| bytes.first_chunk::<LENGTH_BYTES>());
        let length = head.map(|head| u32::from_le_bytes(*head));
        if length.is_some_and(|length| length > self.longest) {
            return Err(Error::new(ErrorKind::InvalidData, "the message is too large"));
        }
        Ok(length.map(|length| length as usize))
    }

    /// Resizes the buffer for the next message; memory of a large message is released after it.
    fn make_room(&mut self) -> Result<()> {
        if self.start > 0 {
            self.bytes.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        let wanted = self.next_length()?.map_or(READ_BYTES, |length| (LENGTH_BYTES + length).max(READ_BYTES));
        if self.bytes.len() != wanted {
            self.bytes.resize(wanted, 0);
            self.bytes.shrink_to_fit();
        }
        Ok(())
    }
}

/// Reads messages from a stream.
pub struct FrameReader<R> {
    input: R,
    buffer: FrameBuffer,
}

impl<R: Read> FrameReader<R> {
    /// A message longer than `longest` is an error.
    pub fn new(input: R, longest: usize) -> Self {
        Self { input, buffer: FrameBuffer::new(longest) }
    }

    /// Waits for one message; `None` at the end of the stream.
    pub fn read<T: DeserializeOwned>(&mut self) -> Result<Option<T>> {
        loop {
            if let Some(message) = self.buffer.next()? {
                return Ok(Some(message));
            }
            match self.buffer.fill(|room| self.input.read(room)) {
                Ok(true) => {}
                Ok(false) => return Ok(None),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FrameReader, MAX_FRAME_BYTES, READ_BYTES, encode};
    use crate::message::{Command, HostAnswer};
    use std::io::Read;
    use tgp_base::ids::{CallId, RunId};

    fn reply(bytes: usize) -> Command {
        Command::HostReply { run: RunId(1), call: CallId(2), answer: HostAnswer::Value("x".repeat(bytes)) }
    }

    /// Returns a few bytes at a time.
    struct Slowly<'a>(&'a [u8], usize);

    impl Read for Slowly<'_> {
        fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
            let most = room.len().min(self.1);
            self.0.read(&mut room[..most])
        }
    }

    #[test]
    fn messages_round_trip_and_truncated_ones_are_errors() {
        let bytes = encode(&Command::Cancel { run: RunId(7) }, 0).unwrap();
        let mut reader = FrameReader::new(bytes.as_slice(), MAX_FRAME_BYTES as usize);
        assert!(matches!(reader.read().unwrap(), Some(Command::Cancel { run: RunId(7) })));
        assert!(reader.read::<Command>().unwrap().is_none());
        let truncated = &bytes[..bytes.len() - 1];
        assert!(FrameReader::new(truncated, MAX_FRAME_BYTES as usize).read::<Command>().is_err());
        assert!(FrameReader::new([0xff; 8].as_slice(), usize::MAX).read::<Command>().is_err());
    }

    #[test]
    fn messages_of_every_size_arrive_in_any_chunks() {
        let sizes = [0, 1, READ_BYTES - 20, READ_BYTES, READ_BYTES + 1, 3 * READ_BYTES, 5];
        let mut bytes = Vec::new();
        for size in sizes {
            bytes.extend(encode(&reply(size), size).unwrap());
        }
        for step in [1, 3, 1000, READ_BYTES, usize::MAX] {
            let mut reader = FrameReader::new(Slowly(&bytes, step), MAX_FRAME_BYTES as usize);
            for size in sizes {
                let Some(Command::HostReply { answer: HostAnswer::Value(text), .. }) = reader.read().unwrap() else {
                    panic!("no reply of {size} bytes in steps of {step}");
                };
                assert_eq!(text.len(), size);
            }
            assert!(reader.read::<Command>().unwrap().is_none());
        }
    }

    #[test]
    fn a_message_above_the_limit_is_an_error_before_it_arrives() {
        let bytes = encode(&reply(1000), 0).unwrap();
        assert!(FrameReader::new(bytes.as_slice(), 1100).read::<Command>().unwrap().is_some());
        assert!(FrameReader::new(&bytes[..8], 900).read::<Command>().is_err());
    }
}
