//! The header of a pack entry: type, size and delta base.

use super::input::{Input, unreadable};
use crate::git_error::GitError;
use git2::{ObjectType, Oid};

/// The encoding of a pack entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Whole(ObjectType),
    /// A delta on the entry that begins this many bytes earlier (`OFS_DELTA`).
    OffsetDelta(u64),
    /// A delta on the object with this id (`REF_DELTA`).
    RefDelta(Oid),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EntryHeader {
    pub(crate) encoding: Encoding,
    /// The unpacked size of the object or delta that follows.
    pub(crate) size: u64,
}

impl EntryHeader {
    pub(crate) fn read(input: &mut impl Input) -> Result<Self, GitError> {
        let first = input.byte()?;
        let mut size = u64::from(first & 15);
        let (mut more, mut shift) = (first & 128 != 0, 4);
        while more {
            let byte = input.byte()?;
            // Larger than any limit.
            if shift > 60 - 7 {
                return Err(unreadable());
            }
            size |= u64::from(byte & 127) << shift;
            shift += 7;
            more = byte & 128 != 0;
        }
        let encoding = match first >> 4 & 7 {
            1 => Encoding::Whole(ObjectType::Commit),
            2 => Encoding::Whole(ObjectType::Tree),
            3 => Encoding::Whole(ObjectType::Blob),
            4 => Encoding::Whole(ObjectType::Tag),
            6 => Encoding::OffsetDelta(distance(input)?),
            7 => Encoding::RefDelta(Oid::from_bytes(&input.array::<20>()?).map_err(|_| unreadable())?),
            _ => return Err(unreadable()),
        };
        Ok(Self { encoding, size })
    }

    /// Writes the header.
    pub(crate) fn write(&self, pack: &mut Vec<u8>) {
        let kind = match self.encoding {
            Encoding::Whole(ObjectType::Commit) => 1,
            Encoding::Whole(ObjectType::Tree) => 2,
            Encoding::Whole(ObjectType::Tag) => 4,
            Encoding::Whole(ObjectType::Blob | ObjectType::Any) => 3,
            Encoding::OffsetDelta(_) => 6,
            Encoding::RefDelta(_) => 7,
        };
        let mut rest = self.size >> 4;
        let mut byte = kind << 4 | low_bits(self.size, 15);
        while rest > 0 {
            pack.push(byte | 128);
            byte = low_bits(rest, 127);
            rest >>= 7;
        }
        pack.push(byte);
        match self.encoding {
            Encoding::Whole(_) => {}
            Encoding::RefDelta(id) => pack.extend_from_slice(id.as_bytes()),
            Encoding::OffsetDelta(distance) => {
                let mut bytes = vec![low_bits(distance, 127)];
                let mut rest = distance >> 7;
                while rest > 0 {
                    rest -= 1;
                    bytes.push(128 | low_bits(rest, 127));
                    rest >>= 7;
                }
                pack.extend(bytes.iter().rev());
            }
        }
    }
}

fn low_bits(number: u64, mask: u8) -> u8 {
    number.to_le_bytes().first().copied().unwrap_or_default() & mask
}

fn distance(input: &mut impl Input) -> Result<u64, GitError> {
    let mut byte = input.byte()?;
    let mut distance = u64::from(byte & 127);
    while byte & 128 != 0 {
        byte = input.byte()?;
        if distance >> 50 != 0 {
            return Err(unreadable());
        }
        distance = (distance + 1) << 7 | u64::from(byte & 127);
    }
    Ok(distance)
}

#[cfg(test)]
mod tests {
    use super::{Encoding, EntryHeader};
    use crate::git_error::GitError;
    use crate::objects::pack::Input;
    use git2::{ObjectType, Oid};

    impl Input for &[u8] {
        fn peek(&mut self) -> Result<&[u8], GitError> {
            Ok(self)
        }

        fn take(&mut self, count: usize) -> Result<(), GitError> {
            *self = &self[count..];
            Ok(())
        }
    }

    #[test]
    fn headers_are_read_as_written() {
        for encoding in [
            Encoding::Whole(ObjectType::Commit),
            Encoding::Whole(ObjectType::Blob),
            Encoding::OffsetDelta(1),
            Encoding::OffsetDelta(127),
            Encoding::OffsetDelta(128),
            Encoding::OffsetDelta(16_511),
            Encoding::OffsetDelta(16_512),
            Encoding::OffsetDelta(1 << 40),
            Encoding::RefDelta(Oid::from_bytes(&[7; 20]).unwrap()),
        ] {
            for size in [0, 15, 16, 2047, 2048, 1 << 33] {
                let header = EntryHeader { encoding, size };
                let mut bytes = Vec::new();
                header.write(&mut bytes);
                let mut input = bytes.as_slice();
                assert_eq!(EntryHeader::read(&mut input).unwrap(), header);
                assert!(input.is_empty());
                for length in 0..bytes.len() {
                    assert!(EntryHeader::read(&mut &bytes[..length]).is_err());
                }
            }
        }
    }

    #[test]
    fn overlong_numbers_are_refused() {
        assert!(EntryHeader::read(&mut [0xff; 100].as_slice()).is_err());
        assert!(EntryHeader::read(&mut [[0x61].as_slice(), &[0xff; 100]].concat().as_slice()).is_err());
        assert!(EntryHeader::read(&mut [0x50, 0].as_slice()).is_err());
    }
}
