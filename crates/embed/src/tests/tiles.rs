//! All versions of the matrix kernel give the same sums, and a linear layer matches the formula.

use crate::linear::Linear;
use crate::packed::Packed;
use crate::tile::{Pairs, Sums, Weights, tile_plain};
use multiversion::multiversion;
use multiversion::target::match_target;

#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl+avx512vnni"))]
fn widest(weights: &[Weights], block: &[[Pairs; 3]]) -> [Sums; 3] {
    match_target! {
        "x86_64+avx512f+avx512bw+avx512vl+avx512vnni" => crate::tile_x86::tile_vnni(weights, block),
        _ => tile_plain(weights, block),
    }
}

#[multiversion(targets("x86_64+avx2"))]
fn wide(weights: &[Weights], block: &[[Pairs; 3]]) -> [Sums; 3] {
    match_target! {
        "x86_64+avx2" => crate::tile_x86::tile_avx2(weights, block),
        _ => tile_plain(weights, block),
    }
}

#[multiversion(targets("x86_64+sse4.1"))]
fn narrow(weights: &[Weights], block: &[[Pairs; 3]]) -> [Sums; 3] {
    match_target! {
        "x86_64+sse4.1" => crate::tile_x86::tile_sse4(weights, block),
        _ => tile_plain(weights, block),
    }
}

/// A deterministic pseudo-random generator.
fn chance(seed: &mut u32) -> u32 {
    *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    *seed >> 8
}

#[test]
fn all_kernels_give_the_same_sums() {
    let mut seed = 1;
    for pairs in [0, 1, 2, 16, 192] {
        let weights: Vec<Weights> = (0..pairs).map(|_| std::array::from_fn(|_| chance(&mut seed) as u8)).collect();
        let block: Vec<[Pairs; 3]> = (0..pairs)
            .map(|_| std::array::from_fn(|_| std::array::from_fn(|_| (chance(&mut seed) << 8 | 0x55) as i32)))
            .collect();
        let expected = tile_plain(&weights, &block);
        assert_eq!(widest(&weights, &block), expected, "AVX-512, {pairs}");
        assert_eq!(wide(&weights, &block), expected, "AVX2, {pairs}");
        assert_eq!(narrow(&weights, &block), expected, "SSE4.1, {pairs}");
    }
}

#[test]
fn the_largest_numbers_do_not_overflow() {
    let (inputs, outputs) = (1536, 16);
    let weights = vec![127u8; inputs * outputs];
    let linear = Linear { weights: 0..weights.len(), scales: vec![1.0; outputs], bias: vec![0.0; outputs] };
    let mut packed = Packed::default();
    packed.fill(&vec![-1.0; inputs], inputs);
    let mut output = Vec::new();
    linear.apply(&weights, &packed, &mut output);
    let expected = -127.0 * inputs as f32;
    assert!(output.iter().all(|number| (number / expected - 1.0).abs() < 1e-3), "{output:?}");
}

#[test]
fn a_linear_layer_matches_the_formula_for_any_number_of_tokens() {
    let (inputs, outputs) = (64, 48);
    let mut seed = 3;
    let rows: Vec<Vec<i8>> =
        (0..outputs).map(|_| (0..inputs).map(|_| (chance(&mut seed) % 255) as i8).collect()).collect();
    let mut file = Vec::new();
    for panel in rows.chunks(16) {
        for input in (0..inputs).step_by(2) {
            file.extend(panel.iter().flat_map(|row| [row[input] as u8, row[input + 1] as u8]));
        }
    }
    let scales: Vec<f32> = (0..outputs).map(|at| 0.001 * (at + 1) as f32).collect();
    let bias: Vec<f32> = (0..outputs).map(|at| at as f32 - 20.0).collect();
    let linear = Linear { weights: 0..file.len(), scales: scales.clone(), bias: bias.clone() };
    let (mut packed, mut output) = (Packed::default(), vec![9.0; 3]);
    for tokens in [1, 4, 5, 8, 12, 13, 16, 17, 30] {
        let input: Vec<f32> = (0..tokens * inputs).map(|_| (chance(&mut seed) % 2001) as f32 / 100.0 - 10.0).collect();
        packed.fill(&input, inputs);
        linear.apply(&file, &packed, &mut output);
        assert_eq!(output.len(), tokens * outputs);
        for (token, numbers) in input.chunks(inputs).enumerate() {
            for (at, row) in rows.iter().enumerate() {
                let sum: f32 = numbers.iter().zip(row).map(|(number, weight)| number * f32::from(*weight)).sum();
                let expected = sum * scales[at] + bias[at];
                let off = (output[token * outputs + at] - expected).abs();
                assert!(off < 0.02, "{tokens} tokens, token {token}, output {at}: off by {off}");
            }
        }
    }
}
