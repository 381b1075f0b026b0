//! Verification of an export file.

use super::export::LinesCheck;
use crate::checkpoint::signing_key::PublicKey;
use crate::ledger_error::{LedgerError, Reason};
use crate::verification::Verification;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use tgp_base::bounded_read::read_at_most;

/// The longest line: an event with all values at their limits.
const MAX_LINE: u64 = 64 << 20;
/// The largest public key file.
const MAX_KEY: usize = 4096;
const EXPORT: &str = "The export file";
const KEY: &str = "The file with the public key";

/// Verifies an export file, with the public key in `key_file` if there is one.
///
/// # Errors
/// `FileUnreadable`, `PublicKeyDamaged`.
pub fn verify_file(file: &Path, key_file: Option<&Path>) -> Result<Verification, LedgerError> {
    let mut check = LinesCheck::new(key_file.map(read_key).transpose()?, &[]);
    let mut lines = BufReader::new(File::open(file).map_err(unreadable(EXPORT))?);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = lines.by_ref().take(MAX_LINE).read_until(b'\n', &mut line);
        if read.map_err(unreadable(EXPORT))? == 0 {
            return Ok(check.end());
        }
        // Bytes that are not UTF-8 are reported as an invalid event.
        check.line(std::str::from_utf8(line.strip_suffix(b"\n").unwrap_or(&line)).unwrap_or_default());
    }
}

fn read_key(file: &Path) -> Result<PublicKey, LedgerError> {
    let opened = File::open(file).map_err(unreadable(KEY))?;
    let bytes = read_at_most(opened, MAX_KEY, 0).map_err(unreadable(KEY))?;
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    text.and_then(|text| PublicKey::parse(text.trim())).ok_or(LedgerError::PublicKeyDamaged)
}

/// Converts an error of reading a file that the caller named.
fn unreadable(file: &'static str) -> impl Fn(io::Error) -> LedgerError {
    move |error| LedgerError::FileUnreadable { file, reason: Reason::of(&error) }
}

#[cfg(test)]
mod tests {
    use super::verify_file;
    use crate::ledger_error::{LedgerError, Reason};

    #[test]
    fn errors_name_the_file_that_cannot_be_used() {
        let folder = tempfile::tempdir().unwrap();
        let (export, key) = (folder.path().join("export.ndjson"), folder.path().join("other.pub"));
        let missing = |file| Some(LedgerError::FileUnreadable { file, reason: Reason::NotFound });
        assert_eq!(verify_file(&export, None).err(), missing("The export file"));
        std::fs::write(&export, "").unwrap();
        assert_eq!(verify_file(&export, Some(&key)).err(), missing("The file with the public key"));
        std::fs::write(&key, "no key").unwrap();
        assert_eq!(verify_file(&export, Some(&key)).err(), Some(LedgerError::PublicKeyDamaged));
    }
}
