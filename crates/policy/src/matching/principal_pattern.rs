//! Who a rule is about: `agent:reporter`, `session:nightly-*`, `token:…`.

use crate::call::Principal;
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
    /// All names that begin so.
    Begins(String),
}

impl PrincipalPattern {
    /// # Errors
    /// What is wrong with the entry, to be put behind it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let form = "must be 'session:', 'agent:' or 'token:' with a name behind it, such as 'agent:reporter'";
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

    pub fn matches(&self, principal: &Principal) -> bool {
        let id = match self.kind {
            Kind::Session => &principal.session,
            Kind::Agent => &principal.agent,
            Kind::Token => &principal.token,
        };
        id.as_ref().is_some_and(|id| match &self.name {
            Name::Exact(name) => id == name,
            Name::Begins(begin) => id.starts_with(begin.as_str()),
        })
    }
}

impl PrincipalPattern {
    /// Whether it matches some principal that differs from this one in what is not known.
    pub fn could_match(&self, principal: &Principal) -> bool {
        match self.kind {
            Kind::Session => principal.unknown.session,
            Kind::Agent => principal.unknown.agent,
            Kind::Token => principal.unknown.token,
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
