//! What a commit says of the ledger, so that whoever has the commits can tell when the ledger's end is cut off.

use super::position::Position;

/// Begins the line of a commit's message.
pub const TRAILER: &str = "TGP-Ledger";

/// Whoever is asked when a commit is made, and told of it.
pub trait Witness: Send + Sync {
    /// The line that goes into the message; none without a ledger.
    fn trailer(&self) -> Option<String>;

    /// Hears of a commit of these files.
    fn committed(&self, commit: &str, paths: &[&str]);
}

/// The message of a commit with one more line at its end.
#[must_use]
pub fn with_trailer(message: &str, trailer: &str) -> String {
    let message = message.trim_end();
    let last = message.rsplit("\n\n").next().unwrap_or_default();
    let has_trailers = last.len() < message.len() && last.lines().all(is_trailer);
    format!("{message}{}{trailer}", if has_trailers { "\n" } else { "\n\n" })
}

fn is_trailer(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(key, _)| key.starts_with("TGP-"))
}

/// The line that says how far the ledger with this key was.
#[must_use]
pub fn trailer(position: &Position, key: &str) -> String {
    format!("{TRAILER}: {} {} {key}", position.size, position.head)
}

/// How far the ledger with this key was when a commit with this message was made. Other machines have ledgers of their own.
#[must_use]
pub fn position_in(message: &str, key: &str) -> Option<Position> {
    let value = message.lines().rev().find_map(|line| line.strip_prefix(TRAILER)?.strip_prefix(": "))?;
    let words: Vec<&str> = value.split_whitespace().collect();
    let [size, head, signer] = words.as_slice() else { return None };
    let position = Position { size: size.parse().ok()?, head: (*head).to_owned() };
    (*signer == key).then_some(position)
}

#[cfg(test)]
mod tests {
    use super::{position_in, trailer, with_trailer};
    use crate::kernel::door::Position;

    #[test]
    fn a_trailer_joins_the_others_and_is_found_again() {
        let line = trailer(&Position { size: 12, head: "ab".repeat(32) }, "k1");
        let plain = with_trailer("Write: tools/a.ts", &line);
        assert_eq!(plain, format!("Write: tools/a.ts\n\n{line}"));
        let noted = with_trailer("Write: tools/a.ts\n\nTGP-Why: because\nTGP-Session: s", &line);
        assert_eq!(noted, format!("Write: tools/a.ts\n\nTGP-Why: because\nTGP-Session: s\n{line}"));
        for message in [plain, noted] {
            assert_eq!(position_in(&message, "k1").unwrap().size, 12);
            assert!(position_in(&message, "k2").is_none(), "that is another ledger");
        }
        for message in ["", "TGP-Ledger: 1", "TGP-Ledger: x y k1", "TGP-Ledger: 1 k1"] {
            assert!(position_in(message, "k1").is_none(), "{message}");
        }
    }
}
