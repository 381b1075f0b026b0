//! Reading what is outside, never more of it than was agreed.

use std::io::{self, Read};

/// Room that is made for what was announced; more is made when it has come.
const MAX_ROOM: usize = 1 << 20;

/// All that a reader gives; `None` when that is more than `limit` bytes. `expected` is how much was announced.
///
/// # Errors
/// What the reader says.
pub fn read_at_most(reader: impl Read, limit: usize, expected: usize) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::with_capacity(expected.min(limit).min(MAX_ROOM));
    // It may be more than was announced: what counts is what arrives.
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    reader.take(most).read_to_end(&mut bytes)?;
    Ok((bytes.len() <= limit).then_some(bytes))
}

#[cfg(test)]
mod tests {
    use super::read_at_most;
    use std::io::{Read, repeat};

    #[test]
    fn a_reader_without_end_ends() {
        assert_eq!(read_at_most(repeat(7), 3, usize::MAX).unwrap(), None);
        assert_eq!(read_at_most(repeat(7).take(3), 3, 0).unwrap(), Some(vec![7, 7, 7]));
        assert_eq!(read_at_most(repeat(7).take(4), 3, 4).unwrap(), None);
        assert_eq!(read_at_most(&[][..], 0, 9).unwrap(), Some(Vec::new()));
    }
}
