//! Commit trailers with the signed ledger position, by which a truncated ledger is detected.

use tgp_git::FileChange;
use tgp_ledger::{Durability, Hash, Head, PublicKey, Statement, Witness as Witnessed};

/// The key of the trailer.
pub const TRAILER: &str = "TGP-Ledger";

/// Takes part in commits: adds a trailer and records the commit.
pub trait Witness: Send + Sync {
    /// The trailer line for the message; none without a ledger.
    fn trailer(&self) -> Option<String>;

    /// Records a commit with these changes.
    fn committed(&self, commit: &str, changes: &[FileChange<'_>]);
}

/// A commit message with one more trailer.
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

/// The trailer line with the ledger position, signed with the key of this name.
#[must_use]
pub fn trailer(head: &Head, key: &str, signature: &str) -> String {
    format!("{TRAILER}: {} {} {key} {signature}", head.size, head.hash)
}

/// Whether a commit message has a trailer, by whatever key: a kernel has made the commit.
#[must_use]
pub fn has_trailer(message: &str) -> bool {
    value_in(message).is_some_and(|value| value.split_whitespace().count() == 4)
}

fn value_in(message: &str) -> Option<&str> {
    message.lines().rev().find_map(|line| line.strip_prefix(TRAILER)?.strip_prefix(": "))
}

/// The ledger position in a commit message, if signed with this key. Trailers by other keys are ignored: other machines
/// have their own ledgers, and anyone who can push can write a trailer.
#[must_use]
pub fn witness_in(message: &str, key: &PublicKey) -> Option<Witnessed> {
    let words: Vec<&str> = value_in(message)?.split_whitespace().collect();
    let [size, head, _, signature] = words.as_slice() else { return None };
    let head = Head { size: size.parse().ok()?, hash: Hash::parse(head)? };
    let is_signed = |statement: Statement| statement.is_signed(&head, signature, key);
    let durability = if is_signed(Statement::WitnessedOnDisk) {
        Durability::Power
    } else {
        is_signed(Statement::Witnessed).then_some(Durability::Process)?
    };
    Some(Witnessed { size: head.size, head: head.hash, durability })
}

#[cfg(test)]
mod tests {
    use super::{trailer, with_trailer, witness_in};
    use tgp_ledger::{Hash, Head, Ledger, LedgerOptions};

    fn ledger() -> (tempfile::TempDir, Ledger) {
        let place = tempfile::tempdir().unwrap();
        let ledger = Ledger::open(&LedgerOptions::new(place.path())).unwrap();
        (place, ledger)
    }

    #[test]
    fn a_trailer_joins_the_others_and_is_found_again() {
        let ((_place, ledger), (_elsewhere, other)) = (ledger(), ledger());
        let head = Head { size: 12, hash: Hash::of(b"12") };
        let (name, signature) = ledger.witness(&head).unwrap();
        let (key, foreign) = (ledger.public_key().unwrap().unwrap(), other.witness(&head).unwrap());
        let line = trailer(&head, &name, &signature);
        let plain = with_trailer("Write: tools/a.ts", &line);
        assert_eq!(plain, format!("Write: tools/a.ts\n\n{line}"));
        let noted = with_trailer("Write: tools/a.ts\n\nTGP-Why: because\nTGP-Session: s", &line);
        assert_eq!(noted, format!("Write: tools/a.ts\n\nTGP-Why: because\nTGP-Session: s\n{line}"));
        for message in [plain, noted] {
            let found = witness_in(&message, &key).unwrap();
            assert_eq!((found.size, found.head), (head.size, head.hash));
        }
        for message in [
            String::new(),
            "TGP-Ledger: 1".to_owned(),
            format!("TGP-Ledger: 12 {} {name}", head.hash),
            format!("TGP-Ledger: 13 {} {name} {signature}", head.hash),
            format!("TGP-Ledger: 12 {} {name} {signature}", Hash::of(b"13")),
            trailer(&head, &foreign.0, &foreign.1),
            trailer(&head, &name, &foreign.1),
        ] {
            assert!(witness_in(&message, &key).is_none(), "{message}");
        }
    }
}
