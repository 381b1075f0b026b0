//! A model of a few kilobytes, whose file can be tested in thousands of damaged versions.

use crate::checksum::checksum;

pub const VOCABULARY: &str = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nadd\ntax\n##es\n";
pub const WIDTH: usize = 32;
const INNER: usize = 16;
const POSITIONS: usize = 8;
const LAYERS: usize = 2;

/// The numbers of the header, in order.
pub fn sizes() -> Vec<u32> {
    [1, VOCABULARY.lines().count(), WIDTH, LAYERS, 1, INNER, POSITIONS, VOCABULARY.len()]
        .map(|size| size as u32)
        .to_vec()
}

pub fn body() -> Vec<u8> {
    let words = VOCABULARY.lines().count();
    let mut body = VOCABULARY.as_bytes().to_vec();
    let mut seed = 7u32;
    let mut next = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 24) as u8
    };
    let mut bytes = |body: &mut Vec<u8>, count: usize| body.extend((0..count).map(|_| next()));
    let floats = |body: &mut Vec<u8>, count: usize, value: f32| {
        body.extend(std::iter::repeat_n(value.to_le_bytes(), count).flatten());
    };
    bytes(&mut body, words * WIDTH);
    floats(&mut body, words, 0.01);
    floats(&mut body, POSITIONS * WIDTH, 0.02);
    floats(&mut body, 2 * WIDTH, 0.5);
    for _ in 0..LAYERS {
        for (inputs, outputs) in [(WIDTH, 3 * WIDTH), (WIDTH, WIDTH), (WIDTH, INNER), (INNER, WIDTH)] {
            bytes(&mut body, inputs * outputs);
            floats(&mut body, 2 * outputs, 0.01);
            if outputs == WIDTH {
                floats(&mut body, 2 * WIDTH, 0.5);
            }
        }
    }
    body
}

/// A file with a matching checksum, whatever else is wrong with it.
pub fn file(sizes: &[u32], body: &[u8]) -> Vec<u8> {
    let mut file = b"TGPEMBED".to_vec();
    file.extend(sizes.iter().flat_map(|size| size.to_le_bytes()));
    file.extend(checksum(body).to_le_bytes());
    file.resize(64, 0);
    file.extend_from_slice(body);
    file
}
