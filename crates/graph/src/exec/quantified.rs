//! What quantifiers decide from the counts of their conditions.

use crate::cypher::ast::Quantifier;

pub const fn quantified(kind: Quantifier, yes: usize, unknown: usize, all: usize) -> Option<bool> {
    let known = unknown == 0;
    match kind {
        Quantifier::All if yes + unknown < all => Some(false),
        Quantifier::Any if yes > 0 => Some(true),
        Quantifier::None if yes > 0 => Some(false),
        Quantifier::Single if yes > 1 => Some(false),
        Quantifier::All | Quantifier::None if known => Some(true),
        Quantifier::Any if known => Some(false),
        Quantifier::Single if known => Some(yes == 1),
        Quantifier::All | Quantifier::Any | Quantifier::None | Quantifier::Single => None,
    }
}
