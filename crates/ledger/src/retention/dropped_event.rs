//! The signed event that records which old events were dropped: without the key, no events can be dropped unnoticed.

use crate::checkpoint::checkpoint::Statement;
use crate::checkpoint::signing_key::{PublicKey, SigningKey};
use crate::event::event::{BodyValue, Head, NewEvent, PreparedEvent};
use crate::event::event_type::EventType;
use crate::hash::Hash;
use crate::ledger_error::LedgerError;
use crate::query::Query;
use crate::spool::prepare::prepare_own;
use crate::store::Store;
use serde::Deserialize;

/// The most recent events of this type that are checked; concurrent processes may have added several.
const MAX_CHECKED_EVENTS: usize = 1000;

/// The content of such an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DroppedEvent {
    pub head: Head,
    signature: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Content {
    #[serde(rename = "type")]
    kind: EventType,
    up_to: u64,
    head: String,
    signature: String,
}

impl DroppedEvent {
    /// The signed event.
    pub fn prepared(head: &Head, key: &SigningKey) -> Option<PreparedEvent> {
        let (hash, signature) = (head.hash.hex(), Statement::Dropped.signature(head, key));
        let body = [
            ("upTo", BodyValue::Integer(i64::try_from(head.size).ok()?)),
            ("head", BodyValue::Text(&hash)),
            ("signature", BodyValue::Text(&signature)),
        ];
        prepare_own(&NewEvent { body: &body, ..NewEvent::of_kernel(EventType::Retention) })
    }

    /// Parses an event's content; `None` for other events.
    #[must_use]
    pub fn parse(content: &str) -> Option<Self> {
        let Content { kind, up_to, head, signature } = serde_json::from_str(content).ok()?;
        let head = Head { size: up_to, hash: Hash::parse(&head)? };
        (kind == EventType::Retention).then_some(Self { head, signature })
    }

    #[must_use]
    pub fn is_signed_by(&self, key: &PublicKey) -> bool {
        Statement::Dropped.is_signed(&self.head, &self.signature, key)
    }
}

/// Whether a signed event allows the events up to `base` to be missing.
pub fn is_dropped(store: &dyn Store, base: &Head, key: Option<&PublicKey>) -> Result<bool, LedgerError> {
    let Some(key) = key.filter(|_| base.size > 0) else { return Ok(base.size == 0) };
    let events =
        store.events(&Query { limit: MAX_CHECKED_EVENTS, kind: Some(EventType::Retention), ..Query::default() })?;
    for event in events.iter().rev() {
        let Some(dropped) = DroppedEvent::parse(&event.content).filter(|dropped| dropped.head.size >= base.size) else {
            continue;
        };
        // Events are dropped in steps: a killed process may have dropped fewer than it recorded.
        let kept = if dropped.head.size == base.size { Some(base.hash) } else { store.hash_at(dropped.head.size)? };
        if kept == Some(dropped.head.hash) && dropped.is_signed_by(key) {
            return Ok(true);
        }
    }
    Ok(false)
}
