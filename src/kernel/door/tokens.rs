//! Capability tokens: who may issue them, which still count, and how often each was used.

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
    /// Uses and revocations; in memory where tokens end with this kernel.
    tally: Tally,
    /// Costs of calls that are not counted yet, by family: no call begins before they are.
    unpaid: Mutex<VecDeque<(String, Vec<Count>)>>,
    /// Held by who counts them, which may take long.
    paying: Mutex<()>,
    is_settling: AtomicBool,
    /// Calls under way for which part of a budget is held, with their tokens.
    open: Mutex<Vec<(u64, TokenId)>>,
}

impl Tokens {
    /// With the keys of the application; without any, tokens end with this kernel.
    ///
    /// # Errors
    /// `Config` for keys that are too short, or invalid names.
    pub fn new(config: &TokensConfig) -> Result<Self, Error> {
        let given: Result<Vec<Key>, _> = config.keys.iter().map(|key| Key::new(key.expose().as_bytes())).collect();
        let mut given = given?.into_iter();
        let current = match given.next() {
            Some(key) => key,
            None => own_key()?,
        };
        let mut keys = Keys::new(current, given.collect());
        for id in &config.revoked {
            keys.revoke(token_id(id)?);
        }
        Ok(Self {
            keys: RwLock::new(keys),
            tally: Tally::in_memory(),
            unpaid: Mutex::default(),
            paying: Mutex::default(),
            is_settling: AtomicBool::new(false),
            open: Mutex::default(),
        })
    }

    /// Keeps uses and revocations in a folder, for all processes that share it: for tokens whose keys outlive this kernel.
    pub fn share(&mut self, folder: &Path) {
        self.tally = Tally::new(folder);
    }

