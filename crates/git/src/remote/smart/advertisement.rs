//! The reference advertisement of a server: references and capabilities.

use super::pkt_line::{Frames, Packet, server_message};
use crate::git_error::GitError;
use crate::limits::{Limit, MAX_ADVERTISEMENT_BYTES, MAX_REF_BYTES, MAX_REFS};
use crate::remote::remote::RemoteRefs;
use git2::Oid;
use std::io::Read;

const ID_DIGITS: usize = 40;

#[derive(Debug, Default)]
pub(super) struct Advertisement {
    pub(super) refs: RemoteRefs,
    capabilities: Vec<String>,
}

impl Advertisement {
    /// Reads all references. Over HTTP a section with the service name comes first.
    pub(super) fn read(stream: &mut dyn Read) -> Result<Self, GitError> {
        let mut frames = Frames::new(stream, MAX_ADVERTISEMENT_BYTES, Limit::Advertisement);
        let mut found = Self::default();
        let mut lines = 0;
        loop {
            match frames.next()? {
                Some(Packet::Data(line)) if line.starts_with(b"# service=") => {
                    if frames.next()? != Some(Packet::Flush) {
                        return Err(GitError::protocol("it does not follow the Git protocol"));
                    }
                }
                Some(Packet::Data(line)) => {
                    lines += 1;
                    if lines > MAX_REFS {
                        return Err(GitError::RemoteLimit(Limit::Refs));
                    }
                    found.take(&line)?;
                }
                Some(Packet::Flush) => return Ok(found),
                None if lines == 0 => {
                    return Err(GitError::Unreachable {
                        reason: "it closed the connection without an answer".to_owned(),
                    });
                }
                None => return Err(GitError::protocol("the list of references is truncated")),
            }
        }
    }

    pub(super) fn can(&self, capability: &str) -> bool {
        self.capabilities.iter().any(|known| known == capability)
    }

    fn take(&mut self, line: &[u8]) -> Result<(), GitError> {
        if let Some(message) = line.strip_prefix(b"ERR ") {
            return Err(GitError::Refused { reason: server_message(message) });
        }
        let line = String::from_utf8_lossy(line);
        let (reference, capabilities) = match line.split_once('\0') {
            Some((reference, capabilities)) => (reference, Some(capabilities)),
            None => (line.as_ref(), None),
        };
        if let Some(capabilities) = capabilities.filter(|_| self.capabilities.is_empty()) {
            self.capabilities = capabilities.split_whitespace().map(ToOwned::to_owned).collect();
        }
        let Some((id, name)) = reference.trim_end().split_once(' ') else { return Ok(()) };
        let id = Some(id).filter(|id| id.len() == ID_DIGITS).and_then(|id| Oid::from_str(id).ok());
        let id = id.ok_or_else(|| GitError::protocol("it names a reference without a commit"))?;
        // Longer names are ignored.
        if name.len() > MAX_REF_BYTES {
            return Ok(());
        }
        if name == "HEAD" {
            self.refs.head = Some(id);
        } else if name.starts_with("refs/heads/") {
            self.refs.branches.insert(name.to_owned(), id);
        }
        Ok(())
    }
}
