//! Elementwise functions and row reductions of the model: GELU, softmax, layer normalisation.
//!
//! Sums use sixteen lanes that are then added, so that the compiler can use wide registers while every machine adds in the same
//! order.

use multiversion::multiversion;

const LANES: usize = 16;
/// Adding it to a small number leaves the nearest integer in the lowest bits.
const ROUNDING: f32 = 12_582_912.0;
/// Below this the exponential is zero in f32.
const MIN_EXPONENT: f32 = -87.0;

/// GELU: half of `x`, times one plus the error function of `x / √2`.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl+avx512vnni", "x86_64+avx2"))]
pub fn gelu(numbers: &mut [f32]) {
    for number in numbers {
        *number = 0.5 * *number * (1.0 + error_function(*number * std::f32::consts::FRAC_1_SQRT_2));
    }
}

/// Softmax of a row of scores, each times `scale`.
#[inline(always)]
pub fn softmax(scores: &mut [f32], scale: f32) {
    let most = maximum(scores, |score| score);
    for score in &mut *scores {
        *score = exponential((*score - most) * scale);
    }
    let share = 1.0 / sum(scores, |score| score);
    for score in scores {
        *score *= share;
    }
}

/// Adds `other` to `row`, then applies layer normalisation with `weight` and `bias`.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl+avx512vnni", "x86_64+avx2"))]
pub fn add_and_norm(row: &mut [f32], other: &[f32], weight: &[f32], bias: &[f32]) {
    const MIN_SPREAD: f32 = 1e-12;
    for (number, other) in row.iter_mut().zip(other) {
        *number += other;
    }
    let count = row.len() as f32;
    let mean = sum(row, |number| number) / count;
    let spread = sum(row, |number| (number - mean) * (number - mean)) / count;
    let factor = 1.0 / (spread + MIN_SPREAD).sqrt();
    for ((number, weight), bias) in row.iter_mut().zip(weight).zip(bias) {
        *number = (*number - mean) * factor * weight + bias;
    }
}

#[inline(always)]
pub fn sum(numbers: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let (chunks, tail) = numbers.as_chunks::<LANES>();
    let mut lanes = [0f32; LANES];
    for chunk in chunks {
        for (lane, number) in lanes.iter_mut().zip(chunk) {
            *lane += of(*number);
        }
    }
    lanes.iter().sum::<f32>() + tail.iter().map(|number| of(*number)).sum::<f32>()
}

/// The maximum; `f32::MIN` for an empty slice.
#[inline(always)]
pub fn maximum(numbers: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    // Not `f32::max`: its handling of NaN makes it slower.
    let larger = |left: f32, right: f32| if left > right { left } else { right };
    let (chunks, tail) = numbers.as_chunks::<LANES>();
    let mut lanes = [f32::MIN; LANES];
    for chunk in chunks {
        for (lane, number) in lanes.iter_mut().zip(chunk) {
            *lane = larger(of(*number), *lane);
        }
    }
    let joined = lanes.iter().fold(f32::MIN, |most, lane| larger(*lane, most));
    tail.iter().fold(joined, |most, number| larger(of(*number), most))
}

/// Abramowitz and Stegun, 7.1.26; error below 2e-7.
#[inline(always)]
fn error_function(x: f32) -> f32 {
    let size = x.abs();
    let t = 1.0 / (1.0 + 0.327_591_1 * size);
    let series = ((((1.061_405_4 * t - 1.453_152) * t + 1.421_413_7) * t - 0.284_496_74) * t + 0.254_829_6) * t;
    (1.0 - series * exponential(-size * size)).copysign(x)
}

/// The exponential of numbers that are not positive.
#[inline(always)]
fn exponential(x: f32) -> f32 {
    const HALF_BITS: u32 = 127;
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let x = if x > MIN_EXPONENT { x } else { MIN_EXPONENT };
    let rounded = x * std::f32::consts::LOG2_E + ROUNDING;
    let twos = rounded - ROUNDING;
    let rest = (x - twos * LN_2_HIGH) - twos * LN_2_LOW;
    let series =
        ((((rest * 0.008_333_333 + 0.041_666_668) * rest + 0.166_666_67) * rest + 0.5) * rest + 1.0) * rest + 1.0;
    series * f32::from_bits(rounded.to_bits().wrapping_add(HALF_BITS) << 23)
}

#[cfg(test)]
mod tests {
    use super::{add_and_norm, error_function, exponential, gelu, softmax};

    #[test]
    fn the_exponential_has_f32_precision() {
        for step in 0..87_000 {
            let x = -f64::from(step) / 1000.0;
            let off = (f64::from(exponential(x as f32)) - f64::from(x as f32).exp()).abs() / x.exp();
            assert!(off < 5e-6, "{x}: {off}");
        }
        assert!(exponential(f32::NEG_INFINITY) < 1e-37);
    }

    #[test]
    fn the_error_function_and_gelu_match_known_values() {
        for (x, expected) in [(0.0, 0.0), (0.5, 0.520_499_9), (1.0, 0.842_700_8), (2.0, 0.995_322_3), (9.0, 1.0)] {
            assert!((error_function(x) - expected).abs() < 1e-6, "{x}");
            assert!((error_function(-x) + expected).abs() < 1e-6, "{x}");
        }
        let mut numbers = [-1.0, 0.0, 1.0, 3.0];
        gelu(&mut numbers);
        for (number, expected) in numbers.iter().zip([-0.158_655_25, 0.0, 0.841_344_8, 2.995_950_2]) {
            assert!((number - expected).abs() < 1e-6, "{number}");
        }
    }

    #[test]
    fn softmax_sums_to_one_for_any_range_of_scores() {
        let mut scores = [1000.0, -1000.0, 1000.0, 999.0];
        softmax(&mut scores, 1.0);
        assert!((scores.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!((scores[3] / scores[0] - (-1f32).exp()).abs() < 1e-6 && scores[1] < 1e-30);
    }

    #[test]
    fn a_normalised_row_has_mean_zero_and_variance_one() {
        let mut row: Vec<f32> = (0..40).map(|at| at as f32).collect();
        add_and_norm(&mut row, &[1.0; 40], &[1.0; 40], &[0.0; 40]);
        let spread: f32 = row.iter().map(|number| number * number).sum::<f32>() / 40.0;
        assert!(row.iter().sum::<f32>().abs() < 1e-4 && (spread - 1.0).abs() < 1e-5);
    }
}
