//! Fetch and push as one request each.

use super::advertisement::Advertisement;
use super::connection::{Connection, Service};
use super::pkt_line::{self, FLUSH, Frames, Packet, server_message};
use super::side_band::SideBand;
use crate::exchange_deadline::ExchangeDeadline;
use crate::git_error::GitError;
use crate::limits::{Limit, Limits, MAX_REASON, MAX_REPORT_BYTES};
use crate::objects::pack::{self, StoredPack};
use crate::remote::outgoing::{self, Outgoing};
use crate::remote::remote::{PushAnswer, RefUpdate, Remote, RemoteRefs, Want};
use crate::remote::request_body::RequestBody;
use git2::{Oid, Repository};
use std::io::Read;

const AGENT: &str = concat!("agent=tgp/", env!("CARGO_PKG_VERSION"));
const NOTHING: &str = "0000000000000000000000000000000000000000";

pub(crate) struct SmartRemote<C> {
    connection: C,
}

impl<C: Connection> SmartRemote<C> {
    pub(crate) const fn new(connection: C) -> Self {
        Self { connection }
    }
}

impl<C: Connection> Remote for SmartRemote<C> {
    fn refs(&self, deadline: &ExchangeDeadline) -> Result<RemoteRefs, GitError> {
        self.scrubbed(|| {
            let mut conversation = self.connection.open(Service::UploadPack, deadline)?;
            let advertisement = Advertisement::read(conversation.greeting())?;
            conversation.leave();
            Ok(advertisement.refs)
        })
    }

    fn fetch(
        &self,
        repository: &Repository,
        want: Want<'_>,
        have: &[Oid],
        limits: &Limits,
        deadline: &ExchangeDeadline,
    ) -> Result<(Oid, StoredPack), GitError> {
        self.scrubbed(|| {
            let mut conversation = self.connection.open(Service::UploadPack, deadline)?;
            let advertisement = Advertisement::read(conversation.greeting())?;
            if !advertisement.can("side-band-64k") {
                return Err(GitError::protocol("it is too old: it cannot send packs beside messages"));
            }
            // A server may reject a commit that is not the tip of a branch any more, so the current tip is fetched.
            let want = advertisement.refs.at(want.name).unwrap_or(want.id);
            let mut start = Vec::new();
            pkt_line::put(&mut start, &format!("want {want} side-band-64k ofs-delta no-progress {AGENT}\n"));
            start.extend_from_slice(FLUSH);
            for id in have {
                pkt_line::put(&mut start, &format!("have {id}\n"));
            }
            pkt_line::put(&mut start, "done\n");
            let mut answer = conversation.ask(RequestBody { start, pack: None }, deadline)?;
            Ok((want, pack::receive(repository, &mut SideBand::new(&mut *answer), want, limits, deadline)?))
        })
    }

    fn push(
        &self,
        repository: &Repository,
        update: &RefUpdate,
        limits: &Limits,
        deadline: &ExchangeDeadline,
    ) -> Result<PushAnswer, GitError> {
        self.scrubbed(|| {
            let mut conversation = self.connection.open(Service::ReceivePack, deadline)?;
            let advertisement = Advertisement::read(conversation.greeting())?;
            let current = advertisement.refs.branches.get(&update.name).copied();
            if current != update.old {
                conversation.leave();
                return Ok(if current == Some(update.new) { PushAnswer::Moved } else { PushAnswer::Stale(current) });
            }
            let known: Vec<Oid> = advertisement.refs.branches.values().copied().collect();
            let outgoing = Outgoing::find(repository, update.new, &known, limits, deadline)?;
            let pack = outgoing::pack_file(repository, &outgoing, deadline)?;
            let old = update.old.map_or_else(|| NOTHING.to_owned(), |old| old.to_string());
            let mut start = Vec::new();
            pkt_line::put(&mut start, &format!("{old} {} {}\0report-status {AGENT}\n", update.new, update.name));
            start.extend_from_slice(FLUSH);
            // Its hooks may take their time, and say nothing until they are done.
            let mut answer =
                conversation.ask(RequestBody { start, pack: Some(pack) }, &deadline.without_idle_timeout())?;
            read_report(&mut *answer)
        })
    }
}

impl<C: Connection> SmartRemote<C> {
    /// What a server says may quote what we told it, and may be long.
    fn scrubbed<T>(&self, exchange: impl FnOnce() -> Result<T, GitError>) -> Result<T, GitError> {
        let mut result = exchange();
        if let Err(GitError::Refused { reason }) = &mut result {
            *reason = self.connection.scrub(reason).chars().take(MAX_REASON).collect();
        }
        result
    }
}

/// What became of the one reference that the request named.
fn read_report(answer: &mut dyn Read) -> Result<PushAnswer, GitError> {
    let mut frames = Frames::new(answer, MAX_REPORT_BYTES, Limit::Chatter);
    let mut moved = false;
    // To the very end: the server may still be at work after its report.
    while let Some(packet) = frames.next()? {
        let Packet::Data(line) = packet else { continue };
        let line = server_message(&line);
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
