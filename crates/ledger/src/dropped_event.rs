//! The event that records up to where old events went. It is signed: without the key no events go unseen.

use super::checkpoint::Statement;
use super::event::{Head, NewEvent, Part, PreparedEvent};
use super::event_type::EventType;
use super::hash::Hash;
use super::ledger_error::LedgerError;
use super::prepare::prepare_own;
use super::query::Query;
use super::signing_key::{PublicKey, SigningKey};
use super::store::Store;
use serde::Deserialize;

/// The newest events of this kind that are looked at: the one that counts is the last, or others have let go meanwhile.
const LOOKED_AT: usize = 1000;

/// What such an event says.
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
    /// The event, signed.
    pub fn prepared(head: &Head, key: &SigningKey) -> Option<PreparedEvent> {
        let (hash, signature) = (head.hash.hex(), Statement::Dropped.signature(head, key));
        let body = [
            ("upTo", Part::Integer(i64::try_from(head.size).ok()?)),
            ("head", Part::Text(&hash)),
            ("signature", Part::Text(&signature)),
        ];
        prepare_own(&NewEvent { body: &body, ..NewEvent::of_kernel(EventType::Retention) })
    }

    /// What an event's content says; `None` for every other event.
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

/// Whether the owner of the key has signed that the events up to `base` may be gone.
pub fn is_dropped(store: &dyn Store, base: &Head, key: Option<&PublicKey>) -> Result<bool, LedgerError> {
    let Some(key) = key.filter(|_| base.size > 0) else { return Ok(base.size == 0) };
    let events = store.events(&Query { limit: LOOKED_AT, kind: Some(EventType::Retention), ..Query::default() })?;
    for event in events.iter().rev() {
        let Some(said) = DroppedEvent::parse(&event.content).filter(|said| said.head.size >= base.size) else {
            continue;
        };
        // Events go in steps: a process that was killed between two has dropped less than it recorded.
        let kept = if said.head.size == base.size { Some(base.hash) } else { store.hash_at(said.head.size)? };
        if kept == Some(said.head.hash) && said.is_signed_by(key) {
            return Ok(true);
        }
    }
    Ok(false)
}
