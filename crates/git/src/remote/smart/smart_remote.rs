//! Fetch and push over the smart protocol, one request each.

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
            let advertisement = Advertisement::read(conversation.advertisement())?;
            conversation.close();
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
            let advertisement = Advertisement::read(conversation.advertisement())?;
            if !advertisement.can("side-band-64k") {
                return Err(GitError::protocol("it is too old: it does not support side-band-64k"));
            }
            // A server may refuse a commit that is no longer the tip of a branch, so the current tip is fetched.
            let want = advertisement.refs.at(want.name).unwrap_or(want.id);
            let mut start = Vec::new();
            pkt_line::put(&mut start, &format!("want {want} side-band-64k ofs-delta no-progress {AGENT}\n"));
            start.extend_from_slice(FLUSH);
            for id in have {
                pkt_line::put(&mut start, &format!("have {id}\n"));
            }
            pkt_line::put(&mut start, "done\n");
            let mut answer = conversation.request(RequestBody { start, pack: None }, deadline)?;
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
            let advertisement = Advertisement::read(conversation.advertisement())?;
            let current = advertisement.refs.branches.get(&update.name).copied();
            if current != update.old {
                conversation.close();
                return Ok(if current == Some(update.new) { PushAnswer::Moved } else { PushAnswer::Stale(current) });
            }
            let known: Vec<Oid> = advertisement.refs.branches.values().copied().collect();
            let outgoing = Outgoing::find(repository, update.new, &known, limits, deadline)?;
            let pack = outgoing::pack_file(repository, &outgoing, deadline)?;
            let old = update.old.map_or_else(|| NOTHING.to_owned(), |old| old.to_string());
            let mut start = Vec::new();
            pkt_line::put(&mut start, &format!("{old} {} {}\0report-status {AGENT}\n", update.new, update.name));
            start.extend_from_slice(FLUSH);
            // Hooks may run for a long time without output.
            let mut answer =
                conversation.request(RequestBody { start, pack: Some(pack) }, &deadline.without_idle_timeout())?;
            read_report(&mut *answer)
        })
    }
}

impl<C: Connection> SmartRemote<C> {
    /// Masks secrets in a refusal of the server, then truncates it.
    fn scrubbed<T>(&self, exchange: impl FnOnce() -> Result<T, GitError>) -> Result<T, GitError> {
        let mut result = exchange();
        if let Err(GitError::Refused { reason }) = &mut result {
            *reason = self.connection.scrub(reason).chars().take(MAX_REASON).collect();
        }
        result
    }
}

/// Reads the result of the push from the report.
fn read_report(answer: &mut dyn Read) -> Result<PushAnswer, GitError> {
    let mut frames = Frames::new(answer, MAX_REPORT_BYTES, Limit::Chatter);
    let mut moved = false;
    // Read to the end: the server may still be working after its report.
    while let Some(packet) = frames.next()? {
        let Packet::Data(line) = packet else { continue };
        let line = server_message(&line);
        if let Some(reason) = line.strip_prefix("unpack ").filter(|reason| *reason != "ok") {
            return Err(GitError::Refused { reason: format!("it could not unpack the commits ({reason})") });
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
    if moved { Ok(PushAnswer::Moved) } else { Err(GitError::protocol("it did not report the result of the push")) }
}

/// Whether a refusal is permanent. Any other refusal of a reference is a lost race with another push.
fn is_decision(reason: &str) -> bool {
    const PERMANENT: [&str; 6] = ["hook", "protected", "denied", "prohibited", "not allowed", "permission"];
    let reason = reason.to_ascii_lowercase();
    PERMANENT.iter().any(|phrase| reason.contains(phrase))
}
