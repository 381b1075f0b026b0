//! A linear layer: one matrix of the model.

use super::packed::Packed;
use super::tile::{OUTPUTS, Sums, Weights};
use multiversion::multiversion;
use multiversion::target::match_target;
use std::ops::Range;

/// A matrix with one row per output. Its weights stay in the model file's buffer.
pub struct Linear {
    pub weights: Range<usize>,
    pub scales: Vec<f32>,
    pub bias: Vec<f32>,
}

impl Linear {
    /// Writes the outputs of every row of `input`, row by row.
    pub fn apply(&self, file: &[u8], input: &Packed, output: &mut Vec<f32>) {
        // Every number is overwritten below, so old contents need no clearing.
        output.resize(input.rows() * self.scales.len(), 0.0);
        let weights = file.get(self.weights.clone()).unwrap_or_default();
        let panels = self.scales.as_chunks::<OUTPUTS>().0.iter().zip(self.bias.as_chunks::<OUTPUTS>().0);
        let weights = weights.as_chunks().0.chunks_exact(input.pairs().max(1));
        // The weights of sixteen outputs stay in the cache for all tokens.
        for (panel, (weights, (scales, bias))) in weights.zip(panels).enumerate() {
            let place = Place { panel, width: self.scales.len(), scales, bias };
            multiply(weights, input, &place, output);
        }
    }
}

/// The destination of a panel's outputs, and the scales and bias for its sums.
struct Place<'a> {
    panel: usize,
    width: usize,
    scales: &'a [f32; OUTPUTS],
    bias: &'a [f32; OUTPUTS],
}

#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl+avx512vnni", "x86_64+avx2", "x86_64+sse4.1"))]
fn multiply(weights: &[Weights], input: &Packed, place: &Place<'_>, output: &mut [f32]) {
    let mut rows = output.chunks_exact_mut(place.width);
    for block in input.blocks() {
        macro_rules! tiles {
            ($tile:path) => {
                match block.groups {
                    1 => put::<1>($tile(weights, block.values.as_chunks().0), block.scales, place, &mut rows),
                    2 => put::<2>($tile(weights, block.values.as_chunks().0), block.scales, place, &mut rows),
                    _ => put::<3>($tile(weights, block.values.as_chunks().0), block.scales, place, &mut rows),
                }
            };
        }
        match_target! {
            "x86_64+avx512f+avx512bw+avx512vl+avx512vnni" => tiles!(super::tile_x86::tile_vnni),
            "x86_64+avx2" => tiles!(super::tile_x86::tile_avx2),
            "x86_64+sse4.1" => tiles!(super::tile_x86::tile_sse4),
            _ => tiles!(super::tile::tile_plain),
        }
    }
}

/// Writes the sums of a block as floats: times the scales of token and output, plus the bias.
#[inline(always)]
fn put<'a, const GROUPS: usize>(
    sums: [Sums; GROUPS],
    tokens: &[f32],
    place: &Place<'_>,
    rows: &mut impl Iterator<Item = &'a mut [f32]>,
) {
    let (scales, bias) = (*place.scales, *place.bias);
    for ((sums, token), row) in sums.as_flattened().iter().zip(tokens).zip(rows) {
        let mut numbers = [0f32; OUTPUTS];
        for (((number, sum), scale), bias) in numbers.iter_mut().zip(sums).zip(&scales).zip(&bias) {
            *number = *sum as f32 * (token * scale) + bias;
        }
        if let Some(outputs) = row.as_chunks_mut().0.get_mut(place.panel) {
            *outputs = numbers;
        }
    }
}
