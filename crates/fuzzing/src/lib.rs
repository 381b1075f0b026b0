//! Random inputs for tests of what reads hostile text (`fuzz_tests.rs` of the parts, `npm run fuzz`).
//!
//! A short run tries the same inputs every time. An input that fails is shrunk, shown, and kept as a seed below
//! `proptest-regressions/`, which every later run tries first.

use proptest::collection::vec;
use proptest::prelude::any;
use proptest::sample::select;
use proptest::strategy::{Strategy, Union};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::time::{Duration, Instant};

/// Inputs of a short run.
const CASES: u32 = 500;
/// Inputs of a long run between two looks at the clock.
const LONG_CASES: u32 = 2_000;

/// Fails where `holds` panics for one of `inputs`. `source` is `file!()`, by which seeds are kept. `TGP_FUZZ_SECONDS` makes the run
/// a long one with other inputs each time, `TGP_FUZZ_CASES` sets how many a short one tries.
pub fn for_all<S: Strategy>(source: &'static str, inputs: &S, holds: impl Fn(S::Value)) {
    let long = asked("TGP_FUZZ_SECONDS").map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let cases = asked("TGP_FUZZ_CASES").and_then(|cases| u32::try_from(cases).ok());
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

/// Texts put together from pieces, with a letter of any kind here and there.
pub fn texts(pieces: &'static [&'static str], most: usize) -> impl Strategy<Value = String> {
    let piece = Union::new_weighted(vec![
        (9, select(pieces).prop_map(str::to_owned).boxed()),
        (1, any::<char>().prop_map(String::from).boxed()),
    ]);
    vec(piece, 0..=most).prop_map(|parts| parts.concat())
}

#[expect(clippy::disallowed_methods, reason = "a person says how long a test may search")]
fn asked(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}
