//! Compression to Brotli (RFC 7932): repetitions within a block, and one prefix code for each of its three alphabets. Not as small as
//! what the reference encoder writes, which is larger than all other code for compression together.

use super::brotli_prefix_code::{BitWriter, PrefixCode};
use super::codec_progress::Progress;

/// Bytes that are compressed together. Repetitions do not reach further back.
const BLOCK: usize = 256 << 10;
/// Memory of a stream: a block, its tables, and its output.
pub const ENCODER_BYTES: usize = 5 << 20;
const HASH_BITS: u32 = 15;
const MIN_MATCH: usize = 4;
/// Earlier places that are compared for a repetition.
const CHAIN: usize = 16;
const NONE: u32 = u32::MAX;

const LITERALS: usize = 256;
const COMMANDS: usize = 704;
const DISTANCES: usize = 64;

/// First value and extra bits of each code of an insert length, and of a copy length (section 5).
const INSERTS: [(usize, u32); 24] = [
    (0, 0),
    (1, 0),
    (2, 0),
    (3, 0),
    (4, 0),
    (5, 0),
    (6, 1),
    (8, 1),
    (10, 2),
    (14, 2),
    (18, 3),
    (26, 3),
    (34, 4),
    (50, 4),
    (66, 5),
    (98, 5),
    (130, 6),
    (194, 7),
    (322, 8),
    (578, 9),
    (1090, 10),
    (2114, 12),
    (6210, 14),
    (22594, 24),
];
const COPIES: [(usize, u32); 24] = [
    (2, 0),
    (3, 0),
    (4, 0),
    (5, 0),
    (6, 0),
    (7, 0),
    (8, 0),
    (9, 0),
    (10, 1),
    (12, 1),
    (14, 2),
    (18, 2),
    (22, 3),
    (30, 3),
    (38, 4),
    (54, 4),
    (70, 5),
    (102, 5),
    (134, 6),
    (198, 7),
    (326, 8),
    (582, 9),
    (1094, 10),
    (2118, 24),
];

/// Literals from a place, then a repetition of `copy` bytes from `distance` bytes before; none at the end of a block.
struct Command {
    from: usize,
    insert: usize,
    copy: usize,
    distance: usize,
}

/// One stream: input that waits for a whole block, and output that waits for room.
pub struct BrotliEncoder {
    input: Vec<u8>,
    bits: BitWriter,
    given: usize,
    has_ended: bool,
}

/// What `node:zlib` asks for: `BROTLI_OPERATION_FLUSH` and `BROTLI_OPERATION_FINISH`.
const FLUSH: i32 = 1;
const FINISH: i32 = 2;

impl BrotliEncoder {
    pub fn new() -> Self {
        let mut bits = BitWriter::default();
        // A window of 4 MiB.
        bits.put(0b1011, 4);
        Self { input: Vec::new(), bits, given: 0, has_ended: false }
    }

    /// Compresses one block at most, so that a script can check the time of the run between them.
    pub fn push(&mut self, bytes: &[u8], out: &mut [u8], operation: i32) -> Progress {
        let mut written = self.give(out);
        let mut read = 0;
        if self.waiting() == 0 && !self.has_ended {
            read = bytes.len().min(BLOCK - self.input.len());
            self.input.extend(bytes.iter().take(read));
            let is_all = read == bytes.len();
            if self.input.len() == BLOCK || (is_all && operation >= FLUSH) {
                self.write_block();
            }
            if is_all {
                self.complete(operation);
            }
            written += self.give(out.get_mut(written..).unwrap_or_default());
        }
        [read as u64, written as u64, u64::from(self.has_ended && self.waiting() == 0)]
    }

    fn complete(&mut self, operation: i32) {
        if operation == FLUSH && !self.bits.is_aligned() {
            // A block of metadata without any, which ends at a whole byte.
            self.bits.put(0b00_0110, 6);
            self.bits.align();
        } else if operation == FINISH {
            self.bits.put(0b11, 2);
            self.bits.align();
            self.has_ended = true;
        }
    }

    fn waiting(&self) -> usize {
        self.bits.whole_bytes().len() - self.given
    }

    fn give(&mut self, out: &mut [u8]) -> usize {
        let whole = self.bits.whole_bytes().get(self.given..).unwrap_or_default();
        let count = whole.len().min(out.len());
        for (to, from) in out.iter_mut().zip(whole) {
            *to = *from;
        }
        self.given += count;
        if self.waiting() == 0 {
            self.bits.forget_whole_bytes();
            self.given = 0;
        }
        count
    }

