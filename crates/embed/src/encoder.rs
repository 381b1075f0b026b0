//! The transformer encoder: tokens of several texts in, one row of numbers per token out.

use super::attention::Attention;
use super::elementwise::{add_and_norm, gelu};
use super::model_file::{Layer, Model, Norm};
use super::packed::Packed;
use super::wordpiece::Token;

/// Buffers of a forward pass.
#[derive(Default)]
pub struct Encoder {
    /// One row per token of all texts.
    states: Vec<f32>,
    packed: Packed,
    wide: Vec<f32>,
    narrow: Vec<f32>,
    attention: Attention,
}

impl Encoder {
    /// Returns a row of `model.width` numbers for every token, text after text.
    pub fn encode(&mut self, model: &Model, texts: &[Vec<Token>]) -> &[f32] {
        self.states.clear();
        for text in texts {
            for (token, position) in text.iter().zip(model.positions.chunks_exact(model.width)) {
                begin_row(model, *token, position, &mut self.states);
            }
        }
        for layer in &model.layers {
            self.attend(model, layer, texts);
            self.feed_forward(model, layer);
        }
        &self.states
    }

    fn attend(&mut self, model: &Model, layer: &Layer, texts: &[Vec<Token>]) {
        self.packed.fill(&self.states, model.width);
        layer.mix.apply(&model.file, &self.packed, &mut self.wide);
        self.narrow.resize(self.states.len(), 0.0);
        let (mut mixed, mut context) = (self.wide.as_slice(), self.narrow.as_mut_slice());
        for text in texts {
            let count = text.len() * model.width;
            let (Some((own, others)), Some((out, rest))) =
                (mixed.split_at_checked(3 * count), context.split_at_mut_checked(count))
            else {
                return;
            };
            self.attention.apply(own, out, model.width);
            (mixed, context) = (others, rest);
        }
        self.packed.fill(&self.narrow, model.width);
        layer.join.apply(&model.file, &self.packed, &mut self.narrow);
        norm_rows(&mut self.states, &self.narrow, &layer.join_norm);
    }

    fn feed_forward(&mut self, model: &Model, layer: &Layer) {
        self.packed.fill(&self.states, model.width);
        layer.widen.apply(&model.file, &self.packed, &mut self.wide);
        gelu(&mut self.wide);
        self.packed.fill(&self.wide, layer.widen.bias.len());
        layer.narrow.apply(&model.file, &self.packed, &mut self.narrow);
        norm_rows(&mut self.states, &self.narrow, &layer.narrow_norm);
    }
}

/// Adds the input row of a token: its word and position embeddings, normalised.
fn begin_row(model: &Model, token: Token, position: &[f32], states: &mut Vec<f32>) {
    let at = states.len();
    let rows = model.file.get(model.word_rows.clone()).unwrap_or_default();
    let word = rows.chunks_exact(model.width).nth(token.into()).unwrap_or_default();
    let scale = model.word_scales.get(usize::from(token)).copied().unwrap_or_default();
    states.extend(word.iter().map(|byte| f32::from(*byte as i8) * scale));
    states.resize(at + model.width, 0.0);
    if let Some(row) = states.get_mut(at..) {
        add_and_norm(row, position, &model.norm.weight, &model.norm.bias);
    }
}

fn norm_rows(rows: &mut [f32], others: &[f32], norm: &Norm) {
    let width = norm.weight.len();
    for (row, other) in rows.chunks_exact_mut(width).zip(others.chunks_exact(width)) {
        add_and_norm(row, other, &norm.weight, &norm.bias);
    }
}