    /// Closes the file of the counts.
    pub fn close(&self) {
        // What cannot be counted even now stays held.
        let _counted = self.pay();
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

    /// What a token says, whether or not it was revoked elsewhere: no file is looked at.
    ///
    /// # Errors
    /// `Denied` for a token that is not one of ours, was changed, or revoked in this process.
    pub fn read(&self, token: &str) -> Result<Capability, Error> {
        Ok(verify(&self.keys.read(), token)?)
    }

    /// # Errors
    /// `Denied` for a token that is not one of ours, was changed or revoked, `Io` where that is unknown.
    pub fn verify(&self, token: &str) -> Result<Capability, Error> {
        let capability = self.read(token)?;
        let names: Vec<String> = capability.chain().iter().map(revoked_name).collect();
        if self.tally.has_any(&names).map_err(uncounted)? {
            return Err(PolicyError::Token { reason: "It was revoked. Ask for a new one." }.into());
        }
        Ok(capability)
    }

    /// # Errors
    /// `Validation` for an invalid name, `Io` where it is revoked here and other processes do not know.
    pub fn revoke(&self, id: &str) -> Result<TokenId, Error> {
        let id = token_id(id)?;
        self.keys.write().revoke(id);
        self.tally.mark(&revoked_name(&id)).map_err(|_| {
            let text = "The token is revoked in this process, but the revocation cannot be written for others and for later. Make the folder .git/tgp below rootDir writable and revoke it again, or name the token in tokens.revoked.";
            Error::new(ErrorCode::Io, text)
        })?;
        Ok(id)
    }

    /// Counts one call that takes at most `most_ms`, or refuses it and counts nothing. Where there is a budget, the time is
    /// taken from it until the end of the call: as much as the call may take, or as is left.
    ///
    /// # Errors
    /// `Denied` when the calls or the budget of the token, or of one that it was made from, are used up; `Io` where it cannot
    /// be counted.
    pub fn begin(&self, capability: &Capability, most_ms: u64, now_ms: u64) -> Result<Option<u64>, Error> {
        let counts: Vec<Count> = capability.limits().flat_map(|limit| counts_of(limit, most_ms)).collect();
        if counts.is_empty() {
            return Ok(None);
        }
        self.pay()?;
        let reason = match self.tally.add(&family(capability), &counts, now_ms).map_err(uncounted)? {
            Counted::Done(held) => return Ok(held),
            Counted::UsedUp(place) if counts.get(place).is_some_and(|count| count.amount == Amount::Exactly(1)) => {
                "Its calls are used up. Ask for a new one."
            }
            Counted::UsedUp(_) => {
                "Its budget is used up. Wait for calls that still run, which hold part of it, or ask for a new one."
            }
            Counted::TooMany => {
                "Too many tokens with a count were made from the same one. Give them 'expires', or ask for a new one."
            }
        };
        Err(PolicyError::Token { reason }.into())
    }

    /// Notes what a call cost, which is known when it has ended, in the place of what was held for it. The call has happened, and it
    /// may be Node's thread that ends it: nothing waits here. `settle` counts it, or the next call does.
    pub fn spend(&self, capability: &Capability, held: u64, cost: u64) {
        let signed = |ms: u64| i64::try_from(ms).unwrap_or(i64::MAX);
        let amount = Amount::Exactly(signed(cost) - signed(held));
        let spent =
            |limit: TokenLimit| Count { name: spent_name(&limit.id), amount, below: None, until: limit.expires };
        let counts: Vec<Count> = capability.limits().filter(|limit| limit.budget.is_some()).map(spent).collect();
        if counts.is_empty() {
            return;
        }
        self.unpaid.lock().push_back((family(capability), counts));
    }

    /// Whether there are costs to be counted and no thread does so yet; then the caller has to have `settle` done.
    pub fn must_settle(&self) -> bool {
        !self.unpaid.lock().is_empty() && !self.is_settling.swap(true, Ordering::AcqRel)
    }

    /// Counts what ended calls cost. It may wait for another process.
    pub fn settle(&self) {
        loop {
            // What is not counted now is counted before the next call.
            let is_paid = self.pay().is_ok();
            self.not_settled();
            // A call may have ended since the last look.
            if !is_paid || !self.must_settle() {
                return;
            }
        }
    }

    /// No thread settles any more.
    pub fn not_settled(&self) {
        self.is_settling.store(false, Ordering::Release);
    }

    /// A call with a token has begun.
    pub fn opened(&self, call: u64, capability: &Capability) {
        if let Some(id) = capability.id() {
            self.open.lock().push((call, id));
        }
    }

    /// It has ended.
    pub fn closed(&self, call: u64) {
        self.open.lock().retain(|(open, _)| *open != call);
    }

    /// Whether a call that is open was made with this very token: what that asks for is part of it.
    pub fn holds_for(&self, call: u64, capability: &Capability) -> bool {
        self.open.lock().iter().any(|(open, id)| *open == call && Some(*id) == capability.id())
    }

    /// Counts one cost after the other.
    fn pay(&self) -> Result<(), Error> {
        let _turn = self.paying.lock();
        loop {
            let first = self.unpaid.lock().front().cloned();
            let Some((family, counts)) = first else { return Ok(()) };
            // `begin` has made room for them; where it is gone, the token has expired.
            self.tally.add(&family, &counts, 0).map_err(uncounted)?;
            self.unpaid.lock().pop_front();
        }
    }
}

/// What one call counts.
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

/// All tokens that were made from the same issued one.
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

fn uncounted(_: LedgerError) -> Error {
    let text = "The uses of tokens cannot be read or written, so no token is accepted. Make the folder .git/tgp below rootDir writable, then try again.";
    Error::new(ErrorCode::Io, text)
}

fn own_key() -> Result<Key, Error> {
    let mut bytes = [0; 32];
    let unmade = |_| Error::new(ErrorCode::Io, "The system gives no random bytes, so no key for tokens can be made.");
    SystemRandom::new().fill(&mut bytes).map_err(unmade)?;
    Ok(Key::new(&bytes)?)
}

fn token_id(text: &str) -> Result<TokenId, Error> {
    TokenId::parse(text).ok_or_else(|| {
        let message = "The name of a token has 32 hexadecimal digits; issueToken and the ledger show it.";
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
    fn calls_and_budget_are_counted_with_all_that_was_made_from_a_token() {
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
    fn calls_at_the_same_time_hold_no_more_than_the_budget() {
        let counted = tokens();
        let token = issued(&counted, &json!({"budget": 100}));
        let narrow = attenuate(&token, &json!({"budget": 50})).unwrap();
        let (capability, held) = begin(&counted, &narrow).unwrap();
        assert_eq!(held, Some(50), "what the narrowest has left");
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