    fn write_block(&mut self) {
        let block = std::mem::take(&mut self.input);
        if block.is_empty() {
            return;
        }
        let commands = commands_of(&block);
        let mut packed = BitWriter::default();
        write_commands(&mut packed, &block, &commands);
        // Not the last block, with a length in 5 digits of 4 bits if 4 are too few.
        self.bits.put(0, 1);
        let (digits, bits) = if block.len() > 1 << 16 { (1, 20) } else { (0, 16) };
        self.bits.put(digits, 2);
        self.bits.put(block.len() as u64 - 1, bits);
        let is_smaller = packed.bit_count() < block.len() * 8;
        self.bits.put(u64::from(!is_smaller), 1);
        if is_smaller {
            self.bits.append(&packed);
        } else {
            self.bits.align();
            block.iter().for_each(|byte| self.bits.put(u64::from(*byte), 8));
        }
    }
}

fn word_at(block: &[u8], at: usize) -> Option<u32> {
    block.get(at..at + MIN_MATCH).and_then(|word| word.try_into().ok()).map(u32::from_le_bytes)
}

/// The commands of a block: at each place the longest repetition among the last places with the same beginning.
fn commands_of(block: &[u8]) -> Vec<Command> {
    let mut heads = vec![NONE; 1 << HASH_BITS];
    let mut earlier = vec![NONE; block.len()];
    let slot = |word: u32| (word.wrapping_mul(0x9e37_79b1) >> (32 - HASH_BITS)) as usize;
    let mut commands = Vec::new();
    let (mut at, mut from) = (0, 0);
    while let Some(word) = word_at(block, at) {
        let (mut copy, mut distance) = (0, 0);
        let mut place = heads.get(slot(word)).copied().unwrap_or(NONE);
        for _ in 0..CHAIN {
            if place == NONE {
                break;
            }
            let start = place as usize;
            let length = same_bytes(block, start, at);
            if length > copy {
                (copy, distance) = (length, at - start);
            }
            place = earlier.get(start).copied().unwrap_or(NONE);
        }
        let step = if copy >= MIN_MATCH { copy } else { 1 };
        for place in at..at + step {
            let Some(word) = word_at(block, place) else { break };
            if let (Some(head), Some(link)) = (heads.get_mut(slot(word)), earlier.get_mut(place)) {
                *link = std::mem::replace(head, u32::try_from(place).unwrap_or(NONE));
            }
        }
        if copy >= MIN_MATCH {
            commands.push(Command { from, insert: at - from, copy, distance });
            from = at + copy;
        }
        at += step;
    }
    if from < block.len() {
        commands.push(Command { from, insert: block.len() - from, copy: 0, distance: 0 });
    }
    commands
}

fn same_bytes(block: &[u8], start: usize, at: usize) -> usize {
    let pairs = block.get(start..).into_iter().flatten().zip(block.get(at..).into_iter().flatten());
    pairs.take_while(|(one, other)| one == other).count()
}

/// The code of a length in a table, and the value of its extra bits.
fn length_code(table: &[(usize, u32); 24], length: usize) -> (usize, u64, u32) {
    let code = table.iter().rposition(|(first, _)| *first <= length).unwrap_or(0);
    let (first, bits) = table.get(code).copied().unwrap_or((0, 0));
    (code, (length.saturating_sub(first)) as u64, bits)
}

/// The symbol of a command, with an explicit distance: cells of 64 by the upper bits of both codes.
fn command_symbol(insert: usize, copy: usize) -> usize {
    const CELLS: [[usize; 3]; 3] = [[128, 192, 384], [256, 320, 512], [448, 576, 640]];
    let cell = CELLS.get(insert / 8).and_then(|row| row.get(copy / 8)).copied().unwrap_or(0);
    cell + (insert % 8) * 8 + copy % 8
}

/// The symbol of a distance, without the last distances, and its extra bits.
fn distance_code(distance: usize) -> (usize, u64, u32) {
    let value = distance + 3;
    let bits = value.ilog2() - 1;
    let half = (value >> bits) & 1;
    (16 + 2 * (bits as usize - 1) + half, (value - ((2 + half) << bits)) as u64, bits)
}

