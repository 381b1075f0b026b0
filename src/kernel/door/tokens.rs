//! Capability tokens: keys, revocation, and counters of calls and time.

use crate::kernel::config::TokensConfig;
use parking_lot::{Mutex, RwLock};
use ring::rand::{SecureRandom, SystemRandom};
use serde_json::Value;
use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use tgp_base::error::{Error, ErrorCode};
use tgp_ledger::{Amount, Count, Counted, LedgerError, Tally};
use tgp_policy::{Capability, Key, Keys, PolicyError, TokenId, TokenLimit, Tools, issue, verify};

pub struct Tokens {
    keys: RwLock<Keys>,
    /// Uses and revocations; in memory when tokens end with this kernel.
    tally: Tally,
    /// Costs of ended calls that are not counted yet, by family. No call begins before they are counted.
    pending_costs: Mutex<VecDeque<(String, Vec<Count>)>>,
    /// Serialises counting, which may take long.
    counting: Mutex<()>,
    /// Whether a thread flushes the pending costs.
    is_flushing: AtomicBool,
    /// Open calls with their tokens.
    open: Mutex<Vec<(u64, TokenId)>>,
}

impl Tokens {
    /// Uses the application's keys; without any, a key that ends with this kernel.
    ///
    /// # Errors
    /// `Config` for keys that are too short, or invalid names.
    pub fn new(config: &TokensConfig) -> Result<Self, Error> {
        let keys: Result<Vec<Key>, _> = config.keys.iter().map(|key| Key::new(key.expose().as_bytes())).collect();
        let mut configured = keys?.into_iter();
        let current = match configured.next() {
            Some(key) => key,
            None => own_key()?,
        };
        let mut keys = Keys::new(current, configured.collect());
        for id in &config.revoked {
            keys.revoke(token_id(id)?);
        }
        Ok(Self {
            keys: RwLock::new(keys),
            tally: Tally::in_memory(),
            pending_costs: Mutex::default(),
            counting: Mutex::default(),
            is_flushing: AtomicBool::new(false),
            open: Mutex::default(),
        })
    }

    /// Stores uses and revocations in a folder that processes share, for tokens whose keys outlive this kernel.
    pub fn share(&mut self, folder: &Path) {
        self.tally = Tally::new(folder);
    }

    /// Closes the file of the counters.
    pub fn close(&self) {
        // What cannot be counted stays reserved.
        let _counted = self.count_pending();
        self.tally.close();
    }

    /// # Errors
    /// `Validation` for invalid caveats.
    pub fn issue(&self, caveats: &Value, tools: &Tools) -> Result<(String, Option<TokenId>), Error> {
        let keys = self.keys.read();
        let token = issue(&keys, caveats, tools)?;
        let id = verify(&keys, &token)?.id();
        Ok((token, id))
    }

    /// Verifies a token without reading files, so that a revocation by another process is not noticed.
    ///
    /// # Errors
    /// `Denied` for a token that is not ours, was changed, or was revoked in this process.
    pub fn read(&self, token: &str) -> Result<Capability, Error> {
        Ok(verify(&self.keys.read(), token)?)
    }

    /// Verifies a token, including revocations by other processes.
    ///
    /// # Errors
    /// `Denied` for a token that is not ours, was changed or revoked, `Io` if revocations cannot be read.
    pub fn verify(&self, token: &str) -> Result<Capability, Error> {
        let capability = self.read(token)?;
        let names: Vec<String> = capability.chain().iter().map(revoked_name).collect();
        if self.tally.has_any(&names).map_err(counters_unavailable)? {
            return Err(PolicyError::Token { reason: "It was revoked. Request a new one." }.into());
        }
        Ok(capability)
    }

    /// # Errors
    /// `Validation` for an invalid id, `Io` if it is revoked in this process only.
    pub fn revoke(&self, id: &str) -> Result<TokenId, Error> {
        let id = token_id(id)?;
        self.keys.write().revoke(id);
        self.tally.mark(&revoked_name(&id)).map_err(|_| {
            let text = "The token is revoked in this process only, because the revocation cannot be stored. Make the folder .git/tgp below rootDir writable and revoke it again, or add the token to tokens.revoked.";
            Error::new(ErrorCode::Io, text)
        })?;
        Ok(id)
    }

