//! Detection of misspelt words: one edit.

/// The shortest word that is corrected.
pub(super) const MISSPELT_LETTERS: usize = 5;

/// Whether one letter added, left out or changed, or two neighbours swapped, makes one word the other.
pub(super) fn is_one_edit(left: &[char], right: &str) -> bool {
    // Cheap check first: most words differ in length.
    if right.len() + 1 < left.len() || right.len() > (left.len() + 1) * 4 {
        return false;
    }
    let right: Vec<char> = right.chars().collect();
    if left.len().abs_diff(right.len()) > 1 || right.len() < MISSPELT_LETTERS {
        return false;
    }
    let head = left.iter().zip(&right).take_while(|(one, other)| one == other).count();
    let (left, right) = (left.get(head..).unwrap_or_default(), right.get(head..).unwrap_or_default());
    match (left, right) {
        ([], []) => false,
        ([a, b, left @ ..], [c, d, right @ ..]) if a == d && b == c && left == right => true,
        ([_, left @ ..], [_, right @ ..]) if left == right => true,
        (left, [_, right @ ..]) if left == right => true,
        ([_, left @ ..], right) => left == right,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_one_edit;

    fn slip(left: &str, right: &str) -> bool {
        is_one_edit(&left.chars().collect::<Vec<_>>(), right)
    }

    #[test]
    fn one_edit_matches_and_two_do_not() {
        for (left, right) in
            [("celcius", "celsius"), ("recieve", "receive"), ("intrest", "interest"), ("interrest", "interest")]
        {
            assert!(slip(left, right), "{left}");
            assert!(slip(right, left), "{left}");
        }
        for (left, right) in [("interest", "interest"), ("mean", "meat"), ("encode", "decode"), ("abcdef", "abcxyz")] {
            assert!(!slip(left, right), "{left}");
        }
    }
}
