//! An error in a policy, with its place.

use super::node::Place;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub place: Place,
    pub message: String,
}

impl Fault {
    pub fn new(place: &Place, message: impl Into<String>) -> Self {
        Self { place: place.clone(), message: message.into() }
    }
}

/// Longer values are truncated in messages.
const QUOTED_CHARS: usize = 60;

/// A value as shown in messages: short, on one line.
pub(crate) fn shown(word: &str) -> String {
    let mut shown: String =
        word.chars().take(QUOTED_CHARS).map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).collect();
    if word.chars().nth(QUOTED_CHARS).is_some() {
        shown.push('…');
    }
    shown
}

/// `'a', 'b', 'c'`, at most eight of them.
pub(crate) fn listed<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    const MAX: usize = 8;
    let mut words = words.into_iter();
    let first: Vec<String> = words.by_ref().take(MAX).map(|word| format!("'{}'", shown(word))).collect();
    let more = if words.next().is_some() { ", …" } else { "" };
    first.join(", ") + more
}