    /// Counts one call of at most `most_ms`, or refuses it and counts nothing. With a budget, reserves the call's time
    /// limit, or what is left, until its end.
    ///
    /// # Errors
    /// `Denied` when the calls or budget of the token or of a parent token are used up; `Io` if it cannot be counted.
    pub fn begin(&self, capability: &Capability, most_ms: u64, now_ms: u64) -> Result<Option<u64>, Error> {
        let counts: Vec<Count> = capability.limits().flat_map(|limit| counts_of(limit, most_ms)).collect();
        if counts.is_empty() {
            return Ok(None);
        }
        self.count_pending()?;
        let reason = match self.tally.add(&family(capability), &counts, now_ms).map_err(counters_unavailable)? {
            Counted::Done(held) => return Ok(held),
            Counted::UsedUp(place) if counts.get(place).is_some_and(|count| count.amount == Amount::Exactly(1)) => {
                "Its calls are used up. Request a new one."
            }
            Counted::UsedUp(_) => {
                "Its budget is used up. Wait for running calls, which reserve part of it, or request a new one."
            }
            Counted::TooMany => {
                "Too many counted tokens were derived from the same one. Give them 'expires', or request a new one."
            }
        };
        Err(PolicyError::Token { reason }.into())
    }

    /// Replaces a call's reservation by its actual cost, at its end. Never blocks, as this may be Node's thread:
    /// `flush_costs` or the next call counts it.
    pub fn spend(&self, capability: &Capability, held: u64, cost: u64) {
        let signed = |ms: u64| i64::try_from(ms).unwrap_or(i64::MAX);
        let amount = Amount::Exactly(signed(cost) - signed(held));
        let spent =
            |limit: TokenLimit| Count { name: spent_name(&limit.id), amount, below: None, until: limit.expires };
        let counts: Vec<Count> = capability.limits().filter(|limit| limit.budget.is_some()).map(spent).collect();
        if counts.is_empty() {
            return;
        }
        self.pending_costs.lock().push_back((family(capability), counts));
    }

    /// True if costs are pending and no other thread flushes them: then the caller must run `flush_costs`, or
    /// `release_flush`.
    #[must_use]
    pub fn claim_flush(&self) -> bool {
        !self.pending_costs.lock().is_empty() && !self.is_flushing.swap(true, Ordering::AcqRel)
    }

    /// Counts pending costs after `claim_flush`. May wait for another process.
    pub fn flush_costs(&self) {
        loop {
            // What is not counted now is counted before the next call.
            let is_counted = self.count_pending().is_ok();
            self.release_flush();
            // A call may have ended meanwhile.
            if !is_counted || !self.claim_flush() {
                return;
            }
        }
    }

    /// Lets another thread flush.
    pub fn release_flush(&self) {
        self.is_flushing.store(false, Ordering::Release);
    }

    /// Adds an open call with a token.
    pub fn opened(&self, call: u64, capability: &Capability) {
        if let Some(id) = capability.id() {
            self.open.lock().push((call, id));
        }
    }

    /// Removes an open call.
    pub fn closed(&self, call: u64) {
        self.open.lock().retain(|(open, _)| *open != call);
    }

    /// Whether the open call has this very token, so that its nested calls are part of it.
    pub fn holds_for(&self, call: u64, capability: &Capability) -> bool {
        self.open.lock().iter().any(|(open, id)| *open == call && Some(*id) == capability.id())
    }

    /// Counts pending costs in order.
    fn count_pending(&self) -> Result<(), Error> {
        let _turn = self.counting.lock();
        loop {
            let first = self.pending_costs.lock().front().cloned();
            let Some((family, counts)) = first else { return Ok(()) };
            // `begin` created the counters; a missing one means that the token has expired.
            self.tally.add(&family, &counts, 0).map_err(counters_unavailable)?;
            self.pending_costs.lock().pop_front();
        }
    }
}

/// The counters that one call changes.
fn counts_of(limit: TokenLimit, most_ms: u64) -> impl Iterator<Item = Count> {
    let calls = limit.calls.map(|most| (calls_name(&limit.id), Amount::Exactly(1), most));
    let spent = limit.budget.map(|most| (spent_name(&limit.id), Amount::UpTo(most_ms.max(1)), most));
    let until = limit.expires;
    [calls, spent].into_iter().flatten().map(move |(name, amount, most)| Count {
        name,
        amount,
        below: Some(most),
        until,
    })
}

/// The id of the issued token from which this one is derived.
fn family(capability: &Capability) -> String {
    capability.chain().first().map(TokenId::to_string).unwrap_or_default()
}

fn revoked_name(id: &TokenId) -> String {
    format!("token {id} revoked")
}

