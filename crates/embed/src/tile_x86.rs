//! The matrix kernel for x86 with AVX-512 VNNI, AVX2 or SSE4.1.
//!
//! Plain loops without closures: the compiler would not inline closures into functions with target features.

use super::tile::{OUTPUTS, Pairs, Sums, TOKENS, Weights};
use std::arch::x86_64::{
    __m128i, __m256i, __m512i, _mm_add_epi32, _mm_cvtepi8_epi16, _mm_cvtsi128_si64, _mm_madd_epi16, _mm_set_epi64x,
    _mm_set1_epi32, _mm_setzero_si128, _mm_unpackhi_epi64, _mm256_add_epi32, _mm256_castsi256_si128,
    _mm256_cvtepi8_epi16, _mm256_extracti128_si256, _mm256_madd_epi16, _mm256_set_epi64x, _mm256_set1_epi32,
    _mm256_setzero_si256, _mm512_castsi512_si256, _mm512_cvtepi8_epi16, _mm512_dpwssd_epi32, _mm512_extracti64x4_epi64,
    _mm512_set1_epi32, _mm512_setzero_si512,
};

/// All groups at once: twelve sums keep both multipliers of the processor busy.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
#[inline]
pub fn tile_vnni<const GROUPS: usize>(weights: &[Weights], block: &[[Pairs; GROUPS]]) -> [Sums; GROUPS] {
    let mut sums = [[_mm512_setzero_si512(); TOKENS]; GROUPS];
    for (weights, block) in weights.iter().zip(block) {
        let [a, b, c, d] = words(weights);
        let weights = _mm512_cvtepi8_epi16(_mm256_set_epi64x(d, c, b, a));
        for (sums, pairs) in sums.iter_mut().zip(block) {
            for (sum, pair) in sums.iter_mut().zip(pairs) {
                *sum = _mm512_dpwssd_epi32(*sum, _mm512_set1_epi32(*pair), weights);
            }
        }
    }
    let mut outputs = [[[0; OUTPUTS]; TOKENS]; GROUPS];
    for (outputs, sum) in outputs.as_flattened_mut().iter_mut().zip(sums.as_flattened()) {
        *outputs = lanes_512(*sum);
    }
    outputs
}

/// Group by group: more sums do not fit into the registers.
#[target_feature(enable = "avx2")]
#[inline]
pub fn tile_avx2<const GROUPS: usize>(weights: &[Weights], block: &[[Pairs; GROUPS]]) -> [Sums; GROUPS] {
    let mut outputs = [[[0; OUTPUTS]; TOKENS]; GROUPS];
    for (group, outputs) in outputs.iter_mut().enumerate() {
        let mut sums = [[_mm256_setzero_si256(); 2]; TOKENS];
        for (weights, block) in weights.iter().zip(block) {
            let [low, high] = halves(weights);
            let (low, high) = (_mm256_cvtepi8_epi16(low), _mm256_cvtepi8_epi16(high));
            let Some(pairs) = block.get(group) else { break };
            for ([left, right], pair) in sums.iter_mut().zip(pairs) {
                let pair = _mm256_set1_epi32(*pair);
                *left = _mm256_add_epi32(*left, _mm256_madd_epi16(pair, low));
                *right = _mm256_add_epi32(*right, _mm256_madd_epi16(pair, high));
            }
        }
        for (outputs, [left, right]) in outputs.iter_mut().zip(sums) {
            *outputs = joined_8(lanes_256(left), lanes_256(right));
        }
    }
    outputs
}

/// Half of the outputs at a time, for the same reason.
#[target_feature(enable = "sse4.1")]
#[inline]
pub fn tile_sse4<const GROUPS: usize>(weights: &[Weights], block: &[[Pairs; GROUPS]]) -> [Sums; GROUPS] {
    let mut outputs = [[[0; OUTPUTS]; TOKENS]; GROUPS];
    for (group, outputs) in outputs.iter_mut().enumerate() {
        for side in 0..2 {
            let mut sums = [[_mm_setzero_si128(); 2]; TOKENS];
            for (weights, block) in weights.iter().zip(block) {
                let [low, high] = halves(weights);
                let half = if side == 0 { low } else { high };
                let (low, high) = (_mm_cvtepi8_epi16(half), _mm_cvtepi8_epi16(_mm_unpackhi_epi64(half, half)));
                let Some(pairs) = block.get(group) else { break };
                for ([left, right], pair) in sums.iter_mut().zip(pairs) {
                    let pair = _mm_set1_epi32(*pair);
                    *left = _mm_add_epi32(*left, _mm_madd_epi16(pair, low));
                    *right = _mm_add_epi32(*right, _mm_madd_epi16(pair, high));
                }
            }
            for (outputs, [left, right]) in outputs.iter_mut().zip(sums) {
                if let Some(outputs) = outputs.as_chunks_mut().0.get_mut(side) {
                    *outputs = joined_4(lanes_128(left), lanes_128(right));
                }
            }
        }
    }
    outputs
}

#[inline(always)]
fn words(weights: &Weights) -> [i64; 4] {
    let [a, b, c, d] = weights.as_chunks::<8>().0 else { return [0; 4] };
    [i64::from_le_bytes(*a), i64::from_le_bytes(*b), i64::from_le_bytes(*c), i64::from_le_bytes(*d)]
}

#[target_feature(enable = "sse2")]
#[inline]
fn halves(weights: &Weights) -> [__m128i; 2] {
    let [a, b, c, d] = words(weights);
    [_mm_set_epi64x(b, a), _mm_set_epi64x(d, c)]
}

#[target_feature(enable = "avx512f")]
#[inline]
fn lanes_512(sum: __m512i) -> [i32; 16] {
    joined_8(lanes_256(_mm512_castsi512_si256(sum)), lanes_256(_mm512_extracti64x4_epi64::<1>(sum)))
}

#[target_feature(enable = "avx2")]
#[inline]
fn lanes_256(sum: __m256i) -> [i32; 8] {
    joined_4(lanes_128(_mm256_castsi256_si128(sum)), lanes_128(_mm256_extracti128_si256::<1>(sum)))
}

#[target_feature(enable = "sse2")]
#[inline]
fn lanes_128(sum: __m128i) -> [i32; 4] {
    let low = _mm_cvtsi128_si64(sum);
    let high = _mm_cvtsi128_si64(_mm_unpackhi_epi64(sum, sum));
    [low as i32, (low >> 32) as i32, high as i32, (high >> 32) as i32]
}

#[inline(always)]
fn joined_4([a, b, c, d]: [i32; 4], [e, f, g, h]: [i32; 4]) -> [i32; 8] {
    [a, b, c, d, e, f, g, h]
}

#[inline(always)]
fn joined_8([a, b, c, d, e, f, g, h]: [i32; 8], [i, j, k, l, m, n, o, p]: [i32; 8]) -> [i32; 16] {
    [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]
}
