//! The identity of a caller.

use super::caller_kind::CallerKind;
use crate::error::{Error, ErrorCode};
use crate::mode::Mode;
use crate::text_hash::text_hash;
use serde::Deserialize;

/// Longest name of a session, a caller or a model.
const MAX_NAME_CHARS: usize = 200;

/// The caller of a call, as the front end reports it. All fields are untrusted text.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Caller {
    /// The number of the call: unique in its process.
    pub number: Option<u32>,
    /// The run that waits for the application's function which makes the call.
    pub parent: Option<f64>,
    /// The conversation that the call is part of.
    pub session: Option<String>,
    #[serde(default, rename = "agent")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<String>", optional))]
    pub kind: CallerKind,
    /// Its name among callers of its kind.
    pub id: Option<String>,
    pub model: Option<String>,
    /// The text of a capability token.
    pub token: Option<String>,
    /// The name of an approval that was given for this call.
    pub approval: Option<String>,
    /// Whether the call is a dry run.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<bool>", optional))]
    pub dry_run: bool,
    /// How strictly this call requires tests, if not as configured.
    pub mode: Option<Mode>,
}

impl Caller {
    /// # Errors
    /// `Validation` for invalid JSON.
    pub fn from_json(json: Option<&str>) -> Result<Self, Error> {
        let Some(json) = json else { return Ok(Self::default()) };
        let caller: Self = serde_json::from_str(json).map_err(|error| {
            Error::new(ErrorCode::Validation, format!("The caller of the call is not valid: {error}."))
        })?;
        Ok(caller.bounded())
    }

    /// The same with names of a bounded length.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        for name in [&mut self.session, &mut self.id, &mut self.model].into_iter().flatten() {
            if let Some((end, _)) = name.char_indices().nth(MAX_NAME_CHARS) {
                name.truncate(end);
            }
        }
        self
    }

    /// The name of the caller in rules: an agent's own name, for others their kind.
    #[must_use]
    pub fn principal(&self) -> &str {
        match (self.kind, &self.id) {
            (CallerKind::Agent, Some(name)) => name,
            (kind, _) => kind.as_str(),
        }
    }

    /// The owner of a call's data: one principal in one session, and its token if it has one.
    #[must_use]
    pub fn owner(&self) -> String {
        let token = self.token.as_deref().map(|token| text_hash(token.as_bytes())).unwrap_or_default();
        // The length keeps names with a colon apart.
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
    use super::{Caller, CallerKind};

    #[test]
    fn callers_without_a_session_do_not_share_their_data() {
        let agent = |name: &str, session: Option<&str>| Caller {
            kind: CallerKind::Agent,
            id: Some(name.to_owned()),
            session: session.map(str::to_owned),
            ..Caller::default()
        };
        assert_ne!(agent("ann", None).owner(), agent("bob", None).owner());
        assert_ne!(agent("ann", None).owner(), Caller::default().owner());
        assert_ne!(agent("ann:b", Some("c")).owner(), agent("ann", Some("b:c")).owner());
        assert_eq!(agent("ann", Some("c")).owner(), agent("ann", Some("c")).owner());
    }
}
