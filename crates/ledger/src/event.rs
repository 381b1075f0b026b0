//! An event: what somebody hands in, what a store is given, and what it gives back.

use super::event_type::EventType;
use super::hash::Hash;
use serde_json::value::RawValue;

/// Who did it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Actor<'a> {
    pub agent: &'a str,
    pub id: &'a str,
}

impl Actor<'static> {
    /// The kernel itself, for events without a caller.
    pub const KERNEL: Self = Self { agent: "kernel", id: "" };
}

/// The value of one member of an event's body.
#[derive(Debug, Clone, Copy)]
pub enum Part<'a> {
    Text(&'a str),
    Json(&'a RawValue),
    Integer(i64),
    Truth(Truth),
}

/// A truth value of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truth {
    Yes,
    No,
}

/// How much depends on the event being on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Importance {
    /// The intent of a call that changes something: when it cannot be written, the call must not happen.
    Intent,
    /// Anything else: what cannot be written now is kept and written later, in order.
    Other,
    /// What nobody is told of before something else is recorded, such as the beginning of a call that changes nothing by itself:
    /// it is written together with what comes next, or with the writer's next turn.
    Later,
}

/// An event as it is handed in. All is borrowed, nothing is parsed on the caller's thread.
#[derive(Debug, Clone, Copy)]
pub struct NewEvent<'a> {
    pub kind: EventType,
    pub importance: Importance,
    /// Milliseconds since 1970; now, when it is not said.
    pub at: Option<u64>,
    pub session: Option<&'a str>,
    pub actor: Actor<'a>,
    /// The call that the event is about; see `Ledger::call_id`.
    pub call: Option<&'a str>,
    /// The call that caused that one.
    pub parent: Option<&'a str>,
    pub tool: Option<&'a str>,
    pub path: Option<&'a str>,
    /// Members of the event beside those above. A name that the event itself uses (`seq`, `id`, `type`, …) gets a `_` behind.
    pub body: &'a [(&'a str, Part<'a>)],
    /// A JSON object whose members belong to the body as well: an application's own event.
    pub more: Option<&'a RawValue>,
}

impl NewEvent<'static> {
    /// An event of the kernel's own, to which the rest is added.
    #[must_use]
    pub const fn of_kernel(kind: EventType) -> Self {
        Self {
            kind,
            importance: Importance::Other,
            at: None,
            session: None,
            actor: Actor::KERNEL,
            call: None,
            parent: None,
            tool: None,
            path: None,
            body: &[],
            more: None,
        }
    }
}

/// What a store finds events by. All of it is in the content as well, and `verify` compares.
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

/// A large value that is kept beside the events, by its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    pub hash: Hash,
    pub bytes: Vec<u8>,
}

/// An event that is ready to be appended: masked, canonical, its large values set apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedEvent {
    /// RFC 8785 canonical JSON of everything but `seq`, `id`, `prev` and `hash`.
    pub content: String,
    /// SHA-256 of `content`.
    pub id: Hash,
    pub columns: Columns<String>,
    /// What the content refers to and is to be kept.
    pub blobs: Vec<Blob>,
}

/// An event as a store gives it back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvent {
    pub seq: u64,
    pub content: String,
    /// The hash of the event before; the base's for the first that is kept.
    pub prev: Hash,
    pub hash: Hash,
}

impl StoredEvent {
    /// SHA-256 of the content.
    #[must_use]
    pub fn id(&self) -> Hash {
        Hash::of(self.content.as_bytes())
    }

    /// The event as users see it, in one line: `{ seq, id, …content, prev, hash }`.
    #[must_use]
    pub fn json(&self) -> String {
        let Self { seq, content, prev, hash } = self;
        let members = content.strip_prefix('{').and_then(|content| content.strip_suffix('}')).unwrap_or_default();
        format!(r#"{{"seq":{seq},"id":"{}",{members},"prev":"{prev}","hash":"{hash}"}}"#, self.id())
    }
}

/// How many events there are, and the hash of the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    pub size: u64,
    pub hash: Hash,
}

impl Head {
    /// Of a ledger without events.
    pub const NONE: Self = Self { size: 0, hash: Hash::ZERO };
}
