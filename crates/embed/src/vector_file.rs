//! The vector index as a cache file, so that no text is embedded twice. An invalid file is ignored, which costs time only.

use super::embed_error::EmbedError;
use super::model_file::ModelId;
use super::vector::{MAX_DIMENSION, Vector};
use super::vector_index::{MAX_VECTORS, TextKey, VectorIndex};

/// Larger files are rejected.
pub const MAX_VECTOR_FILE_BYTES: usize = 68 << 20;

const MAGIC: &[u8; 8] = b"TGPVECTS";
const VERSION: u32 = 1;
const HASH_BYTES: usize = 32;

impl VectorIndex {
    /// Serialises the index for [`Self::read`].
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

    /// Reads a file that was made with `model`. Allocates no more memory than the file has bytes, whatever its contents.
    pub fn read(file: &[u8], model: ModelId) -> Result<Self, EmbedError> {
        parse(file, model).ok_or(EmbedError::Vectors)
    }
}

fn parse(file: &[u8], model: ModelId) -> Option<VectorIndex> {
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
    let mut vectors = VectorIndex::new(dimension);
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
    use crate::{EmbedError, ModelId, TextKey, Vector, VectorIndex};

    const MODEL: ModelId = ModelId(7);

    fn vectors() -> VectorIndex {
        let mut vectors = VectorIndex::new(5);
        for at in 0..20u8 {
            let numbers = [1.0, f32::from(at), -3.0, 0.5, 9.0];
            vectors.insert(TextKey::of(&at.to_string()), &Vector::of(&numbers).unwrap());
        }
        vectors
    }

    #[test]
    fn files_round_trip() {
        let vectors = vectors();
        let read = VectorIndex::read(&vectors.to_file(MODEL), MODEL).unwrap();
        assert_eq!((read.len(), read.dimension()), (20, 5));
        for at in 0..20 {
            let key = TextKey::of(&at.to_string());
            assert_eq!(read.get(key), vectors.get(key));
        }
        assert!(VectorIndex::read(&VectorIndex::new(5).to_file(MODEL), MODEL).unwrap().is_empty());
    }

    #[test]
    fn damaged_torn_and_foreign_files_are_refused() {
        let file = vectors().to_file(MODEL);
        assert_eq!(VectorIndex::read(&file, ModelId(8)).unwrap_err(), EmbedError::Vectors);
        for length in 0..file.len() {
            assert!(VectorIndex::read(&file[..length], MODEL).is_err(), "{length}");
        }
        for at in 0..file.len() {
            let mut damaged = file.clone();
            damaged[at] ^= 1;
            assert!(VectorIndex::read(&damaged, MODEL).is_err(), "{at}");
        }
        // Wrong sizes in the header, with a matching checksum.
        for (at, boast) in [(12, u32::MAX), (16, u32::MAX), (12, 0), (16, 1 << 17), (8, 2)] {
            let mut boastful = file[..file.len() - 32].to_vec();
            boastful[at..at + 4].copy_from_slice(&boast.to_le_bytes());
            let hash = blake3::hash(&boastful);
            boastful.extend_from_slice(hash.as_bytes());
            assert!(VectorIndex::read(&boastful, MODEL).is_err(), "{at} {boast}");
        }
    }
}
