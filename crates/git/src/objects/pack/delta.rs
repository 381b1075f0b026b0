//! Git deltas.

/// The sizes in the header of a delta, and its instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DeltaSizes<'d> {
    pub(crate) base: u64,
    pub(crate) result: u64,
    instructions: &'d [u8],
}

impl<'d> DeltaSizes<'d> {
    pub(crate) fn read(delta: &'d [u8]) -> Option<Self> {
        let (base, rest) = number(delta)?;
        let (result, instructions) = number(rest)?;
        Some(Self { base, result, instructions })
    }
}

/// Applies `delta` to `base`. `None` if it is invalid, does not match, or the result would be larger than `most`.
pub(crate) fn apply(base: &[u8], delta: &[u8], most: u64) -> Option<Vec<u8>> {
    let sizes = DeltaSizes::read(delta)?;
    if sizes.base != base.len() as u64 || sizes.result > most {
        return None;
    }
    let size = usize::try_from(sizes.result).ok()?;
    let mut result = Vec::with_capacity(size);
    let mut rest = sizes.instructions;
    while let Some((instruction, after)) = rest.split_first() {
        let part;
        if instruction & 128 != 0 {
            let (start, after) = operand(after, *instruction, 4)?;
            let (length, after) = operand(after, instruction >> 4, 3)?;
            let length = if length == 0 { 0x10000 } else { length };
            part = base.get(start..start.checked_add(length)?)?;
            rest = after;
        } else {
            // Zero is reserved.
            let length = usize::from(*instruction);
            (part, rest) = after.split_at_checked(length).filter(|_| length > 0)?;
        }
        if result.len() + part.len() > size {
            return None;
        }
        result.extend_from_slice(part);
    }
    (result.len() == size).then_some(result)
}

/// A little-endian number of up to `most` bytes; the bits of `present` mark the encoded bytes.
fn operand(mut bytes: &[u8], present: u8, most: u8) -> Option<(usize, &[u8])> {
    let mut number = 0;
    for index in 0..most {
        if present & 1 << index != 0 {
            let (byte, rest) = bytes.split_first()?;
            number |= usize::from(*byte) << (8 * index);
            bytes = rest;
        }
    }
    Some((number, bytes))
}

fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut number = 0;
    for (index, byte) in bytes.iter().enumerate().take(8) {
        number |= u64::from(byte & 127) << (7 * index);
        if byte & 128 == 0 {
            return Some((number, bytes.get(index + 1..)?));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::apply;

    #[test]
    fn copy_and_insert_instructions_are_applied() {
        // 10 bytes in, 8 out: three from place 2, "xyz", two from place 0.
        let delta = [10, 8, 0x91, 2, 3, 3, b'x', b'y', b'z', 0x90, 2];
        assert_eq!(apply(b"0123456789", &delta, 8).unwrap(), b"234xyz01");
        assert_eq!(apply(b"0123456789", &delta, 7), None, "too large");
        assert_eq!(apply(b"012345678", &delta, 8), None, "another base");
        for length in 0..delta.len() {
            assert_eq!(apply(b"0123456789", &delta[..length], 8), None);
        }
    }

    #[test]
    fn invalid_deltas_are_refused() {
        for delta in [
            [1, 5, 0x90, 2].as_slice(),
            &[1, 1, 0x91, 1, 1],
            &[1, 1, 0],
            &[1, 1, 2, b'a', b'b'],
            &[1, 1, 0x80],
            &[1, 1, 0xff, 255, 255, 255, 255, 255, 255, 255],
            &[0xff; 40],
            &[],
        ] {
            assert_eq!(apply(b"0", delta, 1 << 20), None, "{delta:?}");
        }
        let whole = vec![7; 0x10000];
        assert_eq!(apply(&whole, &[0x80, 0x80, 4, 0x80, 0x80, 4, 0x80], 1 << 20).unwrap(), whole);
    }
}
