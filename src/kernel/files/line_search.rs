//! Substring search over lines (Knuth-Morris-Pratt), in linear time whatever repeats.

/// The remaining work budget, in compared lines. The cost of a change depends on how often lines repeat, so a crafted
/// text could take minutes without it.
pub struct Effort(u64);

/// About half a second.
const MAX_COMPARISONS: u64 = 200_000_000;

/// The work budget is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exhausted;

impl Default for Effort {
    fn default() -> Self {
        Self(MAX_COMPARISONS)
    }
}

impl Effort {
    pub fn spend(&mut self, comparisons: usize) -> Result<(), Exhausted> {
        self.0 = self.0.checked_sub(comparisons as u64).ok_or(Exhausted)?;
        Ok(())
    }
}

/// The positions at which `wanted` occurs in `lines`, overlapping ones included.
pub fn occurrences<'a>(wanted: &'a [u32], lines: impl Iterator<Item = u32> + 'a) -> impl Iterator<Item = usize> + 'a {
    let borders = borders(wanted);
    let mut matched = 0;
    lines.enumerate().filter_map(move |(at, line)| {
        matched = advance(wanted, &borders, matched, line);
        (matched == wanted.len() && matched > 0).then(|| at + 1 - matched)
    })
}

/// For each prefix of `wanted`, the length of its longest proper prefix that is also its suffix.
fn borders(wanted: &[u32]) -> Vec<usize> {
    let mut borders = vec![0];
    for line in wanted.iter().skip(1) {
        let known = borders.last().copied().unwrap_or_default();
        let border = advance_from(wanted, &borders, known, *line);
        borders.push(border);
    }
    borders
}

/// The matched length after one more line.
fn advance(wanted: &[u32], borders: &[usize], matched: usize, line: u32) -> usize {
    let matched = if matched == wanted.len() { fall(borders, matched) } else { matched };
    advance_from(wanted, borders, matched, line)
}

fn advance_from(wanted: &[u32], borders: &[usize], mut matched: usize, line: u32) -> usize {
    loop {
        if wanted.get(matched) == Some(&line) {
            return matched + 1;
        }
        if matched == 0 {
            return 0;
        }
        matched = fall(borders, matched);
    }
}

fn fall(borders: &[usize], matched: usize) -> usize {
    matched.checked_sub(1).and_then(|last| borders.get(last)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Effort, MAX_COMPARISONS, occurrences};

    #[test]
    fn finds_the_same_as_naive_search() {
        let mut seed = 7_u32;
        let mut next = |below: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % below
        };
        for round in 0..3000 {
            let letters = 1 + round % 3;
            let lines: Vec<u32> = (0..next(40)).map(|_| next(letters)).collect();
            let wanted: Vec<u32> = (0..=next(6)).map(|_| next(letters)).collect();
            let expected: Vec<usize> = lines
                .windows(wanted.len())
                .enumerate()
                .filter(|(_, window)| *window == wanted)
                .map(|(at, _)| at)
                .collect();
            let found: Vec<usize> = occurrences(&wanted, lines.iter().copied()).collect();
            assert_eq!(found, expected, "{wanted:?} in {lines:?}");
        }
        assert_eq!(occurrences(&[], [1, 2].into_iter()).count(), 0);
    }

    #[test]
    fn effort_is_exhausted_at_its_limit() {
        let mut effort = Effort::default();
        assert!(effort.spend(usize::try_from(MAX_COMPARISONS).unwrap()).is_ok());
        assert!(effort.spend(1).is_err());
    }
}
