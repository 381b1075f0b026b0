//! Input rows packed for the tile kernels: quantised to 16 bits with a scale per row, in blocks of a few tokens.

use super::elementwise::maximum;
use super::tile::{Pairs, TOKENS};
use multiversion::multiversion;

/// The most groups of a block.
pub const MAX_GROUPS: usize = 3;
/// The largest absolute weight.
const MAX_WEIGHT: usize = 127;
/// Adding it to a small number leaves the nearest integer in the lowest bits.
const ROUNDING: f32 = 12_582_912.0;

/// Packed rows of even width. The memory is reused.
#[derive(Default)]
pub struct Packed {
    values: Vec<i32>,
    scales: Vec<f32>,
    pairs: usize,
    row: Vec<[i32; TOKENS]>,
}

/// Tokens that a tile processes together.
pub struct Block<'a> {
    pub groups: usize,
    /// The pairs of each group, two inputs at a time.
    pub values: &'a [Pairs],
    /// One scale per token; the last group may be padded with zeros.
    pub scales: &'a [f32],
}

impl Packed {
    /// Replaces the contents by rows of `width` numbers.
    pub fn fill(&mut self, rows: &[f32], width: usize) {
        self.pairs = width / 2;
        self.scales.clear();
        self.values.clear();
        self.values.resize((rows.len() / width.max(1)).next_multiple_of(TOKENS) * self.pairs, 0);
        self.row.clear();
        self.row.resize(self.pairs, [0; TOKENS]);
        let mut values = self.values.as_chunks_mut::<TOKENS>().0;
        let mut rest = rows;
        for groups in plan(rows.len() / width.max(1)) {
            let Some((block, others)) = values.split_at_mut_checked(groups * self.pairs) else { return };
            values = others;
            for group in 0..groups {
                let (own, others) = rest.split_at_checked(TOKENS * width).unwrap_or((rest, &[]));
                rest = others;
                self.row.fill([0; TOKENS]);
                for (token, numbers) in own.chunks_exact(width).enumerate() {
                    self.scales.push(round_row(numbers, largest_input(width), token, &mut self.row));
                }
                for (place, pairs) in block.iter_mut().skip(group).step_by(groups).zip(&self.row) {
                    *place = *pairs;
                }
            }
        }
    }

    pub fn rows(&self) -> usize {
        self.scales.len()
    }

    pub fn pairs(&self) -> usize {
        self.pairs
    }

    pub fn blocks(&self) -> impl Iterator<Item = Block<'_>> {
        let mut values = self.values.as_chunks::<TOKENS>().0;
        let mut scales = self.scales.as_slice();
        plan(self.scales.len()).map_while(move |groups| {
            let (own, others) = values.split_at_checked(groups * self.pairs)?;
            let (own_scales, other_scales) = scales.split_at(scales.len().min(groups * TOKENS));
            (values, scales) = (others, other_scales);
            Some(Block { groups, values: own, scales: own_scales })
        })
    }
}

/// Group counts of the blocks: three each, as long as no single group remains.
fn plan(tokens: usize) -> impl Iterator<Item = usize> {
    let mut left = tokens.div_ceil(TOKENS);
    std::iter::from_fn(move || {
        let groups = match left {
            0 => return None,
            2 | 4 => 2,
            1 => 1,
            _ => MAX_GROUPS,
        };
        left -= groups;
        Some(groups)
    })
}

/// The largest quantised input for which a sum of `width` products fits into 32 bits.
fn largest_input(width: usize) -> f32 {
    let most = i32::MAX as usize / (MAX_WEIGHT * width.max(1));
    most.min(i16::MAX as usize) as f32
}

/// Writes a quantised row into place `token` of each group and returns its scale.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl+avx512vnni", "x86_64+avx2"))]
fn round_row(numbers: &[f32], largest: f32, token: usize, row: &mut [[i32; TOKENS]]) -> f32 {
    let most = maximum(numbers, f32::abs);
    // A row of zeros, or with a NaN, stays zero.
    if most <= 0.0 || !most.is_finite() {
        return 0.0;
    }
    let factor = largest / most;
    for (place, [first, second]) in row.iter_mut().zip(numbers.as_chunks::<2>().0) {
        let [first, second] = [first, second].map(|number| (number * factor + ROUNDING).to_bits() & 0xffff);
        if let Some(place) = place.get_mut(token) {
            *place = (first | second << 16) as i32;
        }
    }
    most / largest
}

#[cfg(test)]
mod tests {
    use super::{Packed, plan};

    #[test]
    fn the_plan_covers_every_token() {
        for tokens in 0..100 {
            let groups: Vec<usize> = plan(tokens).collect();
            assert_eq!(groups.iter().sum::<usize>(), tokens.div_ceil(4), "{tokens}");
            assert!(groups.iter().filter(|groups| **groups == 1).count() <= usize::from(tokens <= 4));
        }
    }

    #[test]
    fn rows_round_trip_up_to_rounding() {
        let width = 6;
        let rows: Vec<f32> = (0..width * 15).map(|at| ((at * 37 % 101) as f32 - 50.0) / 7.0).collect();
        let mut packed = Packed::default();
        packed.fill(&rows, width);
        let mut back = Vec::new();
        for block in packed.blocks() {
            for (token, scale) in block.scales.iter().enumerate() {
                for pair in 0..packed.pairs() {
                    let value = block.values[pair * block.groups + token / 4][token % 4];
                    back.extend([f32::from(value as i16) * scale, (value >> 16) as f32 * scale]);
                }
            }
        }
        assert_eq!(back.len(), rows.len());
        assert!(back.iter().zip(&rows).all(|(back, row)| (back - row).abs() < 0.001), "{back:?}");
    }

    #[test]
    fn rows_that_are_not_finite_count_as_zero() {
        let mut packed = Packed::default();
        packed.fill(&[f32::NAN, 1.0, f32::INFINITY, 0.0, 0.0, 0.0], 2);
        let block = packed.blocks().next().unwrap();
        assert_eq!(block.scales[1..], [0.0, 0.0]);
    }
}
