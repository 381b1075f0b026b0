//! The input stream of a pack: limited, hashed and written to a file while it is read.

use super::input::{Input, cut_off, unreadable};
use crate::exchange_deadline::ExchangeDeadline;
use crate::git_error::GitError;
use crate::limits::{Limit, Limits};
use flate2::Crc;
use sha1::{Digest, Sha1};
use std::fs::File;
use std::io::{BufWriter, Read, Write};

const BUFFER: usize = 64 << 10;
const SUM_BYTES: usize = 20;

/// The checksum at the end of a pack.
pub(super) type PackSum = [u8; SUM_BYTES];

pub(super) struct IncomingPack<'s> {
    source: &'s mut dyn Read,
    file: BufWriter<File>,
    deadline: &'s ExchangeDeadline,
    most: u64,
    buffer: Vec<u8>,
    at: usize,
    offset: u64,
    sum: Sha1,
    crc: Crc,
}

impl<'s> IncomingPack<'s> {
    pub(super) fn new(source: &'s mut dyn Read, file: File, limits: &Limits, deadline: &'s ExchangeDeadline) -> Self {
        Self {
            source,
            file: BufWriter::with_capacity(BUFFER, file),
            deadline,
            most: limits.fetch_bytes,
            buffer: Vec::new(),
            at: 0,
            offset: 0,
            sum: Sha1::new(),
            crc: Crc::new(),
        }
    }

    /// The number of consumed bytes.
    pub(super) const fn offset(&self) -> u64 {
        self.offset
    }

    /// Starts the next entry.
    pub(super) fn begin_entry(&mut self) {
        self.crc.reset();
    }

    /// The CRC of the current entry.
    pub(super) fn entry_crc(&self) -> u32 {
        self.crc.sum()
    }

    /// Verifies the checksum of the pack and the end of the stream, and returns the file with the checksum.
    pub(super) fn finish(mut self) -> Result<(File, PackSum), GitError> {
        let expected: PackSum = std::mem::take(&mut self.sum).finalize().into();
        if self.array::<SUM_BYTES>()? != expected || !self.peek()?.is_empty() {
            return Err(unreadable());
        }
        let file = self.file.into_inner().map_err(|error| GitError::io("store a pack")(error.into_error()))?;
        Ok((file, expected))
    }
}

impl Input for IncomingPack<'_> {
    fn peek(&mut self) -> Result<&[u8], GitError> {
        if self.at == self.buffer.len() {
            self.deadline.remaining()?;
            self.buffer.resize(BUFFER, 0);
            let count = self.source.read(&mut self.buffer).map_err(GitError::from_stream)?;
            self.buffer.truncate(count);
            self.at = 0;
        }
        Ok(self.buffer.get(self.at..).unwrap_or_default())
    }

    fn take(&mut self, count: usize) -> Result<(), GitError> {
        let bytes = self.buffer.get(self.at..self.at + count).ok_or_else(cut_off)?;
        self.offset += count as u64;
        if self.offset > self.most {
            return Err(GitError::RemoteLimit(Limit::FetchBytes(self.most)));
        }
        self.sum.update(bytes);
        self.crc.update(bytes);
        self.file.write_all(bytes).map_err(GitError::io("store a pack"))?;
        self.at += count;
        Ok(())
    }
}
