//! AES for the realm's `crypto.subtle` and for `node:crypto`. The state of a cipher is in buffers that guests cannot reach, so that
//! it counts towards the run's memory; a script passes long data on in pieces, so that the run's time is checked between them.

use super::booking::copy_text;
use super::callback::{Arguments, Returned, guarded};
use super::native_bytes::{bytes_of, room_of};
use aes::cipher::{BlockDecrypt, BlockEncrypt, KeyInit};
use aes::{Aes128, Aes192, Aes256, Block};
use ghash::GHash;
use ghash::universal_hash::UniversalHash;

const BLOCK: usize = 16;
/// Blocks that the counter mode encrypts at once.
const LANES: usize = 8;

/// A key with its schedule.
enum AesKey {
    Short(Aes128),
    Middle(Aes192),
    Long(Aes256),
}

impl AesKey {
    fn new(bytes: &[u8]) -> Option<Self> {
        match bytes.len() {
            16 => Aes128::new_from_slice(bytes).ok().map(Self::Short),
            24 => Aes192::new_from_slice(bytes).ok().map(Self::Middle),
            _ => Aes256::new_from_slice(bytes).ok().map(Self::Long),
        }
    }

    fn encrypt(&self, blocks: &mut [Block]) {
        match self {
            Self::Short(key) => key.encrypt_blocks(blocks),
            Self::Middle(key) => key.encrypt_blocks(blocks),
            Self::Long(key) => key.encrypt_blocks(blocks),
        }
    }

    fn decrypt(&self, block: &mut Block) {
        match self {
            Self::Short(key) => key.decrypt_block(block),
            Self::Middle(key) => key.decrypt_block(block),
            Self::Long(key) => key.decrypt_block(block),
        }
    }
}

/// `aes(mode, key, state, bytes, out, used, bits)`: `ecb` and `cbc` (`ecb-decrypt`, `cbc-decrypt`) take whole blocks. `ctr` takes
/// any bytes: `used` is how many of the current block's it has taken before, `bits` the length of the counter; returns the next
/// `used`. Undefined if the key has the wrong length.
pub fn aes(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((mode, _booked)) = copy_text(scope, arguments.get(0), 1) else { return };
        let used = arguments.get(5).uint32_value(scope).unwrap_or(0) as usize % BLOCK;
        let bits = arguments.get(6).uint32_value(scope).unwrap_or(128);
        let (Some(key), Some(state)) = (bytes_of(arguments.get(1)).and_then(AesKey::new), room_of(arguments.get(2)))
        else {
            return;
        };
        let (Some(bytes), Some(out)) = (bytes_of(arguments.get(3)), room_of(arguments.get(4))) else { return };
        let Ok(state) = <&mut [u8; BLOCK]>::try_from(state) else { return };
        let next = if mode == "ctr" {
            count(&key, state, bytes, out, used, bits)
        } else {
            for (input, output) in bytes.chunks_exact(BLOCK).zip(out.chunks_exact_mut(BLOCK)) {
                one_block(&mode, &key, state, input, output);
            }
            0
        };
        returned.set_uint32(u32::try_from(next).unwrap_or(0));
    });
}

/// `ghash(key, sum, bytes, used, ends)`: the sum of GCM over more bytes. `used` is as above; at an end, an incomplete block is filled
/// with zeros. Returns the next `used`; undefined if the key has the wrong length.
pub fn ghash(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let used = arguments.get(3).uint32_value(scope).unwrap_or(0) as usize % BLOCK;
        let ends = arguments.get(4).is_true();
        let (Some(key), Some(sum)) = (bytes_of(arguments.get(0)).and_then(AesKey::new), room_of(arguments.get(1)))
        else {
            return;
        };
        let Some(bytes) = bytes_of(arguments.get(2)) else { return };
        let Ok(sum) = <&mut [u8; BLOCK]>::try_from(sum) else { return };
        let mut factor = [Block::default()];
        key.encrypt(&mut factor);
        let [factor] = factor;
        returned.set_uint32(u32::try_from(absorb(&factor, sum, bytes, used, ends)).unwrap_or(0));
    });
}

fn one_block(mode: &str, key: &AesKey, state: &mut [u8; BLOCK], input: &[u8], output: &mut [u8]) {
    let mut block = [Block::clone_from_slice(input)];
    match mode {
        "ecb" => key.encrypt(&mut block),
        "cbc" => {
            xor(&mut block[0], state);
            key.encrypt(&mut block);
            state.copy_from_slice(&block[0]);
        }
        _ => {
            key.decrypt(&mut block[0]);
            if mode == "cbc-decrypt" {
                xor(&mut block[0], state);
                state.copy_from_slice(input);
            }
        }
    }
    output.copy_from_slice(&block[0]);
}

