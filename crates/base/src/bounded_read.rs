//! Reading foreign data up to a limit.

use std::io::{self, Read};

/// The most bytes allocated in advance for an announced size.
const MAX_PREALLOCATED: usize = 1 << 20;

/// Reads to the end; `None` for more than `limit` bytes. `expected` is the announced size.
///
/// # Errors
/// Errors of the reader.
pub fn read_at_most(reader: impl Read, limit: usize, expected: usize) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::with_capacity(expected.min(limit).min(MAX_PREALLOCATED));
    // The announced size is not trusted.
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    reader.take(most).read_to_end(&mut bytes)?;
    Ok((bytes.len() <= limit).then_some(bytes))
}

#[cfg(test)]
mod tests {
    use super::read_at_most;
    use std::io::{Read, repeat};

    #[test]
    fn an_endless_reader_is_read_up_to_the_limit() {
        assert_eq!(read_at_most(repeat(7), 3, usize::MAX).unwrap(), None);
        assert_eq!(read_at_most(repeat(7).take(3), 3, 0).unwrap(), Some(vec![7, 7, 7]));
        assert_eq!(read_at_most(repeat(7).take(4), 3, 4).unwrap(), None);
        assert_eq!(read_at_most(&[][..], 0, 9).unwrap(), Some(Vec::new()));
    }
}
