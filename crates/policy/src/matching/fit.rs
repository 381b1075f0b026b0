//! How far a condition matches a call.

use crate::call_facts::Fact;

/// The degree of a match. A rule that allows must cover a call; one that asks or denies need only touch it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    /// The condition does not match the call.
    No,
    /// Some values of the call meet the condition, or may meet it.
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

    /// The fit of several values. No values do not match.
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