fn xor(target: &mut [u8], other: &[u8]) {
    for (byte, with) in target.iter_mut().zip(other) {
        *byte ^= with;
    }
}

fn count(key: &AesKey, state: &mut [u8; BLOCK], bytes: &[u8], out: &mut [u8], used: usize, bits: u32) -> usize {
    // The upper bits of the counter block stay.
    let mask = if bits >= 128 { u128::MAX } else { (1 << bits) - 1 };
    let counter = u128::from_be_bytes(*state);
    let at = |blocks: u128| (counter & !mask) | (counter.wrapping_add(blocks) & mask);
    let mut done = 0_u128;
    let mut stream = [Block::default(); LANES];
    let mut used = used;
    let (mut bytes, mut out) = (bytes, out);
    while !bytes.is_empty() && !out.is_empty() {
        for (lane, ahead) in stream.iter_mut().zip(0..) {
            lane.copy_from_slice(&at(done.wrapping_add(ahead)).to_be_bytes());
        }
        key.encrypt(&mut stream);
        let taken = (LANES * BLOCK - used).min(bytes.len()).min(out.len());
        let (Some((input, more)), Some((output, room))) =
            (bytes.split_at_checked(taken), out.split_at_mut_checked(taken))
        else {
            break;
        };
        for ((from, to), mask) in input.iter().zip(output).zip(stream.iter().flatten().skip(used)) {
            *to = from ^ mask;
        }
        (bytes, out) = (more, room);
        let end = used + taken;
        done = done.wrapping_add((end / BLOCK) as u128);
        used = end % BLOCK;
    }
    *state = at(done).to_be_bytes();
    used
}

fn absorb(factor: &Block, sum: &mut [u8; BLOCK], bytes: &[u8], used: usize, ends: bool) -> usize {
    let multiply = |sum: &mut [u8; BLOCK]| {
        let mut hash = GHash::new(factor);
        hash.update(&[(*sum).into()]);
        *sum = hash.finalize().into();
    };
    let (first, rest) = bytes.split_at_checked(if used == 0 { 0 } else { BLOCK - used }).unwrap_or((bytes, &[]));
    xor(sum.get_mut(used..).unwrap_or_default(), first);
    let mut used = used + first.len();
    if used == BLOCK {
        multiply(sum);
        used = 0;
    }
    let blocks = rest.chunks_exact(BLOCK);
    let last = blocks.remainder();
    if blocks.len() > 0 {
        // A sum so far is continued by adding it to the next block.
        let mut hash = GHash::new(factor);
        for block in blocks {
            let mut block = Block::clone_from_slice(block);
            xor(&mut block, sum);
            *sum = [0; BLOCK];
            hash.update(&[block]);
        }
        *sum = hash.finalize().into();
    }
    xor(sum, last);
    used += last.len();
    if ends && used > 0 {
        multiply(sum);
        used = 0;
    }
    used
}

#[cfg(test)]
mod tests {
    use super::{AesKey, BLOCK, absorb, count};
    use aes::Block;

    #[test]
    fn the_counter_wraps_within_its_bits_and_pieces_of_any_size_give_the_same_bytes() {
        let key = AesKey::new(&[7; 16]).unwrap();
        for (bits, start) in [(1, [0xff; BLOCK]), (32, [0xff; BLOCK]), (64, [3; BLOCK]), (128, [0xff; BLOCK])] {
            let (mut whole, mut state) = ([0; 300], start);
            count(&key, &mut state, &[0; 300], &mut whole, 0, bits);
            for piece in [1, 15, 16, 17, 128, 129] {
                let (mut used, mut again, mut out) = (0, start, Vec::new());
                for input in [0; 300].chunks(piece) {
                    let mut part = vec![0; input.len()];
                    used = count(&key, &mut again, input, &mut part, used, bits);
                    out.extend(part);
                }
                assert_eq!((out.as_slice(), again), (&whole[..], state), "{bits} {piece}");
            }
            // The same keystream twice, if the counter has one bit.
            assert_eq!(whole[..32] == whole[32..64], bits == 1);
        }
    }

    #[test]
    fn the_sum_of_pieces_of_any_size_is_the_same() {
        let factor = Block::clone_from_slice(&[9; BLOCK]);
        let bytes: Vec<u8> = (0..=255).collect();
        let mut whole = [0; BLOCK];
        absorb(&factor, &mut whole, &bytes[..250], 0, true);
        for piece in [1, 7, 15, 16, 17, 100] {
            let (mut sum, mut used) = ([0; BLOCK], 0);
            for part in bytes[..250].chunks(piece) {
                used = absorb(&factor, &mut sum, part, used, false);
            }
            absorb(&factor, &mut sum, &[], used, true);
            assert_eq!(sum, whole, "{piece}");
        }
    }
}
