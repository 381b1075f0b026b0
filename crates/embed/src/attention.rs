//! Multi-head self-attention over the tokens of one text.

use super::elementwise::softmax;
use multiversion::multiversion;

/// Numbers per head, in every model of the family.
pub const HEAD: usize = 32;

/// SIMD lanes. Rows of tokens are padded with zeros to a multiple of it.
const LANES: usize = 16;

/// Buffers that are reused between texts.
#[derive(Default)]
pub struct Attention {
    /// Transposed: all tokens' first numbers, then all second ones.
    keys: Vec<f32>,
    /// Token by token.
    values: Vec<f32>,
    scores: Vec<f32>,
}

impl Attention {
    /// `mixed` holds query, key and value of each token, one after the other; `context` receives the attention output. Rows of
    /// `context` are a third as wide.
    pub fn apply(&mut self, mixed: &[f32], context: &mut [f32], width: usize) {
        let heads = width / HEAD;
        let tokens = context.len() / width.max(1);
        let padded = tokens.next_multiple_of(LANES);
        for list in [&mut self.keys, &mut self.values] {
            list.clear();
            list.resize(HEAD * padded, 0.0);
        }
        self.scores.resize(padded, 0.0);
        let (parts, _) = mixed.as_chunks::<HEAD>();
        let (contexts, _) = context.as_chunks_mut::<HEAD>();
        for head in 0..heads {
            // The same head of every token: its query (0), key (1) or value (2).
            let of = |part: usize| parts.iter().skip(part * heads + head).step_by(3 * heads);
            for (token, key) in of(1).enumerate() {
                for (row, number) in self.keys.chunks_exact_mut(padded).zip(key) {
                    if let Some(place) = row.get_mut(token) {
                        *place = *number;
                    }
                }
            }
            for (place, value) in self.values.as_chunks_mut().0.iter_mut().zip(of(2)) {
                *place = *value;
            }
            for (query, context) in of(0).zip(contexts.iter_mut().skip(head).step_by(heads)) {
                *context = attend(query, &self.keys, &self.values, &mut self.scores, tokens);
            }
        }
    }
}

/// The attention output of one token: all values, weighted by how well their keys match the query.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl+avx512vnni", "x86_64+avx2"))]
fn attend(query: &[f32; HEAD], keys: &[f32], values: &[f32], scores: &mut [f32], tokens: usize) -> [f32; HEAD] {
    scores.fill(0.0);
    add_rows(scores, query, keys);
    if let Some((own, filling)) = scores.split_at_mut_checked(tokens) {
        softmax(own, 1.0 / (HEAD as f32).sqrt());
        filling.fill(0.0);
    }
    let mut taken = [0.0; HEAD];
    add_rows(&mut taken, scores, values);
    taken
}

/// Adds rows to `sums`, each times its factor; four rows at a time, so that sums are loaded and stored less often.
#[inline(always)]
fn add_rows(sums: &mut [f32], factors: &[f32], rows: &[f32]) {
    let width = sums.len().max(1);
    for ([a, b, c, d], rows) in factors.as_chunks::<4>().0.iter().zip(rows.chunks_exact(4 * width)) {
        let (front, back) = rows.split_at(2 * width);
        let (first, second) = front.split_at(width);
        let (third, fourth) = back.split_at(width);
        let rows = lanes(first).zip(lanes(second)).zip(lanes(third)).zip(lanes(fourth));
        for (sums, (((first, second), third), fourth)) in sums.as_chunks_mut::<LANES>().0.iter_mut().zip(rows) {
            let numbers = first.iter().zip(second).zip(third).zip(fourth);
            for (sum, (((first, second), third), fourth)) in sums.iter_mut().zip(numbers) {
                *sum = *sum + a * first + b * second + c * third + d * fourth;
            }
        }
    }
}

#[inline(always)]
fn lanes(row: &[f32]) -> impl Iterator<Item = &[f32; LANES]> {
    row.as_chunks().0.iter()
}

#[cfg(test)]
mod tests {
    use super::{Attention, HEAD};

    /// The textbook formula.
    fn plain(mixed: &[f32], tokens: usize, width: usize) -> Vec<f32> {
        let at = |token: usize, part: usize, column: usize| mixed[token * 3 * width + part * width + column];
        let mut context = vec![0.0; tokens * width];
        for head in 0..width / HEAD {
            let columns = head * HEAD..(head + 1) * HEAD;
            for token in 0..tokens {
                let scores: Vec<f32> = (0..tokens)
                    .map(|other| columns.clone().map(|c| at(token, 0, c) * at(other, 1, c)).sum::<f32>() / 32f32.sqrt())
                    .map(f32::exp)
                    .collect();
                let all: f32 = scores.iter().sum();
                for column in columns.clone() {
                    context[token * width + column] =
                        (0..tokens).map(|other| scores[other] / all * at(other, 2, column)).sum();
                }
            }
        }
        context
    }

    #[test]
    fn attention_matches_the_formula() {
        let mut attention = Attention::default();
        for tokens in [1, 2, 7, 20] {
            let width = 3 * HEAD;
            let mixed: Vec<f32> = (0..tokens * 3 * width).map(|at| ((at * 31 % 97) as f32 - 48.0) / 60.0).collect();
            let mut context = vec![0.0; tokens * width];
            attention.apply(&mixed, &mut context, width);
            let expected = plain(&mixed, tokens, width);
            assert!(context.iter().zip(&expected).all(|(left, right)| (left - right).abs() < 1e-5), "{tokens}");
        }
    }
}
