//! The vector file of a workspace, outside of Git. It can be regenerated.

use super::memory_model::{APPLICATION, MemoryModel};
use std::sync::Arc;
use tgp_base::error::{Error, ErrorCode};
use tgp_embed::{MAX_VECTOR_FILE_BYTES, ModelId, TextKey, Vector, VectorIndex};
use tgp_vfs::{DiskVfs, JailPath};

const FILE: &str = "vectors.bin";
/// The sample sentence by which application models are told apart.
const SENTENCE: &str = "The quick brown fox converts an amount of money from one currency to another.";
/// Minimum cosine between two vectors of the sample by the same model.
const SAME_MODEL: f32 = 0.99;

pub struct VectorCache(pub Arc<DiskVfs>);

impl VectorCache {
    /// The model's id, and its stored vectors.
    pub fn open(&self, model: &MemoryModel, is_stopped: &dyn Fn() -> bool) -> Result<(ModelId, VectorIndex), Error> {
        if let Some(weights) = model.weights()? {
            let known = self.read(weights.id()).filter(|vectors| vectors.dimension() == weights.dimension());
            return Ok((weights.id(), known.unwrap_or_else(|| VectorIndex::new(weights.dimension()))));
        }
        let (key, sample) = (TextKey::of(SENTENCE), sample(model, is_stopped)?);
        let is_same = |vectors: &VectorIndex| vectors.get(key).is_some_and(|known| known.cosine(&sample) >= SAME_MODEL);
        let mut vectors =
            self.read(APPLICATION).filter(is_same).unwrap_or_else(|| VectorIndex::new(sample.dimension()));
        vectors.insert(key, &sample);
        Ok((APPLICATION, vectors))
    }

    /// Writes the vectors; ignores errors.
    pub fn write(&self, file: &[u8]) {
        if let Ok(path) = JailPath::parse(FILE) {
            // Without a file, the next kernel embeds again.
            let _ = self.0.restore(&path, file);
        }
    }

    /// Whether this is the sample, which is kept though no tool has it.
    pub fn is_own(key: TextKey) -> bool {
        key == TextKey::of(SENTENCE)
    }

    fn read(&self, model: ModelId) -> Option<VectorIndex> {
        let path = JailPath::parse(FILE).ok()?;
        self.0.size_of(&path).ok().flatten().filter(|bytes| *bytes <= MAX_VECTOR_FILE_BYTES as u64)?;
        VectorIndex::read(&self.0.read_bytes(&path).ok()?, model).ok()
    }
}

fn sample(model: &MemoryModel, is_stopped: &dyn Fn() -> bool) -> Result<Vector, Error> {
    let vectors = model.embed(&[SENTENCE], is_stopped)?;
    vectors.into_iter().next().filter(|vector| vector.dimension() > 0).ok_or_else(|| {
        Error::new(ErrorCode::Config, "The application's embed cannot be used: it returned a zero vector.")
    })
}
