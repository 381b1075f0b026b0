//! A unit embedding, quantised to 8 bits. Only the direction counts, so eight bits per number are enough.

use multiversion::multiversion;

/// The most numbers per vector: the largest current models give fewer.
pub const MAX_DIMENSION: usize = 8192;

const LARGEST: f32 = 127.0;

/// A quantised direction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Vector {
    /// The numbers, from -127 to 127.
    numbers: Box<[i8]>,
    /// The factor that makes the length one.
    scale: f32,
}

impl Vector {
    /// The direction of some numbers; `None` for zeros, for too many numbers, and for numbers that are not finite.
    #[must_use]
    pub fn of(numbers: &[f32]) -> Option<Self> {
        if numbers.len() > MAX_DIMENSION {
            return None;
        }
        let largest = numbers.iter().fold(0f32, |most, number| most.max(number.abs()));
        let is_sound = largest > 0.0 && numbers.iter().all(|number| number.is_finite());
        // Larger or smaller values have no reciprocal in f32.
        if !is_sound || !(LARGEST / largest).is_normal() {
            return None;
        }
        let numbers = numbers.iter().map(|number| (number * (LARGEST / largest)).round() as i8).collect();
        Self::from_rounded(numbers)
    }

    /// The direction of quantised numbers.
    pub(super) fn from_rounded(numbers: Box<[i8]>) -> Option<Self> {
        let length = dot(&numbers, &numbers);
        (length > 0).then(|| Self { numbers, scale: 1.0 / (length as f32).sqrt() })
    }

    #[must_use]
    pub fn dimension(&self) -> usize {
        self.numbers.len()
    }

    #[must_use]
    pub fn rounded(&self) -> &[i8] {
        &self.numbers
    }

    pub(super) fn scale(&self) -> f32 {
        self.scale
    }

    /// The cosine similarity, from -1 to 1. It is 0 for vectors of different dimensions.
    #[must_use]
    pub fn cosine(&self, other: &Self) -> f32 {
        if self.dimension() != other.dimension() {
            return 0.0;
        }
        dot(&self.numbers, &other.numbers) as f32 * self.scale * other.scale
    }
}

/// The cosine similarities of a vector and many rows of the same width.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl+avx512vnni", "x86_64+avx2"))]
pub(super) fn cosines(query: &Vector, rows: &[i8], scales: &[f32]) -> Vec<f32> {
    let rows = rows.chunks_exact(query.numbers.len().max(1)).zip(scales);
    rows.map(|(row, scale)| dot(&query.numbers, row) as f32 * query.scale * scale).collect()
}

/// Cannot overflow: 8192 products of 127 and 127 are a sixteenth of the range of 32 bits.
#[inline(always)]
fn dot(left: &[i8], right: &[i8]) -> i32 {
    left.iter().zip(right).map(|(left, right)| i32::from(*left) * i32::from(*right)).sum()
}

#[cfg(test)]
mod tests {
    use super::{MAX_DIMENSION, Vector};

    #[test]
    fn only_the_direction_counts() {
        let one = Vector::of(&[3.0, 4.0, 0.0]).unwrap();
        let same = Vector::of(&[0.3, 0.4, 0.0]).unwrap();
        let across = Vector::of(&[0.0, 0.0, 9.0]).unwrap();
        let opposite = Vector::of(&[-3.0, -4.0, 0.0]).unwrap();
        assert_eq!(one, same);
        assert!((one.cosine(&same) - 1.0).abs() < 1e-6);
        assert!(one.cosine(&across).abs() < 1e-6);
        assert!((one.cosine(&opposite) + 1.0).abs() < 1e-6);
    }

    #[test]
    fn numbers_without_a_direction_are_rejected() {
        for numbers in [
            &[][..],
            &[0.0, 0.0],
            &[f32::NAN, 1.0],
            &[f32::INFINITY, 1.0],
            &[f32::MIN_POSITIVE / 4.0],
            &vec![1.0; MAX_DIMENSION + 1],
        ] {
            assert_eq!(Vector::of(numbers), None, "{numbers:?}");
        }
        assert!(Vector::of(&[f32::MAX, f32::MIN]).is_some());
        assert!(Vector::of(&vec![1.0; MAX_DIMENSION]).is_some());
    }

    #[test]
    fn vectors_of_different_dimensions_have_cosine_zero() {
        assert_eq!(Vector::of(&[1.0]).unwrap().cosine(&Vector::of(&[1.0, 1.0]).unwrap()), 0.0);
    }
}
