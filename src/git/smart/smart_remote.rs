//! Fetch and push as one request each.

use super::advertisement::Advertisement;
use super::connection::{Connection, Service};
use super::pkt_line::{self, FLUSH, Packet};
use crate::git::git_error::GitError;
use crate::git::object_copy::pack_of;
use crate::git::remote::{PushAnswer, RefUpdate, Remote, RemoteRefs};
use git2::{Oid, Repository};
use std::io::{Read, Write};

const AGENT: &str = concat!("agent=tgp/", env!("CARGO_PKG_VERSION"));
const NOTHING: &str = "0000000000000000000000000000000000000000";

const PACK_DATA: u8 = 1;
const PROGRESS: u8 = 2;

pub(crate) struct SmartRemote<C> {
    connection: C,
}

impl<C: Connection> SmartRemote<C> {
    pub(crate) const fn new(connection: C) -> Self {
        Self { connection }
    }
}

impl<C: Connection> Remote for SmartRemote<C> {
    fn refs(&self) -> Result<RemoteRefs, GitError> {
        let mut conversation = self.connection.open(Service::UploadPack)?;
        let advertisement = Advertisement::read(conversation.greeting())?;
        conversation.leave();
        Ok(advertisement.refs)
    }

    fn fetch(&self, repository: &Repository, want: Oid, have: &[Oid]) -> Result<(), GitError> {
        let mut conversation = self.connection.open(Service::UploadPack)?;
        let advertisement = Advertisement::read(conversation.greeting())?;
        if !advertisement.can("side-band-64k") {
            return Err(GitError::protocol("it is too old: it cannot send packs beside messages"));
        }
        let mut request = Vec::new();
        pkt_line::put(&mut request, &format!("want {want} side-band-64k ofs-delta no-progress {AGENT}\n"));
        request.extend_from_slice(FLUSH);
        for id in have {
            pkt_line::put(&mut request, &format!("have {id}\n"));
        }
        pkt_line::put(&mut request, "done\n");
        let mut answer = conversation.ask(request)?;
        receive_pack(repository, &mut *answer)
    }

    fn push(&self, repository: &Repository, update: &RefUpdate) -> Result<PushAnswer, GitError> {
        let mut conversation = self.connection.open(Service::ReceivePack)?;
        let advertisement = Advertisement::read(conversation.greeting())?;
        let current = advertisement.refs.branches.get(&update.name).copied();
        if current != update.old {
            conversation.leave();
            return Ok(if current == Some(update.new) { PushAnswer::Moved } else { PushAnswer::Stale(current) });
        }
        let known: Vec<Oid> = advertisement.refs.branches.values().copied().collect();
        let pack = pack_of(repository, update.new, &known)
            .map_err(|error| GitError::git("pack the commits for the remote", &error))?;
        let old = update.old.map_or_else(|| NOTHING.to_owned(), |old| old.to_string());
        let mut request = Vec::new();
        pkt_line::put(&mut request, &format!("{old} {} {}\0report-status {AGENT}\n", update.new, update.name));
        request.extend_from_slice(FLUSH);
        request.extend_from_slice(&pack);
        let mut answer = conversation.ask(request)?;
        read_report(&mut *answer)
    }
}

/// Skips what the server says about common commits and writes the pack that follows.
fn receive_pack(repository: &Repository, answer: &mut dyn Read) -> Result<(), GitError> {
    let failed = |error: git2::Error| GitError::git("store what the remote sent", &error);
    let odb = repository.odb().map_err(failed)?;
    let mut writer = odb.packwriter().map_err(failed)?;
    let mut received = 0;
    while let Some(packet) = pkt_line::read(answer)? {
        let Packet::Data(line) = packet else { continue };
        match line.split_first() {
            Some((&PACK_DATA, data)) => {
                received += data.len();
                writer.write_all(data).map_err(|_| GitError::protocol("it sent a pack that cannot be read"))?;
            }
            Some((&PROGRESS, _)) => {}
            Some((b'A' | b'N', _)) if received == 0 => {}
            _ => {
                let reason = String::from_utf8_lossy(&line);
                return Err(GitError::Refused { reason: reason.trim_start_matches(['\u{3}', ' ']).trim().to_owned() });
            }
        }
    }
    if received == 0 {
        return Err(GitError::protocol("it sent no pack"));
    }
    writer.commit().map(drop).map_err(|_| GitError::protocol("it sent a pack that cannot be read"))
}

/// What became of the one reference that the request named.
fn read_report(answer: &mut dyn Read) -> Result<PushAnswer, GitError> {
    let mut moved = false;
    // To the very end: the server may still be at work after its report.
    while let Some(packet) = pkt_line::read(answer)? {
        let Packet::Data(line) = packet else { continue };
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        if let Some(reason) = line.strip_prefix("unpack ").filter(|reason| *reason != "ok") {
            return Err(GitError::Refused { reason: format!("it could not take the commits ({reason})") });
        }
        if let Some(refusal) = line.strip_prefix("ng ") {
            let reason = refusal.split_once(' ').map_or(refusal, |(_, reason)| reason);
            return if is_decision(reason) {
                Err(GitError::Refused { reason: reason.to_owned() })
            } else {
                Ok(PushAnswer::Busy)
            };
        }
        moved |= line.starts_with("ok ");
    }
    if moved { Ok(PushAnswer::Moved) } else { Err(GitError::protocol("it did not say whether it took the push")) }
}

/// Whether trying again cannot help. Whatever else a server says about a reference means that somebody else was faster.
fn is_decision(reason: &str) -> bool {
    const WORDS: [&str; 6] = ["hook", "protected", "denied", "prohibited", "not allowed", "permission"];
    let reason = reason.to_ascii_lowercase();
    WORDS.iter().any(|word| reason.contains(word))
}
