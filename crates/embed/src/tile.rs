//! The integer matrix kernel: sixteen outputs of a few tokens at once.
//!
//! On x86 the compiler does not find the instruction that multiplies and adds pairs, so `tile_x86.rs` uses intrinsics. On
//! ARM it vectorises this code well. All versions give the same sums.

/// Outputs per tile.
pub const OUTPUTS: usize = 16;
/// Tokens per group.
pub const TOKENS: usize = 4;

/// Two inputs of sixteen outputs: output by output, two signed bytes each.
pub type Weights = [u8; 2 * OUTPUTS];
/// Two inputs of four tokens: the first in the lower half of each number, the second in the upper.
pub type Pairs = [i32; TOKENS];
/// The outputs of four tokens.
pub type Sums = [[i32; OUTPUTS]; TOKENS];

/// The sums of every group, one group at a time: more sums do not fit into the registers.
#[inline]
pub fn tile_plain<const GROUPS: usize>(weights: &[Weights], block: &[[Pairs; GROUPS]]) -> [Sums; GROUPS] {
    std::array::from_fn(|group| {
        let mut sums = [[0; OUTPUTS]; TOKENS];
        for (weights, block) in weights.iter().zip(block) {
            let Some(pairs) = block.get(group) else { break };
            for (sums, pair) in sums.iter_mut().zip(pairs) {
                let (first, second) = (i32::from(*pair as i16), pair >> 16);
                for (sum, [left, right]) in sums.iter_mut().zip(weights.as_chunks::<2>().0) {
                    *sum += first * i32::from(*left as i8) + second * i32::from(*right as i8);
                }
            }
        }
        sums
    })
}
