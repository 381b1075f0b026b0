//! Vectors as a file, so that no text is read twice. Losing it costs time, never tools: what does not fit is not used.

use super::embed_error::EmbedError;
use super::model_file::ModelId;
use super::vector::{MAX_DIMENSION, Vector};
use super::vectors::{MAX_VECTORS, TextKey, Vectors};

/// A larger file is none of ours.
pub const MAX_VECTOR_FILE_BYTES: usize = 68 << 20;

const MAGIC: &[u8; 8] = b"TGPVECTS";
const VERSION: u32 = 1;
const HASH_BYTES: usize = 32;

impl Vectors {
    /// The file that [`Self::read`] reads.
    #[must_use]
    pub fn to_file(&self, model: ModelId) -> Vec<u8> {
        let mut file = Vec::with_capacity(64 + HASH_BYTES + self.len() * (16 + self.dimension()));
        file.extend_from_slice(MAGIC);
        for number in [VERSION, self.dimension() as u32, self.len() as u32] {
            file.extend_from_slice(&number.to_le_bytes());
        }
        file.extend_from_slice(&model.0.to_le_bytes());
        for (TextKey(key), row, _) in self.rows() {
            file.extend_from_slice(&key);
            file.extend(row.iter().map(|number| *number as u8));
        }
        let hash = blake3::hash(&file);
        file.extend_from_slice(hash.as_bytes());
        file
    }

    /// The vectors of a file that was made with `model`. Whatever is in it, no more memory is taken than it has bytes.
    pub fn read(file: &[u8], model: ModelId) -> Result<Self, EmbedError> {
        parse(file, model).ok_or(EmbedError::Vectors)
    }
}

fn parse(file: &[u8], model: ModelId) -> Option<Vectors> {
    let (content, hash) = file.split_last_chunk::<HASH_BYTES>()?;
    let rest = content.strip_prefix(MAGIC)?;
    let (numbers, rest) = rest.split_first_chunk::<12>()?;
    let [version, dimension, count] = numbers.as_chunks::<4>().0 else { return None };
    let [version, dimension, count] = [version, dimension, count].map(|number| u32::from_le_bytes(*number));
    let (id, rows) = rest.split_first_chunk::<8>()?;
    let (dimension, count) = (usize::try_from(dimension).ok()?, usize::try_from(count).ok()?);
    let is_possible = version == VERSION
        && u64::from_le_bytes(*id) == model.0
        && (1..=MAX_DIMENSION).contains(&dimension)
        && count <= MAX_VECTORS
        && rows.len() == count * (16 + dimension);
    if !is_possible || blake3::hash(content).as_bytes() != hash {
        return None;
    }
    let mut vectors = Vectors::new(dimension);
    for row in rows.chunks_exact(16 + dimension) {
        let (key, numbers) = row.split_first_chunk::<16>()?;
        let vector = Vector::from_rounded(numbers.iter().map(|byte| *byte as i8).collect())?;
        if !vectors.insert(TextKey(*key), &vector) {
            return None;
        }
    }
    Some(vectors)
}

#[cfg(test)]
mod tests {
    use crate::{EmbedError, ModelId, TextKey, Vector, Vectors};

    const MODEL: ModelId = ModelId(7);

    fn vectors() -> Vectors {
        let mut vectors = Vectors::new(5);
        for at in 0..20u8 {
            let numbers = [1.0, f32::from(at), -3.0, 0.5, 9.0];
            vectors.insert(TextKey::of(&at.to_string()), &Vector::of(&numbers).unwrap());
        }
        vectors
    }

    #[test]
    fn what_is_written_is_read() {
        let vectors = vectors();
        let read = Vectors::read(&vectors.to_file(MODEL), MODEL).unwrap();
        assert_eq!((read.len(), read.dimension()), (20, 5));
        for at in 0..20 {
            let key = TextKey::of(&at.to_string());
            assert_eq!(read.get(key), vectors.get(key));
        }
        assert!(Vectors::read(&Vectors::new(5).to_file(MODEL), MODEL).unwrap().is_empty());
    }

    #[test]
    fn damaged_torn_foreign_and_boastful_files_are_refused() {
        let file = vectors().to_file(MODEL);
        assert_eq!(Vectors::read(&file, ModelId(8)).unwrap_err(), EmbedError::Vectors);
        for length in 0..file.len() {
            assert!(Vectors::read(&file[..length], MODEL).is_err(), "{length}");
        }
        for at in 0..file.len() {
            let mut damaged = file.clone();
            damaged[at] ^= 1;
            assert!(Vectors::read(&damaged, MODEL).is_err(), "{at}");
        }
        // Sizes that only the numbers in the header claim, under a hash that fits.
        for (at, boast) in [(12, u32::MAX), (16, u32::MAX), (12, 0), (16, 1 << 17), (8, 2)] {
            let mut boastful = file[..file.len() - 32].to_vec();
            boastful[at..at + 4].copy_from_slice(&boast.to_le_bytes());
            let hash = blake3::hash(&boastful);
            boastful.extend_from_slice(hash.as_bytes());
            assert!(Vectors::read(&boastful, MODEL).is_err(), "{at} {boast}");
        }
    }
}