fn write_commands(bits: &mut BitWriter, block: &[u8], commands: &[Command]) {
    let literals = |command: &Command| block.get(command.from..command.from + command.insert).unwrap_or_default();
    let symbol = |command: &Command| {
        command_symbol(length_code(&INSERTS, command.insert).0, length_code(&COPIES, command.copy.max(2)).0)
    };
    let mut literal_code = PrefixCode::new(LITERALS);
    let mut command_code = PrefixCode::new(COMMANDS);
    let mut distance_prefix = PrefixCode::new(DISTANCES);
    for command in commands {
        literals(command).iter().for_each(|byte| literal_code.count(usize::from(*byte)));
        command_code.count(symbol(command));
        if command.copy > 0 {
            distance_prefix.count(distance_code(command.distance).0);
        }
    }
    // One type of block each, no direct distances, one context mode, and one tree each.
    bits.put(0, 13);
    for code in [&mut literal_code, &mut command_code, &mut distance_prefix] {
        code.write(bits);
    }
    for command in commands {
        command_code.put(bits, symbol(command));
        let (_, extra, count) = length_code(&INSERTS, command.insert);
        bits.put(extra, count);
        let (_, extra, count) = length_code(&COPIES, command.copy.max(2));
        bits.put(extra, count);
        literals(command).iter().for_each(|byte| literal_code.put(bits, usize::from(*byte)));
        if command.copy > 0 {
            let (symbol, extra, count) = distance_code(command.distance);
            distance_prefix.put(bits, symbol);
            bits.put(extra, count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::brotli_decoder::BrotliDecoder;
    use super::{BrotliEncoder, FINISH, FLUSH};

    fn packed(input: &[u8], piece: usize, room: usize, operation: i32) -> Vec<u8> {
        let (mut encoder, mut packed, mut out) = (BrotliEncoder::new(), Vec::new(), vec![0; room]);
        let mut push = |bytes: &[u8], operation| {
            let mut rest = bytes;
            loop {
                let [read, written, ended] =
                    encoder.push(rest, &mut out, operation).map(|n| usize::try_from(n).unwrap());
                packed.extend(&out[..written]);
                rest = &rest[read..];
                if ended == 1 || (rest.is_empty() && written < room) {
                    break;
                }
            }
        };
        input.chunks(piece).for_each(|bytes| push(bytes, operation));
        push(&[], FINISH);
        packed
    }

    fn unpacked(packed: &[u8]) -> Vec<u8> {
        let (mut decoder, mut text, mut out, mut rest) = (BrotliDecoder::new(), Vec::new(), vec![0; 1 << 16], packed);
        loop {
            let [read, written, ended] = decoder.push(rest, &mut out).unwrap().map(|n| usize::try_from(n).unwrap());
            text.extend(&out[..written]);
            rest = &rest[read..];
            if ended == 1 {
                assert!(rest.is_empty());
                return text;
            }
            assert!(read + written > 0, "truncated");
        }
    }

    #[test]
    fn what_is_compressed_is_decompressed_again() {
        let mut seed = 1_u32;
        let mut noise = |length: usize, range: u32| -> Vec<u8> {
            (0..length)
                .map(|_| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    u8::try_from((seed >> 16) % range).unwrap()
                })
                .collect()
        };
        let text = "the quick brown fox jumps over the lazy dog, ".repeat(9000).into_bytes();
        let mut inputs: Vec<Vec<u8>> = vec![Vec::new(), b"a".to_vec(), b"abcd".repeat(3), vec![0; 1 << 20], text];
        for range in [1, 2, 3, 5, 17, 200, 256] {
            inputs.extend([7, 300, 70_000, 300_000].map(|length| noise(length, range)));
        }
        for input in &inputs {
            assert_eq!(unpacked(&packed(input, 1 << 30, 1 << 16, 0)), *input, "{}", input.len());
        }
        assert!(packed(&inputs[4], 1 << 30, 1 << 16, 0).len() < inputs[4].len() / 100);
    }

    #[test]
    fn pieces_flushes_and_little_room_do_not_change_the_data() {
        let text = "hello world, ".repeat(500).into_bytes();
        for (piece, room, operation) in [(1, 1, 0), (100, 3, FLUSH), (1000, 64, FLUSH), (7000, 1, 0)] {
            assert_eq!(unpacked(&packed(&text, piece, room, operation)), text, "{piece} {room}");
        }
    }
}
