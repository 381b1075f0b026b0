//! Extracts the pack from a side-band answer and discards progress messages.

use super::pkt_line::{Frames, Packet, server_message};
use crate::git_error::GitError;
use crate::limits::{Limit, MAX_CHATTER_BYTES};
use std::io::{self, Read};

const PACK_DATA: u8 = 1;
const PROGRESS: u8 = 2;
/// Minimum size of a frame.
const FRAME_BYTES: u64 = 4;

pub(super) struct SideBand<'s> {
    frames: Frames<'s>,
    chatter: u64,
    data: Vec<u8>,
    at: usize,
    state: SideBandState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SideBandState {
    /// Acknowledgements before the pack.
    Before,
    Pack,
    After,
}

impl<'s> SideBand<'s> {
    pub(super) const fn new(answer: &'s mut dyn Read) -> Self {
        // The size of the pack is limited by its reader.
        let frames = Frames::new(answer, u64::MAX, Limit::Chatter);
        Self { frames, chatter: MAX_CHATTER_BYTES, data: Vec::new(), at: 0, state: SideBandState::Before }
    }

    /// The next part of the pack; `None` at its end.
    fn next(&mut self) -> Result<Option<Vec<u8>>, GitError> {
        while self.state != SideBandState::After {
            let line = match self.frames.next()? {
                Some(Packet::Data(line)) => line,
                Some(Packet::Flush) if self.state == SideBandState::Before => Vec::new(),
                Some(Packet::Flush) | None => break,
            };
            match line.split_first() {
                Some((&PACK_DATA, data)) if !data.is_empty() => {
                    self.state = SideBandState::Pack;
                    return Ok(Some(data.to_vec()));
                }
                Some((&(PACK_DATA | PROGRESS), _)) | None => {}
                Some((b'A' | b'N', _)) if self.state == SideBandState::Before => {}
                Some(_) => {
                    let reason = server_message(line.strip_prefix(b"\x03").unwrap_or(&line));
                    return Err(GitError::Refused { reason });
                }
            }
            let left = self.chatter.checked_sub(FRAME_BYTES + line.len() as u64);
            self.chatter = left.ok_or(GitError::RemoteLimit(Limit::Chatter))?;
        }
        if self.state == SideBandState::Before {
            return Err(GitError::protocol("it sent no pack"));
        }
        self.state = SideBandState::After;
        Ok(None)
    }
}

impl Read for SideBand<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.data.len() {
            match self.next().map_err(io::Error::other)? {
                Some(data) => (self.data, self.at) = (data, 0),
                None => return Ok(0),
            }
        }
        let count = self.data.get(self.at..).unwrap_or_default().read(buffer)?;
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::SideBand;
    use std::io::Read;

    fn frame(payload: &[u8]) -> Vec<u8> {
        [format!("{:04x}", payload.len() + 4).as_bytes(), payload].concat()
    }

    fn read(answer: &[u8]) -> Result<Vec<u8>, String> {
        let mut pack = Vec::new();
        let mut answer = answer;
        let result = SideBand::new(&mut answer).read_to_end(&mut pack);
        result.map(|_| pack).map_err(|error| error.to_string())
    }

    #[test]
    fn the_pack_is_extracted_and_messages_are_limited() {
        let parts = [b"NAK\n".as_slice(), b"\x02working", b"\x01PA", b"\x01", b"\x02\x02", b"\x01CK"];
        let answer: Vec<u8> = parts.iter().flat_map(|part| frame(part)).chain(*b"0000").collect();
        assert_eq!(read(&answer).unwrap(), b"PACK");
        assert!(read(&frame(b"\x03fatal: no\n")).unwrap_err().contains("fatal: no"));
        assert!(read(&[frame(b"\x01P"), frame(b"NAK")].concat()).is_err());
        assert!(read(b"").unwrap_err().contains("no pack"));
        for flood in [frame(&[2; 60_000]), frame(b"\x01"), b"0000".to_vec(), frame(b"ACK")] {
            let endless = flood.repeat((8 << 20) / flood.len());
            assert!(read(&endless).unwrap_err().contains("beside"), "{:?}", &flood[..4]);
        }
    }
}
