//! The frames of the protocol: four hexadecimal digits of length, then the payload.

use crate::git::git_error::GitError;
use std::io::Read;

/// Longest frame that the protocol allows.
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

/// The next frame; `None` at the end of the stream.
pub(super) fn read(stream: &mut dyn Read) -> Result<Option<Packet>, GitError> {
    let mut header = [0_u8; HEADER];
    let mut filled = 0;
    while let Some(rest) = header.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match stream.read(rest).map_err(|error| broken(&error))? {
            0 if filled == 0 => return Ok(None),
            0 => return Err(GitError::protocol("the answer ends in the middle")),
            count => filled += count,
        }
    }
    let digits = str::from_utf8(&header).ok();
    let length = digits.and_then(|text| usize::from_str_radix(text, 16).ok());
    match length {
        Some(0) => Ok(Some(Packet::Flush)),
        Some(length) if (HEADER..=LONGEST).contains(&length) => {
            let mut payload = vec![0; length - HEADER];
            stream.read_exact(&mut payload).map_err(|error| broken(&error))?;
            Ok(Some(Packet::Data(payload)))
        }
        Some(_) | None => Err(GitError::protocol("it does not answer as a Git server does")),
    }
}

pub(super) fn broken(error: &std::io::Error) -> GitError {
    GitError::Unreachable { reason: format!("the connection broke: {}", error.kind()) }
}

#[cfg(test)]
mod tests {
    use super::{Packet, put, read};

    #[test]
    fn frames_are_read_as_written_and_nonsense_is_refused() {
        let mut bytes = Vec::new();
        put(&mut bytes, "want x\n");
        bytes.extend_from_slice(super::FLUSH);
        let mut stream = bytes.as_slice();
        assert_eq!(read(&mut stream).unwrap(), Some(Packet::Data(b"want x\n".to_vec())));
        assert_eq!(read(&mut stream).unwrap(), Some(Packet::Flush));
        assert_eq!(read(&mut stream).unwrap(), None);
        for nonsense in ["<htm", "0001", "ffff", "00", "0009abc"] {
            assert!(read(&mut nonsense.as_bytes()).is_err(), "{nonsense}");
        }
    }
}
