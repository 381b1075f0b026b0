//! The seven effects of calls.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    Read,
    Write,
    Run,
    Sql,
    Net,
    App,
    Shell,
}

impl Effect {
    pub const ALL: [Self; 7] = [Self::Read, Self::Write, Self::Run, Self::Sql, Self::Net, Self::App, Self::Shell];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Run => "run",
            Self::Sql => "sql",
            Self::Net => "net",
            Self::App => "app",
            Self::Shell => "shell",
        }
    }

    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|effect| effect.as_str() == text)
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// A set of effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Effects(u8);

impl Effects {
    pub const NONE: Self = Self(0);

    #[must_use]
    pub const fn with(self, effect: Effect) -> Self {
        Self(self.0 | effect.bit())
    }

    #[must_use]
    pub const fn has(self, effect: Effect) -> bool {
        self.0 & effect.bit() != 0
    }

    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    #[must_use]
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub fn iter(self) -> impl Iterator<Item = Effect> {
        Effect::ALL.into_iter().filter(move |effect| self.has(*effect))
    }

    pub fn first(self) -> Option<Effect> {
        self.iter().next()
    }

    /// The names of the effects, in the order of [`Effect::ALL`].
    #[must_use]
    pub fn words(self) -> Vec<&'static str> {
        self.iter().map(Effect::as_str).collect()
    }
}

impl FromIterator<Effect> for Effects {
    fn from_iter<I: IntoIterator<Item = Effect>>(effects: I) -> Self {
        effects.into_iter().fold(Self::NONE, Self::with)
    }
}

impl Serialize for Effects {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.words().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Effects {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let words = Vec::<String>::deserialize(deserializer)?;
        let effect = |word: &String| Effect::parse(word).ok_or_else(|| D::Error::custom("unknown effect"));
        words.iter().map(effect).collect()
    }
}
