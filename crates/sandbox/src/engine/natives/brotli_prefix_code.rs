//! Bits and prefix codes of a Brotli stream (RFC 7932, section 3).

const MAX_DEPTH: usize = 15;
/// Of the code for the lengths of codes.
const MAX_LENGTH_DEPTH: usize = 5;
const LENGTH_SYMBOLS: usize = 18;
const REPEATED_ZERO: usize = 17;
/// The order in which the lengths of the code for lengths are written, and their own code: bits and how many.
const LENGTH_ORDER: [usize; LENGTH_SYMBOLS] = [1, 2, 3, 4, 0, 5, 17, 6, 16, 7, 8, 9, 10, 11, 12, 13, 14, 15];
const LENGTH_CODES: [(u64, u32); MAX_LENGTH_DEPTH + 1] = [(0, 2), (7, 4), (3, 3), (2, 2), (1, 2), (15, 4)];

/// Bits, the first in the lowest place of a byte.
#[derive(Default)]
pub struct BitWriter {
    bytes: Vec<u8>,
    pending: u64,
    count: u32,
}

impl BitWriter {
    /// Up to 32 bits.
    pub fn put(&mut self, bits: u64, count: u32) {
        self.pending |= bits << self.count;
        self.count += count;
        while self.count >= 8 {
            self.bytes.push((self.pending & 0xff) as u8);
            self.pending >>= 8;
            self.count -= 8;
        }
    }

    pub fn align(&mut self) {
        if !self.is_aligned() {
            self.put(0, 8 - self.count);
        }
    }

    pub fn is_aligned(&self) -> bool {
        self.count == 0
    }

    pub fn append(&mut self, other: &Self) {
        other.bytes.iter().for_each(|byte| self.put(u64::from(*byte), 8));
        self.put(other.pending, other.count);
    }

    pub fn bit_count(&self) -> usize {
        self.bytes.len() * 8 + self.count as usize
    }

    pub fn whole_bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn forget_whole_bytes(&mut self) {
        self.bytes.clear();
    }
}

/// The code of an alphabet: counts of its symbols, then their lengths and bits.
pub struct PrefixCode {
    counts: Vec<u32>,
    codes: Vec<(u64, u32)>,
}

impl PrefixCode {
    pub fn new(symbols: usize) -> Self {
        Self { counts: vec![0; symbols], codes: Vec::new() }
    }

    pub fn count(&mut self, symbol: usize) {
        if let Some(count) = self.counts.get_mut(symbol) {
            *count += 1;
        }
    }

    pub fn put(&self, bits: &mut BitWriter, symbol: usize) {
        let (code, length) = self.codes.get(symbol).copied().unwrap_or((0, 0));
        bits.put(code, length);
    }

    /// Makes the code, and writes its description.
    pub fn write(&mut self, bits: &mut BitWriter) {
        let used = self.counts.iter().filter(|count| **count > 0).count();
        if used < 2 {
            // A simple code of one symbol, which takes no bits.
            let symbol = self.counts.iter().position(|count| *count > 0).unwrap_or(0);
            bits.put(1, 2);
            bits.put(0, 2);
            bits.put(symbol as u64, (self.counts.len() - 1).ilog2() + 1);
            self.codes = vec![(0, 0); self.counts.len()];
            return;
        }
        let depths = depths_of(&self.counts, MAX_DEPTH);
        write_depths(bits, &depths);
        self.codes = codes_of(&depths);
    }
}

/// Lengths of a Huffman code of at most `most` bits. If it is longer, rare symbols are counted as more frequent.
fn depths_of(counts: &[u32], most: usize) -> Vec<usize> {
    let mut least = 1;
    loop {
        let depths = huffman(counts, least);
        if depths.iter().all(|depth| *depth <= most) {
            return depths;
        }
        least *= 2;
    }
}

