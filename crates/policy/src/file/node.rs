//! The syntax tree of a policy: values with their places.

use serde_json::Value;
use std::sync::Arc;

/// The most nested levels of lists and maps. Functions over nodes recurse once per level.
pub(crate) const MAX_DEPTH: usize = 16;
/// The most values in one policy.
pub(crate) const MAX_NODES: usize = 400_000;

/// The place of a value: a line of a file, or a member of an object (`rules[3].paths`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    Line(usize),
    Member(Arc<str>),
}

impl Place {
    /// The place as text, in a source of this name.
    pub fn within(&self, source: &str) -> String {
        match self {
            Self::Line(line) => format!("{source}:{line}"),
            Self::Member(member) if member.is_empty() => source.to_owned(),
            Self::Member(member) if member.starts_with('[') => format!("{source}{member}"),
            Self::Member(member) => format!("{source}.{member}"),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub place: Place,
    pub content: Content,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Content {
    /// Null, a boolean, a number or a text.
    Scalar(Value),
    List(Vec<Node>),
    Map(Vec<Member>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Member {
    pub key: String,
    pub place: Place,
    pub value: Node,
}

impl Node {
    /// The type of the value, for messages.
    pub fn kind(&self) -> &'static str {
        match &self.content {
            Content::Scalar(Value::Null) => "nothing",
            Content::Scalar(Value::Bool(_)) => "true or false",
            Content::Scalar(Value::Number(_)) => "a number",
            Content::Scalar(Value::String(_)) => "a text",
            Content::Scalar(Value::Array(_)) | Content::List(_) => "a list",
            Content::Scalar(Value::Object(_)) | Content::Map(_) => "a map",
        }
    }

    /// As plain JSON. Nodes are at most [`MAX_DEPTH`] deep.
    pub fn to_json(&self) -> Value {
        match &self.content {
            Content::Scalar(value) => value.clone(),
            Content::List(items) => items.iter().map(Self::to_json).collect(),
            Content::Map(members) => {
                members.iter().map(|member| (member.key.clone(), member.value.to_json())).collect()
            }
        }
    }
}
