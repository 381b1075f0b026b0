//! Records a truncated end: events that a commit has seen, but that are missing when the ledger is opened. A signed event
//! names the range, so that later events are not mistaken for changes of the missing ones. Verification still reports the
//! range as missing.

use crate::checkpoint::checkpoint::Statement;
use crate::checkpoint::signing_key::{PublicKey, SigningKey};
use crate::event::event::{BodyValue, Head, NewEvent, PreparedEvent, StoredEvent};
use crate::event::event_type::EventType;
use crate::hash::Hash;
use crate::ledger_error::LedgerError;
use crate::query::{MAX_EVENTS, Query};
use crate::spool::prepare::prepare_own;
use crate::store::Store;
use serde::Deserialize;
use std::cell::OnceCell;

const STATE: &str = "cut";
/// The path by which these events are found among those of sessions.
const PATH: &str = ".tgp/ledger";

/// A range of missing events: after `after`, up to the one that a witness has seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// The last existing event.
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
    /// The signed head, which covers both ends.
    fn both(&self) -> Head {
        let Self { after, up_to } = self;
        let text = format!("{} {} {} {}", after.size, after.hash, up_to.size, up_to.hash);
        Head { size: after.size, hash: Hash::of(text.as_bytes()) }
    }

    /// Parses an event that was signed with this key; `None` for all others.
    fn parse(event: &StoredEvent, key: &PublicKey) -> Option<Self> {
        let content: Content = serde_json::from_str(&event.content).ok()?;
        let after = Head { size: content.after, hash: Hash::parse(&content.last)? };
        let cut = Self { after, up_to: Head { size: content.up_to, hash: Hash::parse(&content.seen)? } };
        let is_ours = content.state == STATE && event.seq > after.size;
        (is_ours && Statement::Cut.is_signed(&cut.both(), &content.signature, key)).then_some(cut)
    }

    /// The signed event for this range.
    pub fn prepared(&self, key: &SigningKey) -> Option<PreparedEvent> {
        let (last, seen) = (self.after.hash.hex(), self.up_to.hash.hex());
        let signature = Statement::Cut.signature(&self.both(), key);
        let body = [
            ("state", BodyValue::Text(STATE)),
            ("after", BodyValue::Integer(i64::try_from(self.after.size).ok()?)),
            ("last", BodyValue::Text(&last)),
            ("upTo", BodyValue::Integer(i64::try_from(self.up_to.size).ok()?)),
            ("seen", BodyValue::Text(&seen)),
            ("signature", BodyValue::Text(&signature)),
        ];
        prepare_own(&NewEvent { path: Some(PATH), body: &body, ..NewEvent::of_kernel(EventType::Session) })
    }

    /// Whether an event signed with this key records the range.
    pub fn is_recorded(&self, store: &dyn Store, key: &PublicKey) -> Result<bool, LedgerError> {
        Ok(Cuts::among(store, key, 0, u64::MAX)?.iter().any(|found| found.up_to == self.up_to))
    }
}

/// The recorded cuts of a ledger, read on first use.
pub struct Cuts<'a> {
    pub store: &'a dyn Store,
    pub key: Option<&'a PublicKey>,
    found: OnceCell<Vec<Cut>>,
}

impl<'a> Cuts<'a> {
    pub const fn of(store: &'a dyn Store, key: Option<&'a PublicKey>) -> Self {
        Self { store, key, found: OnceCell::new() }
    }

    /// The cuts that events after `after`, up to `to`, record.
    pub fn among(store: &dyn Store, key: &PublicKey, mut after: u64, to: u64) -> Result<Vec<Cut>, LedgerError> {
        let mut cuts = Vec::new();
        loop {
            let (kind, path) = (Some(EventType::Session), Some(PATH.to_owned()));
            let page =
                store.events(&Query { limit: MAX_EVENTS, kind, path, after_seq: Some(after), ..Query::default() })?;
            cuts.extend(page.iter().filter(|event| event.seq <= to).filter_map(|event| Cut::parse(event, key)));
            match page.last() {
                Some(last) if page.len() == MAX_EVENTS && last.seq < to => after = last.seq,
                Some(_) | None => return Ok(cuts),
            }
        }
    }

    /// The recorded range that contains this event, if the chain before it matches the record.
    pub fn around(&self, size: u64) -> Result<Option<Cut>, LedgerError> {
        let Some(key) = self.key else { return Ok(None) };
        let found = match self.found.get() {
            Some(found) => found,
            None => {
                let found = Self::among(self.store, key, 0, u64::MAX)?;
                self.found.get_or_init(|| found)
            }
        };
        for cut in found.iter().filter(|cut| cut.after.size < size && size <= cut.up_to.size) {
            // Its predecessor may have been dropped by retention.
            let follows = || {
                let kept = self.store.hash_at(cut.after.size)? == Some(cut.after.hash);
                Ok::<_, LedgerError>(kept || self.store.base()? == cut.after)
            };
            if cut.after.size == 0 || follows()? {
                return Ok(Some(cut.clone()));
            }
        }
        Ok(None)
    }
}
