//! A pattern for principals: `agent:reporter`, `session:nightly-*`, `token:…`.

use crate::call_facts::{CallFacts, Fact};
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Session,
    Agent,
    Token,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Session, Self::Agent, Self::Token];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Agent => "agent",
            Self::Token => "token",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PrincipalPattern {
    kind: Kind,
    name: Name,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    Exact(String),
    /// All names with this prefix.
    Begins(String),
}

impl PrincipalPattern {
    /// # Errors
    /// What is wrong, as text that follows the entry.
    pub fn parse(text: &str) -> Result<Self, String> {
        let form = "must be 'session:', 'agent:' or 'token:' followed by a name, such as 'agent:reporter'";
        let (kind, name) = text.split_once(':').ok_or(form)?;
        let kind = Kind::ALL.into_iter().find(|known| known.as_str() == kind).ok_or(form)?;
        let name = match name.strip_suffix('*') {
            Some(begin) => Name::Begins(begin.to_owned()),
            None if name.is_empty() => return Err(form.to_owned()),
            None => Name::Exact(name.to_owned()),
        };
        let (Name::Exact(plain) | Name::Begins(plain)) = &name;
        if plain.contains('*') {
            return Err("has a '*' that is not at its end".to_owned());
        }
        Ok(Self { kind, name })
    }

    pub fn matches(&self, call: &CallFacts) -> bool {
        match (self.part(call), &self.name) {
            (Fact::Known(id), Name::Exact(name)) => id == name,
            (Fact::Known(id), Name::Begins(begin)) => id.starts_with(begin.as_str()),
            (Fact::Nothing | Fact::Unknown, _) => false,
        }
    }

    /// Whether it may match, because that part of the caller is unknown.
    pub fn could_match(&self, call: &CallFacts) -> bool {
        matches!(self.part(call), Fact::Unknown) || (self.kind == Kind::Agent && call.is_any_principal)
    }

    const fn part<'c>(&self, call: &'c CallFacts) -> &'c Fact<String> {
        match self.kind {
            Kind::Session => &call.session,
            Kind::Agent => &call.principal,
            Kind::Token => &call.token,
        }
    }
}

impl fmt::Display for PrincipalPattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.kind.as_str();
        match &self.name {
            Name::Exact(name) => write!(formatter, "{kind}:{name}"),
            Name::Begins(begin) => write!(formatter, "{kind}:{begin}*"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PrincipalPattern;
    use crate::call_facts::{CallFacts, Fact};

    #[test]
    fn a_pattern_could_match_what_is_unknown_of_a_caller() {
        let pattern = |text: &str| PrincipalPattern::parse(text).unwrap();
        let named = |name: &str| Fact::Known(name.to_owned());
        let call = CallFacts { session: Fact::Unknown, principal: named("agent"), ..CallFacts::default() };
        let any = CallFacts { is_any_principal: true, ..call.clone() };
        for (text, call, matches, could_match) in [
            ("session:s", &call, false, true),
            ("token:t", &call, false, false),
            ("agent:agent", &call, true, false),
            ("agent:ann", &call, false, false),
            ("agent:agent", &any, true, true),
            ("agent:ann", &any, false, true),
            ("token:t", &any, false, false),
        ] {
            let found = (pattern(text).matches(call), pattern(text).could_match(call));
            assert_eq!(found, (matches, could_match), "{text}");
        }
    }
}
