//! Comparison with the reference: the tokenizer of Hugging Face, and the f32 model in candle.
//!
//! `__test__/fixtures/embed/README.md` describes how the expected values were made.

use super::{real_model, real_weights};
use crate::model_file::Model;
use crate::vector::Vector;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;

const TOKENS: &str = include_str!("../../../../__test__/fixtures/embed/tokens.jsonl");
const VECTORS: &str = include_str!("../../../../__test__/fixtures/embed/vectors.jsonl");

#[derive(Deserialize)]
struct Tokenised {
    text: String,
    tokens: Vec<u16>,
}

#[derive(Deserialize)]
struct Embedded {
    text: String,
    /// 384 signed bytes.
    vector: String,
}

fn lines<T: for<'a> Deserialize<'a>>(text: &str) -> Vec<T> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn original(vector: &str) -> Vector {
    let bytes = BASE64_STANDARD.decode(vector).unwrap();
    Vector::from_rounded(bytes.iter().map(|byte| *byte as i8).collect()).unwrap()
}

#[test]
fn tokens_match_the_reference_tokenizer() {
    let Some(weights) = real_weights() else { return };
    let model = Model::read(weights).unwrap();
    let cases: Vec<Tokenised> = lines(TOKENS);
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let tokens = model.words.tokens(&case.text, 256);
            (tokens != case.tokens).then(|| format!("{:?}: {tokens:?} instead of {:?}", case.text, case.tokens))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong[..wrong.len().min(20)].join("\n"));
}

#[test]
fn quantised_vectors_match_the_reference() {
    let Some(model) = real_model() else { return };
    let cases: Vec<Embedded> = lines(VECTORS);
    let texts: Vec<&str> = cases.iter().map(|case| case.text.as_str()).collect();
    let vectors = model.embed(&texts);
    let cosines: Vec<f32> =
        vectors.iter().zip(&cases).map(|(vector, case)| vector.cosine(&original(&case.vector))).collect();
    let mean = cosines.iter().sum::<f32>() / cosines.len() as f32;
    let worst = cosines.iter().copied().fold(1.0, f32::min);
    assert!(mean > 0.99 && worst > 0.98, "mean {mean}, worst {worst}");
    // A text has the same vector alone and in a batch.
    for (text, vector) in texts.iter().zip(&vectors) {
        assert_eq!(model.embed(&[text])[0], *vector, "{text}");
    }
}

#[test]
fn the_same_text_gives_the_same_vector_on_every_machine() {
    let Some(model) = real_model() else { return };
    let texts = ["convert a currency amount", "Währungen umrechnen", "東京", ""];
    let mut hasher = blake3::Hasher::new();
    for vector in model.embed(&texts) {
        hasher.update(&vector.rounded().iter().map(|number| *number as u8).collect::<Vec<u8>>());
    }
    assert_eq!(hasher.finalize().to_hex().as_str(), "77bc3ee01301f3f77f5d59905de8b9cdec397cd210818b9aacffc839a7fd1844");
}
