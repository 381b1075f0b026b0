//! Reading any weights file gives a typed error or a working model.

use super::tiny_model::{WIDTH, body, file, sizes};
use crate::{EmbedError, Embedder};

fn error(file: Vec<u8>) -> Option<EmbedError> {
    Embedder::read(file).err()
}

#[test]
fn a_valid_file_gives_vectors_for_any_text() {
    let model = Embedder::read(file(&sizes(), &body())).unwrap();
    let many = "add taxes ".repeat(1000);
    let vectors = model.embed(&["", "add taxes", "\u{0}\u{fffd}", "🦀", &many]);
    assert!(vectors.iter().all(|vector| vector.dimension() == WIDTH));
    assert_eq!(vectors[0], vectors[2]);
    assert_eq!(model.embed(&[]), []);
}

#[test]
fn a_truncated_file_is_refused_at_any_length() {
    let whole = file(&sizes(), &body());
    for length in 0..whole.len() {
        assert!(error(whole[..length].to_vec()).is_some(), "{length}");
    }
    let mut longer = whole;
    longer.push(0);
    assert_eq!(error(longer), Some(EmbedError::Damaged));
}

#[test]
fn a_changed_byte_is_detected() {
    let whole = file(&sizes(), &body());
    // Bytes between checksum and body are unused.
    for at in (0..48).chain(64..whole.len()) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        assert!(error(damaged).is_some(), "{at}");
    }
}

#[test]
fn foreign_files_and_other_versions_have_their_own_errors() {
    assert_eq!(error(b"PK\x03\x04 and so on".to_vec()), Some(EmbedError::NotWeights));
    assert_eq!(error(Vec::new()), Some(EmbedError::NotWeights));
    let mut other = sizes();
    other[0] = 2;
    assert_eq!(error(file(&other, &body())), Some(EmbedError::Version));
}

#[test]
fn wrong_sizes_are_refused_before_memory_is_allocated() {
    for field in 1..8 {
        for size in [0, 1, 3, 17, 1000, 1 << 16, 1 << 24, u32::MAX / 4, u32::MAX] {
            let mut boastful = sizes();
            if boastful[field] == size {
                continue;
            }
            boastful[field] = size;
            assert_eq!(error(file(&boastful, &body())), Some(EmbedError::Damaged), "{field} {size}");
        }
    }
    // The largest that the header allows would be gigabytes.
    let most = [1, 1 << 16, 1024, 24, 32, 4096, 512, 7];
    assert_eq!(error(file(&most, &body())), Some(EmbedError::Damaged));
}

#[test]
fn numbers_that_are_not_finite_and_incomplete_vocabularies_are_refused() {
    let vocabulary = super::tiny_model::VOCABULARY.len();
    let scales = vocabulary + 7 * WIDTH;
    for bits in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut body = body();
        body[scales..scales + 4].copy_from_slice(&bits.to_le_bytes());
        assert_eq!(error(file(&sizes(), &body)), Some(EmbedError::Damaged));
    }
    for (from, to) in [("[CLS]", "[cls]"), ("[SEP]", "[CLS]"), ("add\n", "add2")] {
        let text = super::tiny_model::VOCABULARY.replace(from, to);
        let mut body = body();
        body[..vocabulary].copy_from_slice(text.as_bytes());
        assert_eq!(error(file(&sizes(), &body)), Some(EmbedError::Damaged), "{from}");
    }
    let mut body = body();
    body[0] = 0xff;
    assert_eq!(error(file(&sizes(), &body)), Some(EmbedError::Damaged), "not UTF-8");
}

#[test]
fn extreme_finite_numbers_do_not_panic() {
    for value in [0.0, -0.0, f32::MAX, f32::MIN, f32::MIN_POSITIVE, 1e30, -1e-30] {
        let vocabulary = super::tiny_model::VOCABULARY.len();
        let mut body = body();
        for at in (vocabulary + 7 * WIDTH..body.len() - 4).step_by(4) {
            body[at..at + 4].copy_from_slice(&value.to_le_bytes());
        }
        if let Ok(model) = Embedder::read(file(&sizes(), &body)) {
            assert_eq!(model.embed(&["add taxes", "add"]).len(), 2, "{value}");
        }
    }
}
