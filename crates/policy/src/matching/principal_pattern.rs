//! A pattern for principals: `agent:reporter`, `session:nightly-*`, `token:…`.

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
    /// Whether it may match, depending on the unknown parts of the principal.
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