fn calls_name(id: &TokenId) -> String {
    format!("token {id} calls")
}

fn spent_name(id: &TokenId) -> String {
    format!("token {id} spent")
}

fn counters_unavailable(_: LedgerError) -> Error {
    let text = "Token counters cannot be read or written, so no token is accepted. Make the folder .git/tgp below rootDir writable, then try again.";
    Error::new(ErrorCode::Io, text)
}

fn own_key() -> Result<Key, Error> {
    let mut bytes = [0; 32];
    let no_random_bytes = |_| Error::new(ErrorCode::Io, "No token key can be created: the system has no random bytes.");
    SystemRandom::new().fill(&mut bytes).map_err(no_random_bytes)?;
    Ok(Key::new(&bytes)?)
}

fn token_id(text: &str) -> Result<TokenId, Error> {
    TokenId::parse(text).ok_or_else(|| {
        let message = "A token id has 32 hexadecimal digits; issueToken and the ledger show it.";
        Error::new(ErrorCode::Validation, message).with("field", "id")
    })
}

#[cfg(test)]
mod tests {
    use super::Tokens;
    use crate::kernel::config::TokensConfig;
    use serde_json::{Value, json};
    use tgp_policy::{Capability, attenuate};

    fn tokens() -> Tokens {
        Tokens::new(&TokensConfig::default()).unwrap()
    }

    fn issued(tokens: &Tokens, caveats: &Value) -> String {
        let tools = crate::kernel::door::known_tools::known_tools(&[], tgp_sql::Dialect::Any);
        tokens.issue(caveats, &tools).unwrap().0
    }

    fn begin(tokens: &Tokens, token: &str) -> Result<(Capability, Option<u64>), String> {
        let capability = tokens.verify(token).map_err(|error| error.message)?;
        let held = tokens.begin(&capability, 60, 0).map_err(|error| error.message)?;
        Ok((capability, held))
    }

    fn call(tokens: &Tokens, token: &str, cost: u64) {
        let (capability, held) = begin(tokens, token).unwrap();
        tokens.spend(&capability, held.unwrap_or_default(), cost);
    }

    #[test]
    fn derived_tokens_share_calls_and_budget() {
        let counted = tokens();
        let token = issued(&counted, &json!({"calls": 3, "budget": 100}));
        let one = attenuate(&token, &json!({"calls": 1})).unwrap();
        let other = attenuate(&token, &json!({"mode": "explore"})).unwrap();
        call(&counted, &one, 1);
        assert!(begin(&counted, &one).unwrap_err().contains("Its calls are used up."));
        assert!(begin(&counted, &other).is_ok() && begin(&counted, &token).is_ok());
        assert!(begin(&counted, &other).is_err() && begin(&counted, &token).is_err());
        let token = issued(&counted, &json!({"calls": 3, "budget": 100}));
        let other = attenuate(&token, &json!({"mode": "explore"})).unwrap();
        call(&counted, &other, 99);
        call(&counted, &token, 1);
        assert!(begin(&counted, &other).unwrap_err().contains("Its budget is used up."));
    }

    #[test]
    fn concurrent_calls_reserve_at_most_the_budget() {
        let counted = tokens();
        let token = issued(&counted, &json!({"budget": 100}));
        let narrow = attenuate(&token, &json!({"budget": 50})).unwrap();
        let (capability, held) = begin(&counted, &narrow).unwrap();
        assert_eq!(held, Some(50), "the rest of the narrowest budget");
        let (_, other) = begin(&counted, &token).unwrap();
        assert_eq!(other, Some(50));
        assert!(begin(&counted, &token).unwrap_err().contains("Its budget is used up."));
        counted.spend(&capability, 50, 10);
        assert_eq!(begin(&counted, &token).unwrap().1, Some(40));
        assert_eq!(begin(&counted, &issued(&counted, &json!({"calls": 1}))).unwrap().1, None);
    }

    #[test]
    fn a_cost_that_could_not_be_counted_is_counted_before_the_next_call() {
        let place = tempfile::tempdir().unwrap();
        let mut counted = tokens();
        let token = issued(&counted, &json!({"budget": 1}));
        counted.share(&place.path().join("missing"));
        let capability = counted.verify(&token).unwrap();
        counted.spend(&capability, 0, 1);
        assert!(begin(&counted, &token).unwrap_err().contains("no token is accepted"));
        std::fs::create_dir(place.path().join("missing")).unwrap();
        assert!(begin(&counted, &token).unwrap_err().contains("Its budget is used up."));
    }
}
