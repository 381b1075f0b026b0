//! How far a condition and a call go together.

use crate::call::Fact;

/// From not at all to wholly. A rule that allows must cover a call; one that asks or denies need only touch it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    /// The condition does not concern the call.
    No,
    /// Some values of the call meet the condition, or nobody knows whether they do.
    Touches,
    /// Every value of the call is known and meets the condition.
    Covers,
}

impl Fit {
    pub fn of_fact<T>(fact: Fact<T>, known: impl FnOnce(T) -> Self) -> Self {
        match fact {
            Fact::Nothing => Self::No,
            Fact::Unknown => Self::Touches,
            Fact::Known(value) => known(value),
        }
    }

    /// For several values: each says whether it certainly meets the condition. No values fit nothing.
    pub fn of_all(values: impl Iterator<Item = Self>) -> Self {
        let (least, most) = values.fold((None, Self::No), |(least, most), fit| {
            (Some(least.map_or(fit, |least: Self| least.min(fit))), most.max(fit))
        });
        match least {
            None => Self::No,
            Some(Self::Covers) => Self::Covers,
            Some(Self::No | Self::Touches) if most == Self::No => Self::No,
            Some(Self::No | Self::Touches) => Self::Touches,
        }
    }

    pub const fn covers_if(condition: bool) -> Self {
        if condition { Self::Covers } else { Self::No }
    }
}
