//! Property tests with random inputs for parsers of hostile text (`fuzz_tests.rs` of the parts, `npm run fuzz`).
//!
//! A short run uses the same inputs every time. A failing input is shrunk, printed, and stored as a seed in
//! `proptest-regressions/`, which every later run tries first.

use proptest::collection::vec;
use proptest::prelude::any;
use proptest::sample::select;
use proptest::strategy::{Strategy, Union};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::time::{Duration, Instant};

/// Inputs of a short run.
const CASES: u32 = 500;
/// Inputs of a long run between two checks of the time.
const LONG_CASES: u32 = 2_000;

/// Fails if `holds` panics for any of `inputs`. `source` is `file!()`, which locates the seeds. `TGP_FUZZ_SECONDS` selects a
/// long run with different inputs each time; `TGP_FUZZ_CASES` sets the number of inputs of a short run.
pub fn for_all<S: Strategy>(source: &'static str, inputs: &S, holds: impl Fn(S::Value)) {
    let long = env_number("TGP_FUZZ_SECONDS").map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let cases = env_number("TGP_FUZZ_CASES").and_then(|cases| u32::try_from(cases).ok());
    let config = Config {
        cases: cases.unwrap_or(if long.is_some() { LONG_CASES } else { CASES }),
        source_file: Some(source),
        ..Config::default()
    };
    let mut runner = match long {
        Some(_) => TestRunner::new(config),
        None => TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha)),
    };
    loop {
        let tried = runner.run(inputs, |input| {
            holds(input);
            Ok(())
        });
        assert!(tried.is_ok(), "{}", tried.err().map(|failure| failure.to_string()).unwrap_or_default());
        if long.is_none_or(|end| Instant::now() >= end) {
            return;
        }
    }
}

/// Texts composed of pieces and random characters.
pub fn texts(pieces: &'static [&'static str], most: usize) -> impl Strategy<Value = String> {
    let piece = Union::new_weighted(vec![
        (9, select(pieces).prop_map(str::to_owned).boxed()),
        (1, any::<char>().prop_map(String::from).boxed()),
    ]);
    vec(piece, 0..=most).prop_map(|parts| parts.concat())
}

#[expect(clippy::disallowed_methods, reason = "the environment sets the length of a fuzz run")]
fn env_number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}
