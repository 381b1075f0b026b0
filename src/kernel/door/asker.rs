//! Who asks.

use crate::kernel::text_hash::text_hash;
use serde::Deserialize;
use tgp_base::error::{Error, ErrorCode};
use tgp_state::Mode;

/// Longest name of a session, an agent or a model.
const MAX_NAME_CHARS: usize = 200;

/// Who asks, as whoever is in front of the kernel says it. Each is anybody's text.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Asker {
    /// The number of the call: unique in its process.
    pub number: Option<u32>,
    /// The run that waits for the function of the application which asks.
    pub parent: Option<f64>,
    /// The conversation that the call is part of.
    pub session: Option<String>,
    /// What kind of caller it is.
    pub agent: Option<String>,
    /// Which one of its kind.
    pub id: Option<String>,
    pub model: Option<String>,
    /// The text of a capability token.
    pub token: Option<String>,
    /// The name of an approval that was given for this call.
    pub approval: Option<String>,
    /// Whether it is only to be seen what the call would do.
    #[serde(default)]
    #[cfg_attr(test, ts(as = "Option<bool>", optional))]
    pub dry_run: bool,
    /// How strict the kernel is about tests in this call, where that is another than usual.
    pub mode: Option<Mode>,
}

impl Asker {
    /// # Errors
    /// `Validation` for anything that is not an asker.
    pub fn from_json(json: Option<&str>) -> Result<Self, Error> {
        let Some(json) = json else { return Ok(Self::default()) };
        let asker: Self = serde_json::from_str(json).map_err(|error| {
            Error::new(ErrorCode::Validation, format!("The asker of a call is not valid: {error}."))
        })?;
        Ok(asker.bounded())
    }

    /// The same with names of a bounded length.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        for name in [&mut self.session, &mut self.agent, &mut self.id, &mut self.model].into_iter().flatten() {
            if let Some((end, _)) = name.char_indices().nth(MAX_NAME_CHARS) {
                name.truncate(end);
            }
        }
        self
    }

    /// What kind of caller it is, as rules and events name it.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.agent.as_deref().unwrap_or("application")
    }

    /// Who it is, as rules name them: an agent by its own name, others by their kind.
    #[must_use]
    pub fn principal(&self) -> &str {
        match (self.kind(), &self.id) {
            ("agent", Some(name)) => name,
            (kind, _) => kind,
        }
    }

    /// Whose data a call holds: that of one principal in one conversation, and of a token where there is one.
    #[must_use]
    pub fn owner(&self) -> String {
        let token = self.token.as_deref().map(|token| text_hash(token.as_bytes())).unwrap_or_default();
        // Lengths keep names with a colon apart.
        let principal = self.principal();
        format!("{token}:{}:{principal}:{}", principal.len(), self.session.as_deref().unwrap_or_default())
    }

    /// The number of the run that waits for this call.
    #[must_use]
    pub fn parent_number(&self) -> Option<u64> {
        self.parent.filter(|number| *number >= 0.0).map(|number| number as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::Asker;

    #[test]
    fn callers_without_a_session_do_not_share_their_data() {
        let agent = |name: &str, session: Option<&str>| Asker {
            agent: Some("agent".to_owned()),
            id: Some(name.to_owned()),
            session: session.map(str::to_owned),
            ..Asker::default()
        };
        assert_ne!(agent("ann", None).owner(), agent("bob", None).owner());
        assert_ne!(agent("ann", None).owner(), Asker::default().owner());
        assert_ne!(agent("ann:b", Some("c")).owner(), agent("ann", Some("b:c")).owner());
        assert_eq!(agent("ann", Some("c")).owner(), agent("ann", Some("c")).owner());
    }
}
