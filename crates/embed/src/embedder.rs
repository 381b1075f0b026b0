//! The embedder: texts in, vectors out.

use super::embed_error::EmbedError;
use super::encoder::Encoder;
use super::model_file::{Model, ModelId};
use super::vector::Vector;
use super::wordpiece::Token;

/// Longer texts are truncated. The model itself reads 256 tokens, about a kilobyte.
pub const MAX_TEXT_BYTES: usize = 16 << 10;

/// Tokens per batch: larger batches use the weights better, smaller ones need less memory.
const BATCH_TOKENS: usize = 128;

/// A loaded model. It takes the size of its file plus two megabytes, and can be shared between threads.
pub struct Embedder {
    model: Model,
}

impl Embedder {
    /// Reads a file of weights.
    pub fn read(file: Vec<u8>) -> Result<Self, EmbedError> {
        Ok(Self { model: Model::read(file)? })
    }

    #[must_use]
    pub fn id(&self) -> ModelId {
        self.model.id
    }

    /// Numbers per vector.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.model.width
    }

    /// The vectors of texts, in order. Takes some milliseconds of CPU time per text.
    #[must_use]
    pub fn embed(&self, texts: &[&str]) -> Vec<Vector> {
        let mut encoder = Encoder::default();
        let mut vectors = Vec::with_capacity(texts.len());
        let mut batch: Vec<Vec<Token>> = Vec::new();
        let mut tokens = 0;
        for text in texts {
            let text = self.tokens(text);
            if tokens + text.len() > BATCH_TOKENS {
                self.embed_batch(&mut encoder, &batch, &mut vectors);
                batch.clear();
                tokens = 0;
            }
            tokens += text.len();
            batch.push(text);
        }
        self.embed_batch(&mut encoder, &batch, &mut vectors);
        vectors
    }

    fn tokens(&self, text: &str) -> Vec<Token> {
        let text = text.get(..text.floor_char_boundary(MAX_TEXT_BYTES)).unwrap_or(text);
        self.model.words.tokens(text, self.model.positions.len() / self.model.width)
    }

    /// The vector of a text is the mean of its tokens' rows.
    fn embed_batch(&self, encoder: &mut Encoder, batch: &[Vec<Token>], vectors: &mut Vec<Vector>) {
        let mut rows = encoder.encode(&self.model, batch).chunks_exact(self.model.width);
        for text in batch {
            let mut mean = vec![0f32; self.model.width];
            for row in rows.by_ref().take(text.len()) {
                for (sum, number) in mean.iter_mut().zip(row) {
                    *sum += number;
                }
            }
            vectors.push(Vector::of(&mean).unwrap_or_default());
        }
    }
}