fn huffman(counts: &[u32], least: u32) -> Vec<usize> {
    // Parents come after their children; the queue is sorted by weight, the smallest last.
    let mut parents = vec![0; counts.len()];
    let used = counts.iter().enumerate().filter(|(_, count)| **count > 0);
    let mut queue: Vec<(u64, usize)> = used.map(|(symbol, count)| (u64::from((*count).max(least)), symbol)).collect();
    queue.sort_unstable_by(|one, other| other.cmp(one));
    while let (Some((one, left)), Some((other, right))) = (queue.pop(), queue.pop()) {
        let (weight, parent) = (one + other, parents.len());
        parents.push(0);
        for child in [left, right] {
            if let Some(entry) = parents.get_mut(child) {
                *entry = parent;
            }
        }
        let at = queue.partition_point(|(queued, _)| *queued > weight);
        queue.insert(at, (weight, parent));
        if queue.len() == 1 {
            break;
        }
    }
    let root = parents.len() - 1;
    let depth = |symbol: usize| {
        let mut node = symbol;
        let mut depth = 0;
        while node != root {
            node = parents.get(node).copied().unwrap_or(root);
            depth += 1;
        }
        depth
    };
    counts.iter().enumerate().map(|(symbol, count)| if *count > 0 { depth(symbol) } else { 0 }).collect()
}

/// Canonical codes: in the order of lengths and symbols; the first bit of a code is written first.
fn codes_of(depths: &[usize]) -> Vec<(u64, u32)> {
    let mut codes = vec![(0, 0); depths.len()];
    let mut next = 0_u64;
    for length in 1..=MAX_DEPTH {
        next <<= 1;
        for (code, _) in codes.iter_mut().zip(depths).filter(|(_, depth)| **depth == length) {
            *code = (next.reverse_bits() >> (64 - length), length as u32);
            next += 1;
        }
    }
    codes
}

/// The lengths of a code as symbols with extra bits: long runs of zeros are repetitions. The rest after the last symbol is left out.
fn runs_of(depths: &[usize]) -> Vec<(usize, u64)> {
    let mut runs = Vec::new();
    let mut zeros = 0_usize;
    for depth in depths {
        if *depth == 0 {
            zeros += 1;
            continue;
        }
        if zeros < 3 {
            runs.extend((0..zeros).map(|_| (0, 0)));
        } else {
            // Each further repetition multiplies those before it.
            let mut digits = Vec::new();
            let mut rest = zeros - 3;
            loop {
                digits.push((REPEATED_ZERO, (rest & 7) as u64));
                rest >>= 3;
                if rest == 0 {
                    break;
                }
                rest -= 1;
            }
            runs.extend(digits.into_iter().rev());
        }
        zeros = 0;
        runs.push((*depth, 0));
    }
    runs
}

fn write_depths(bits: &mut BitWriter, depths: &[usize]) {
    let runs = runs_of(depths);
    let mut counts = vec![0; LENGTH_SYMBOLS];
    for (symbol, _) in &runs {
        if let Some(count) = counts.get_mut(*symbol) {
            *count += 1;
        }
    }
    let is_single = counts.iter().filter(|count| **count > 0).count() == 1;
    let lengths: Vec<usize> = if is_single {
        counts.iter().map(|count| usize::from(*count > 0)).collect()
    } else {
        depths_of(&counts, MAX_LENGTH_DEPTH)
    };
    let length_of = |symbol: &usize| lengths.get(*symbol).copied().unwrap_or(0);
    let last = LENGTH_ORDER.iter().rposition(|symbol| length_of(symbol) > 0).unwrap_or(0);
    let shown = if is_single { LENGTH_SYMBOLS } else { last + 1 };
    bits.put(0, 2);
    for symbol in LENGTH_ORDER.iter().take(shown) {
        let (code, count) = LENGTH_CODES.get(length_of(symbol)).copied().unwrap_or((0, 2));
        bits.put(code, count);
    }
    let codes = codes_of(&lengths);
    for (symbol, extra) in runs {
        if !is_single {
            let (code, length) = codes.get(symbol).copied().unwrap_or((0, 0));
            bits.put(code, length);
        }
        if symbol == REPEATED_ZERO {
            bits.put(extra, 3);
        }
    }
}
