//! The end of a ledger that was gone when it was opened: a commit has seen it. The signed event that records it names the stretch,
//! so that what follows is not taken for a change of what was there. It excuses nothing: verification still finds the end missing.

use super::checkpoint::Statement;
use super::event::{Head, NewEvent, Part, StoredEvent};
use super::event_type::EventType;
use super::hash::Hash;
use super::ledger_error::LedgerError;
use super::query::{MAX_EVENTS, Query};
use super::signing_key::{PublicKey, SigningKey};
use super::store::Store;
use serde::Deserialize;

const STATE: &str = "cut";

/// Events behind `after` that were gone, up to the one that a witness has seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// The last event that was there.
    pub after: Head,
    pub up_to: Head,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Content {
    state: String,
    after: u64,
    last: String,
    up_to: u64,
    seen: String,
    signature: String,
}

impl Cut {
    /// What is signed: both ends at once.
    fn both(&self) -> Head {
        let Self { after, up_to } = self;
        let text = format!("{} {} {} {}", after.size, after.hash, up_to.size, up_to.hash);
        Head { size: after.size, hash: Hash::of(text.as_bytes()) }
    }

    /// What an event says that was signed with this key; `None` for every other.
    fn parse(event: &StoredEvent, key: &PublicKey) -> Option<Self> {
        let said: Content = serde_json::from_str(&event.content).ok()?;
        let after = Head { size: said.after, hash: Hash::parse(&said.last)? };
        let cut = Self { after, up_to: Head { size: said.up_to, hash: Hash::parse(&said.seen)? } };
        let is_ours = said.state == STATE && event.seq > after.size;
        (is_ours && Statement::Cut.is_signed(&cut.both(), &said.signature, key)).then_some(cut)
    }

    /// Hands the signed event that says so to `record`.
    pub fn record(
        &self,
        key: &SigningKey,
        record: impl FnOnce(&NewEvent<'_>) -> Result<(), LedgerError>,
    ) -> Result<(), LedgerError> {
        let (last, seen) = (self.after.hash.hex(), self.up_to.hash.hex());
        let signature = Statement::Cut.signature(&self.both(), key);
        let number = |size: u64| Part::Integer(i64::try_from(size).unwrap_or(i64::MAX));
        let body = [
            ("state", Part::Text(STATE)),
            ("after", number(self.after.size)),
            ("last", Part::Text(&last)),
            ("upTo", number(self.up_to.size)),
            ("seen", Part::Text(&seen)),
            ("signature", Part::Text(&signature)),
        ];
        record(&NewEvent { body: &body, ..NewEvent::of_kernel(EventType::Session) })
    }

    /// Whether it is recorded, by an event with this key.
    pub fn is_recorded(&self, store: &dyn Store, key: &PublicKey) -> Result<bool, LedgerError> {
        let found = sessions(store)?;
        Ok(found.iter().filter_map(|event| Self::parse(event, key)).any(|found| found.up_to == self.up_to))
    }
}

/// The stretch that a recorded cut took this event in, if the chain before it is the one of the record.
pub fn cut_around(store: &dyn Store, size: u64, key: Option<&PublicKey>) -> Result<Option<Cut>, LedgerError> {
    let Some(key) = key else { return Ok(None) };
    for cut in sessions(store)?.iter().filter_map(|event| Cut::parse(event, key)) {
        let is_around = cut.after.size < size && size <= cut.up_to.size;
        // What it follows may have gone by retention.
        let follows = || {
            Ok::<_, LedgerError>(store.hash_at(cut.after.size)? == Some(cut.after.hash) || store.base()? == cut.after)
        };
        if is_around && (cut.after.size == 0 || follows()?) {
            return Ok(Some(cut));
        }
    }
    Ok(None)
}

fn sessions(store: &dyn Store) -> Result<Vec<StoredEvent>, LedgerError> {
    store.events(&Query { limit: MAX_EVENTS, kind: Some(EventType::Session), ..Query::default() })
}
