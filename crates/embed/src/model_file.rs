//! The weights file, written by `scripts/memory_model_file.mjs`. Reading it allocates no more memory than the file's size, and
//! every size in it is checked against its length before use.

use super::attention::HEAD;
use super::checksum::checksum;
use super::embed_error::EmbedError;
use super::linear::Linear;
use super::tile::OUTPUTS;
use super::wordpiece::WordPiece;
use std::ops::Range;

/// Larger files are rejected.
pub const MAX_MODEL_BYTES: usize = 64 << 20;

const MAGIC: &[u8; 8] = b"TGPEMBED";
const VERSION: u32 = 1;
const HEADER_BYTES: usize = 64;
/// Offset of the checksum in the header.
const CHECKSUM: usize = 40;

const MAX_WORDS: usize = 1 << 16;
const MAX_WIDTH: usize = 1024;
const MAX_LAYERS: usize = 24;
const MAX_INNER: usize = 4096;
const MAX_POSITIONS: usize = 512;
const MAX_VOCABULARY_BYTES: usize = 4 << 20;

/// Identifies the weights that a vector was made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ModelId(pub u64);

/// Weight and bias of a layer normalisation.
pub struct Norm {
    pub weight: Vec<f32>,
    pub bias: Vec<f32>,
}

pub struct Layer {
    /// Queries, keys and values side by side.
    pub mix: Linear,
    pub join: Linear,
    pub join_norm: Norm,
    pub widen: Linear,
    pub narrow: Linear,
    pub narrow_norm: Norm,
}

/// A model. Its large matrices stay in the file's buffer.
pub struct Model {
    pub file: Vec<u8>,
    pub id: ModelId,
    pub words: WordPiece,
    pub width: usize,
    pub word_rows: Range<usize>,
    pub word_scales: Vec<f32>,
    /// One row per position.
    pub positions: Vec<f32>,
    pub norm: Norm,
    pub layers: Vec<Layer>,
}

/// The validated sizes of a header.
struct Sizes {
    words: usize,
    width: usize,
    layers: usize,
    inner: usize,
    positions: usize,
    vocabulary: usize,
}

impl Model {
    pub fn read(file: Vec<u8>) -> Result<Self, EmbedError> {
        if file.get(..MAGIC.len()) != Some(MAGIC) {
            return Err(EmbedError::NotWeights);
        }
        let sizes = Sizes::read(&file)?;
        let body = file.get(HEADER_BYTES..).ok_or(EmbedError::Damaged)?;
        let expected = file.get(CHECKSUM..).and_then(<[u8]>::first_chunk).ok_or(EmbedError::Damaged)?;
        let sum = u64::from_le_bytes(*expected);
        if checksum(body) != sum {
            return Err(EmbedError::Damaged);
        }
        let mut parts = Parts { file: &file, at: HEADER_BYTES };
        let vocabulary = parts.bytes(sizes.vocabulary)?;
        let vocabulary = file.get(vocabulary).and_then(|bytes| std::str::from_utf8(bytes).ok());
        let words = vocabulary.and_then(|text| WordPiece::new(text, sizes.words)).ok_or(EmbedError::Damaged)?;
        let word_rows = parts.bytes(sizes.words * sizes.width)?;
        let word_scales = parts.floats(sizes.words)?;
        let positions = parts.floats(sizes.positions * sizes.width)?;
        let norm = parts.norm(sizes.width)?;
        let layers = (0..sizes.layers).map(|_| parts.layer(&sizes)).collect::<Result<_, _>>()?;
        if parts.at != file.len() {
            return Err(EmbedError::Damaged);
        }
        Ok(Self { id: ModelId(sum), words, width: sizes.width, word_rows, word_scales, positions, norm, layers, file })
    }
}

impl Sizes {
    fn read(file: &[u8]) -> Result<Self, EmbedError> {
        let numbers = file.get(MAGIC.len()..CHECKSUM).ok_or(EmbedError::Damaged)?.as_chunks::<4>().0;
        let numbers: Vec<u32> = numbers.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
        let [version, sizes @ ..] = numbers.as_slice() else { return Err(EmbedError::Damaged) };
        if *version != VERSION {
            return Err(EmbedError::Version);
        }
        let sizes: Vec<usize> = sizes.iter().map(|size| *size as usize).collect();
        let [words, width, layers, heads, inner, positions, vocabulary] = *sizes.as_slice() else {
            return Err(EmbedError::Damaged);
        };
        let fits = |size: usize, most: usize| (1..=most).contains(&size);
        let is_possible = fits(words, MAX_WORDS)
            && fits(width, MAX_WIDTH)
            && fits(layers, MAX_LAYERS)
            && fits(inner, MAX_INNER)
            && fits(positions, MAX_POSITIONS)
            && fits(vocabulary, MAX_VOCABULARY_BYTES)
            && fits(heads, MAX_WIDTH)
            && width == heads * HEAD
            && inner % OUTPUTS == 0;
        if is_possible {
            Ok(Self { words, width, layers, inner, positions, vocabulary })
        } else {
            Err(EmbedError::Damaged)
        }
    }
}

/// A sequential reader of the file.
struct Parts<'a> {
    file: &'a [u8],
    at: usize,
}

impl Parts<'_> {
    fn bytes(&mut self, count: usize) -> Result<Range<usize>, EmbedError> {
        let end = self.at.checked_add(count).filter(|end| *end <= self.file.len()).ok_or(EmbedError::Damaged)?;
        Ok(std::mem::replace(&mut self.at, end)..end)
    }

    /// Reads finite numbers.
    fn floats(&mut self, count: usize) -> Result<Vec<f32>, EmbedError> {
        let range = self.bytes(count.checked_mul(4).ok_or(EmbedError::Damaged)?)?;
        let bytes = self.file.get(range).unwrap_or_default();
        let numbers: Vec<f32> = bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        if numbers.iter().all(|number| number.is_finite()) { Ok(numbers) } else { Err(EmbedError::Damaged) }
    }

    fn norm(&mut self, width: usize) -> Result<Norm, EmbedError> {
        Ok(Norm { weight: self.floats(width)?, bias: self.floats(width)? })
    }

    fn linear(&mut self, inputs: usize, outputs: usize) -> Result<Linear, EmbedError> {
        let weights = self.bytes(inputs * outputs)?;
        Ok(Linear { weights, scales: self.floats(outputs)?, bias: self.floats(outputs)? })
    }

    fn layer(&mut self, sizes: &Sizes) -> Result<Layer, EmbedError> {
        let Sizes { width, inner, .. } = *sizes;
        Ok(Layer {
            mix: self.linear(width, 3 * width)?,
            join: self.linear(width, width)?,
            join_norm: self.norm(width)?,
            widen: self.linear(width, inner)?,
            narrow: self.linear(inner, width)?,
            narrow_norm: self.norm(width)?,
        })
    }
}
