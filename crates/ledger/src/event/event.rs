//! Events: as recorded, as appended to a store, and as stored.

use super::event_type::EventType;
use crate::hash::Hash;
use serde_json::value::RawValue;
use tgp_base::call::CallContext;

/// Reserved members of an event; members of a body with these names get a `_` suffix.
pub const RESERVED: [&str; 12] =
    ["seq", "id", "type", "ts", "session", "actor", "call", "parent", "tool", "path", "prev", "hash"];

/// The value of a member of an event's body.
#[derive(Debug, Clone, Copy)]
pub enum BodyValue<'a> {
    Text(&'a str),
    Json(&'a RawValue),
    Integer(i64),
    Bool(bool),
}

/// How an event that cannot be written is handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Importance {
    /// The intent of a call that changes something: if it cannot be written, the call must not be made.
    Intent,
    /// Any other event: if it cannot be written now, it is kept and written later, in order.
    Other,
    /// An event whose write may be delayed, such as the start of a call without effects: it is written together with the
    /// next event, or in the writer's next turn.
    Later,
}

/// An event to be recorded. All fields are borrowed; nothing is parsed on the caller's thread.
#[derive(Debug, Clone, Copy)]
pub struct NewEvent<'a> {
    pub kind: EventType,
    pub importance: Importance,
    /// Milliseconds since 1970; `None` for now.
    pub at: Option<u64>,
    pub session: Option<&'a str>,
    /// What kind of actor it is of, and its name among actors of its kind.
    pub agent: &'a str,
    pub id: &'a str,
    /// The call that the event is about; see `Ledger::call_id`.
    pub call: Option<&'a str>,
    /// The parent of that call.
    pub parent: Option<&'a str>,
    pub tool: Option<&'a str>,
    pub path: Option<&'a str>,
    /// Further members of the event. Reserved names (`seq`, `id`, `type`, …) get a `_` suffix.
    pub body: &'a [(&'a str, BodyValue<'a>)],
    /// A JSON object whose members are added to the body, for events of the application.
    pub more: Option<&'a RawValue>,
}

impl NewEvent<'static> {
    /// An event of the kernel with default fields.
    #[must_use]
    pub const fn of_kernel(kind: EventType) -> Self {
        Self {
            kind,
            importance: Importance::Other,
            at: None,
            session: None,
            agent: "kernel",
            id: "",
            call: None,
            parent: None,
            tool: None,
            path: None,
            body: &[],
            more: None,
        }
    }
}

impl<'a> NewEvent<'a> {
    /// An event about a call.
    #[must_use]
    pub fn of_call(kind: EventType, call: &'a CallContext, body: &'a [(&'a str, BodyValue<'a>)]) -> Self {
        let event = NewEvent {
            parent: call.parent.as_deref(),
            tool: Some(&call.tool),
            path: call.path.as_deref(),
            body,
            ..NewEvent::of_kernel(kind)
        };
        event.on_behalf_of(call)
    }

    /// The same event, caused by a call.
    #[must_use]
    pub fn on_behalf_of(self, call: &'a CallContext) -> Self {
        let session = call.caller.session.as_deref();
        Self { session, agent: call.kind().as_str(), id: call.id(), call: Some(&call.name), ..self }
    }
}

/// The indexed columns of an event. Their values are also in the content, and `verify` compares both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns<T> {
    pub kind: EventType,
    /// Milliseconds since 1970.
    pub at: u64,
    pub session: Option<T>,
    pub path: Option<T>,
    pub tool: Option<T>,
    pub call: Option<T>,
    pub parent: Option<T>,
}

/// A large value, stored by its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    pub hash: Hash,
    pub bytes: Vec<u8>,
}

/// An event ready to be appended: masked, canonical, with large values extracted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedEvent {
    /// Canonical JSON (RFC 8785) of all members but `seq`, `id`, `prev` and `hash`.
    pub content: String,
    /// SHA-256 of `content`.
    pub id: Hash,
    pub columns: Columns<String>,
    /// The large values that the content refers to.
    pub blobs: Vec<Blob>,
}

/// An event read from a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvent {
    pub seq: u64,
    pub content: String,
    /// The hash of the previous event; of the base for the first kept event.
    pub prev: Hash,
    pub hash: Hash,
}

impl StoredEvent {
    /// SHA-256 of the content.
    #[must_use]
    pub fn id(&self) -> Hash {
        Hash::of(self.content.as_bytes())
    }

    /// The event as one line of JSON: `{ seq, id, …content, prev, hash }`.
    #[must_use]
    pub fn json(&self) -> String {
        let Self { seq, content, prev, hash } = self;
        let members = content.strip_prefix('{').and_then(|content| content.strip_suffix('}')).unwrap_or_default();
        format!(r#"{{"seq":{seq},"id":"{}",{members},"prev":"{prev}","hash":"{hash}"}}"#, self.id())
    }
}

/// The event count, and the hash of the last event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    pub size: u64,
    pub hash: Hash,
}

impl Head {
    /// The head of an empty ledger.
    pub const NONE: Self = Self { size: 0, hash: Hash::ZERO };
}
