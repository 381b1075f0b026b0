//! Decompression to exactly a known size.

use super::input::{Input, cut_off, unreadable};
use crate::git_error::GitError;
use flate2::{Decompress, FlushDecompress, Status};

pub(crate) struct Inflater(Decompress);

impl Inflater {
    pub(crate) fn new() -> Self {
        Self(Decompress::new(true))
    }

    /// Decompresses `input` into `out`; the result must have exactly `size` bytes. The caller has checked `size`.
    pub(crate) fn inflate(&mut self, input: &mut impl Input, size: u64, out: &mut Vec<u8>) -> Result<(), GitError> {
        let size = usize::try_from(size).map_err(|_| unreadable())?;
        self.0.reset(true);
        out.clear();
        // One extra byte detects data beyond the expected size.
        out.reserve_exact(size + 1);
        loop {
            let bytes = input.peek()?;
            if bytes.is_empty() {
                return Err(cut_off());
            }
            let (read, written) = (self.0.total_in(), self.0.total_out());
            let status = self.0.decompress_vec(bytes, out, FlushDecompress::None).map_err(|_| unreadable())?;
            let read = usize::try_from(self.0.total_in() - read).map_err(|_| unreadable())?;
            let is_stuck = read == 0 && self.0.total_out() == written;
            input.take(read)?;
            if out.len() > size || (is_stuck && status != Status::StreamEnd) {
                return Err(unreadable());
            }
            if status == Status::StreamEnd {
                return if out.len() == size { Ok(()) } else { Err(unreadable()) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Inflater;
    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use std::io::Write;

    fn deflated(data: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn only_streams_of_the_expected_size_are_accepted() {
        let mut inflater = Inflater::new();
        let mut out = Vec::new();
        for data in [b"".as_slice(), b"x", &[7; 100_000]] {
            let packed = deflated(data);
            let with_more = [packed.as_slice(), b"next"].concat();
            let mut input = with_more.as_slice();
            inflater.inflate(&mut input, data.len() as u64, &mut out).unwrap();
            assert_eq!((out.as_slice(), input), (data, b"next".as_slice()));
            for size in [0, 1, data.len() as u64 + 1, 1 << 16].into_iter().filter(|size| *size != data.len() as u64) {
                assert!(inflater.inflate(&mut packed.as_slice(), size, &mut out).is_err());
            }
            for length in 0..packed.len() {
                assert!(inflater.inflate(&mut &packed[..length], data.len() as u64, &mut out).is_err());
            }
        }
        assert!(inflater.inflate(&mut b"no zlib at all".as_slice(), 5, &mut out).is_err());
    }
}
