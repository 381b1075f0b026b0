//! What stands before each object of a pack: what it is, and how large.

use super::input::{Input, unreadable};
use crate::git_error::GitError;
use git2::{ObjectType, Oid};

/// How an object is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Whole(ObjectType),
    /// As a change of the object that begins so many bytes before it.
    Earlier(u64),
    /// As a change of the object of this name.
    Named(Oid),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EntryHeader {
    pub(crate) form: Form,
    /// Of what follows, unpacked: the object, or the change.
    pub(crate) size: u64,
}

impl EntryHeader {
    pub(crate) fn read(input: &mut impl Input) -> Result<Self, GitError> {
        let first = input.byte()?;
        let mut size = u64::from(first & 15);
        let (mut more, mut shift) = (first & 128 != 0, 4);
        while more {
            let byte = input.byte()?;
            // More than 60 bits are more than any limit.
            if shift > 60 - 7 {
                return Err(unreadable());
            }
            size |= u64::from(byte & 127) << shift;
            shift += 7;
            more = byte & 128 != 0;
        }
        let form = match first >> 4 & 7 {
            1 => Form::Whole(ObjectType::Commit),
            2 => Form::Whole(ObjectType::Tree),
            3 => Form::Whole(ObjectType::Blob),
            4 => Form::Whole(ObjectType::Tag),
            6 => Form::Earlier(distance(input)?),
            7 => Form::Named(Oid::from_bytes(&input.array::<20>()?).map_err(|_| unreadable())?),
            _ => return Err(unreadable()),
        };
        Ok(Self { form, size })
    }

    /// The header as it stands in a pack.
    pub(crate) fn write(&self, pack: &mut Vec<u8>) {
        let kind = match self.form {
            Form::Whole(ObjectType::Commit) => 1,
            Form::Whole(ObjectType::Tree) => 2,
            Form::Whole(ObjectType::Tag) => 4,
            Form::Whole(ObjectType::Blob | ObjectType::Any) => 3,
            Form::Earlier(_) => 6,
            Form::Named(_) => 7,
        };
        let mut rest = self.size >> 4;
        let mut byte = kind << 4 | low_bits(self.size, 15);
        while rest > 0 {
            pack.push(byte | 128);
            byte = low_bits(rest, 127);
            rest >>= 7;
        }
        pack.push(byte);
        match self.form {
            Form::Whole(_) => {}
            Form::Named(id) => pack.extend_from_slice(id.as_bytes()),
            Form::Earlier(distance) => {
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
    use super::{EntryHeader, Form};
    use crate::git_error::GitError;
    use crate::objects::pack::Input;
    use git2::{ObjectType, Oid};

    impl Input for &[u8] {
        fn look(&mut self) -> Result<&[u8], GitError> {
            Ok(self)
        }

        fn take(&mut self, count: usize) -> Result<(), GitError> {
            *self = &self[count..];
            Ok(())
        }
    }

    #[test]
    fn headers_are_read_as_written() {
        for form in [
            Form::Whole(ObjectType::Commit),
            Form::Whole(ObjectType::Blob),
            Form::Earlier(1),
            Form::Earlier(127),
            Form::Earlier(128),
            Form::Earlier(16_511),
            Form::Earlier(16_512),
            Form::Earlier(1 << 40),
            Form::Named(Oid::from_bytes(&[7; 20]).unwrap()),
        ] {
            for size in [0, 15, 16, 2047, 2048, 1 << 33] {
                let header = EntryHeader { form, size };
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
    fn numbers_without_end_are_refused() {
        assert!(EntryHeader::read(&mut [0xff; 100].as_slice()).is_err());
        assert!(EntryHeader::read(&mut [[0x61].as_slice(), &[0xff; 100]].concat().as_slice()).is_err());
        assert!(EntryHeader::read(&mut [0x50, 0].as_slice()).is_err());
    }
}
