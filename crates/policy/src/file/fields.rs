//! Reads maps with known keys, and values with their types.

use super::fault::{Fault, listed, shown};
use super::node::{Content, Member, Node, Place};
use serde_json::Value;
use tgp_base::spelling::{did_you_mean, nearest};

/// The members of a map whose keys are all known.
pub(crate) struct Fields<'n> {
    pub place: &'n Place,
    members: &'n [Member],
}

impl<'n> Fields<'n> {
    /// `what` names the map in messages, as in "A rule".
    ///
    /// # Errors
    /// If the node is not a map, or has a key that is not in `known`.
    pub fn of(node: &'n Node, what: &str, known: &[&'static str]) -> Result<Self, Fault> {
        let Content::Map(members) = &node.content else {
            return Err(Fault::new(
                &node.place,
                format!("{what} must be a map of keys and values, not {}.", node.kind()),
            ));
        };
        for member in members {
            if !known.contains(&member.key.as_str()) {
                let near = did_you_mean(nearest(&member.key, known.iter().copied()));
                let (key, known) = (shown(&member.key), listed(known.iter().copied()));
                let near = if near.is_empty() { format!(" It can have {known}.") } else { near };
                return Err(Fault::new(&member.place, format!("{what} has no key '{key}'.{near}")));
            }
        }
        Ok(Self { place: &node.place, members })
    }

    pub fn get(&self, key: &str) -> Option<&'n Member> {
        self.members.iter().find(|member| member.key == key)
    }

    pub fn members(&self) -> &'n [Member] {
        self.members
    }
}

/// The value of a text node.
///
/// # Errors
/// If the node is not a text.
pub(crate) fn text<'n>(node: &'n Node, what: &str) -> Result<&'n str, Fault> {
    match &node.content {
        Content::Scalar(Value::String(text)) => Ok(text),
        Content::Scalar(_) | Content::List(_) | Content::Map(_) => {
            let hint = if matches!(node.content, Content::Scalar(Value::Number(_) | Value::Bool(_))) {
                " Put it in quotes."
            } else {
                ""
            };
            Err(Fault::new(&node.place, format!("{what} must be a text, not {}.{hint}", node.kind())))
        }
    }
}

/// Reads one of several keywords.
///
/// # Errors
/// For another word, with a suggestion.
pub(crate) fn word<T>(
    node: &Node,
    what: &str,
    parse: impl Fn(&str) -> Option<T>,
    known: impl IntoIterator<Item = &'static str>,
) -> Result<T, Fault> {
    let word = text(node, what)?;
    parse(word).ok_or_else(|| {
        let known: Vec<&str> = known.into_iter().collect();
        let near = nearest(word, known.iter().copied());
        let (word, all, near) = (shown(word), known.join(", "), did_you_mean(near));
        Fault::new(&node.place, format!("{what} must be one of {all}, not '{word}'.{near}"))
    })
}

/// The items of a non-empty list; a single value counts as a list of one.
///
/// # Errors
/// For a map, nothing, an empty list, or more than `most`.
pub(crate) fn items<'n>(node: &'n Node, what: &str, most: usize) -> Result<&'n [Node], Fault> {
    match &node.content {
        Content::List(items) if items.is_empty() => Err(Fault::new(
            &node.place,
            format!("{what} is an empty list, which never matches. Add an entry, or remove it."),
        )),
        Content::List(items) if items.len() > most => {
            Err(Fault::new(&node.place, format!("{what} has {} entries; {most} is the most.", items.len())))
        }
        Content::List(items) => Ok(items),
        Content::Scalar(Value::Null) | Content::Map(_) => {
            Err(Fault::new(&node.place, format!("{what} must be a list, not {}.", node.kind())))
        }
        Content::Scalar(_) => Ok(std::slice::from_ref(node)),
    }
}
