//! Pkt-line framing: four hexadecimal digits of length, then the payload.

use crate::git_error::GitError;
use crate::limits::Limit;
use std::io::Read;

/// Maximum length of a frame in the protocol.
const LONGEST: usize = 65_520;
const HEADER: usize = 4;

/// The frame that ends a section.
pub(super) const FLUSH: &[u8] = b"0000";

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Packet {
    Data(Vec<u8>),
    Flush,
}

/// Adds one frame with `payload`.
pub(super) fn put(buffer: &mut Vec<u8>, payload: &str) {
    buffer.extend_from_slice(format!("{:04x}{payload}", payload.len() + HEADER).as_bytes());
}

/// The frames of a stream, with a limit for its total size.
pub(super) struct Frames<'s> {
    stream: &'s mut dyn Read,
    left: u64,
    limit: Limit,
}

impl<'s> Frames<'s> {
    /// More than `most` bytes exceed `limit`.
    pub(super) const fn new(stream: &'s mut dyn Read, most: u64, limit: Limit) -> Self {
        Self { stream, left: most, limit }
    }

    /// The next frame; `None` at the end of the stream.
    pub(super) fn next(&mut self) -> Result<Option<Packet>, GitError> {
        let mut header = [0_u8; HEADER];
        let mut filled = 0;
        while let Some(rest) = header.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match self.stream.read(rest).map_err(GitError::from_stream)? {
                0 if filled == 0 => return Ok(None),
                0 => return Err(GitError::protocol("the answer is truncated")),
                count => filled += count,
            }
        }
        let digits = str::from_utf8(&header).ok().filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let length = digits.and_then(|text| usize::from_str_radix(text, 16).ok());
        let left = self.left.checked_sub(length.unwrap_or_default().max(HEADER) as u64);
        self.left = left.ok_or(GitError::RemoteLimit(self.limit))?;
        match length {
            Some(0) => Ok(Some(Packet::Flush)),
            Some(length) if (HEADER..=LONGEST).contains(&length) => {
                let mut payload = vec![0; length - HEADER];
                self.stream.read_exact(&mut payload).map_err(GitError::from_stream)?;
                Ok(Some(Packet::Data(payload)))
            }
            Some(_) | None => Err(GitError::protocol("it does not follow the Git protocol")),
        }
    }
}

/// A message of a server, on one line. It may contain a token, so the caller masks secrets before truncating it.
pub(super) fn server_message(text: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(text).chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Frames, Packet, put, server_message};
    use crate::limits::Limit;

    fn frames<'s>(stream: &'s mut &[u8], most: u64) -> Frames<'s> {
        Frames::new(stream, most, Limit::Chatter)
    }

    #[test]
    fn frames_survive_a_round_trip_and_invalid_ones_are_refused() {
        let mut bytes = Vec::new();
        put(&mut bytes, "want x\n");
        bytes.extend_from_slice(super::FLUSH);
        let mut stream = bytes.as_slice();
        let mut all = frames(&mut stream, 100);
        assert_eq!(all.next().unwrap(), Some(Packet::Data(b"want x\n".to_vec())));
        assert_eq!(all.next().unwrap(), Some(Packet::Flush));
        assert_eq!(all.next().unwrap(), None);
        for nonsense in ["<htm", "0001", "ffff", "00", "0009abc", "+004", "-004", "\u{661}00", "0 04"] {
            assert!(frames(&mut nonsense.as_bytes(), 100).next().is_err(), "{nonsense}");
        }
    }

    #[test]
    fn the_size_of_a_stream_is_limited() {
        for endless in ["0000", "0004", "0005x"] {
            let stream = endless.repeat(100);
            let mut stream = stream.as_bytes();
            let mut frames = frames(&mut stream, 50);
            let count = std::iter::from_fn(|| frames.next().ok().flatten()).count();
            assert!(count <= 12, "{endless}: {count}");
            assert!(frames.next().is_err());
        }
    }

    #[test]
    fn server_messages_are_on_one_line() {
        assert_eq!(server_message(b" no\r\n\x1b[31mreally\xff\n"), "no   [31mreally\u{fffd}");
    }
}
