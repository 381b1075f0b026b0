//! Capability tokens: who may issue them, which still count, and how often each was used.

use crate::kernel::config::TokensConfig;
use parking_lot::RwLock;
use ring::rand::{SecureRandom, SystemRandom};
use serde_json::Value;
use std::path::Path;
use tgp_base::error::{Error, ErrorCode};
use tgp_ledger::{Count, Counted, LedgerError, Tally};
use tgp_policy::{Capability, Key, Keys, Limit, PolicyError, TokenId, Tools, Uses, issue, verify};

pub struct Tokens {
    keys: RwLock<Keys>,
    uses: Uses,
    life: Life,
}

/// How long tokens live, and so where their uses are counted.
enum Life {
    /// As long as this kernel.
    Kernel,
    /// As long as their key, which other processes have too.
    Keys,
    Counted(Tally),
}

impl Tokens {
    /// With the keys of the application; without any, tokens end with this kernel.
    ///
    /// # Errors
    /// `Config` for keys that are too short, or names that are none.
    pub fn new(config: &TokensConfig) -> Result<Self, Error> {
        let given: Result<Vec<Key>, _> = config.keys.iter().map(|key| Key::new(key.expose().as_bytes())).collect();
        let mut given = given?.into_iter();
        let current = match given.next() {
            Some(key) => key,
            None => own_key()?,
        };
        let life = if config.keys.is_empty() { Life::Kernel } else { Life::Keys };
        let mut keys = Keys::new(current, given.collect());
        for id in &config.revoked {
            keys.revoke(token_id(id)?);
        }
        Ok(Self { keys: RwLock::new(keys), uses: Uses::default(), life })
    }

    /// Has uses and revocations of tokens that outlive this kernel kept in a folder, for all processes that share it.
    pub fn share(&mut self, folder: &Path) {
        if matches!(self.life, Life::Keys) {
            self.life = Life::Counted(Tally::new(folder));
        }
    }

    /// # Errors
    /// `Validation` for caveats that cannot be meant.
    pub fn issue(&self, caveats: &Value, tools: &Tools) -> Result<(String, Option<TokenId>), Error> {
        let keys = self.keys.read();
        let token = issue(&keys, caveats, tools)?;
        let id = verify(&keys, &token)?.id();
        Ok((token, id))
    }

    /// # Errors
    /// `Denied` for a token that is not one of ours, was changed or revoked, `Io` where nobody can know.
    pub fn verify(&self, token: &str) -> Result<Capability, Error> {
        let capability = verify(&self.keys.read(), token)?;
        if let Life::Counted(tally) = &self.life {
            let names: Vec<String> = capability.chain().iter().map(revoked_name).collect();
            if tally.has_any(&names).map_err(uncounted)? {
                return Err(PolicyError::Token { reason: "It was revoked. Ask for a new one." }.into());
            }
        }
        Ok(capability)
    }

    /// # Errors
    /// `Validation` for what is no name of a token, `Io` where it is revoked here and other processes cannot be told.
    pub fn revoke(&self, id: &str) -> Result<TokenId, Error> {
        let id = token_id(id)?;
        self.keys.write().revoke(id);
        if let Life::Counted(tally) = &self.life {
            let name = revoked_name(&id);
            tally.add(&[Count { name, amount: 1, below: None, until: None }], 0).map_err(uncounted)?;
        }
        Ok(id)
    }

    /// Counts one call, or refuses it and counts nothing.
    ///
    /// # Errors
    /// `Denied` when the calls or the budget of the token, or of one that it was made from, are used up; `Io` where nobody can
    /// count.
    pub fn begin(&self, capability: &Capability, now_ms: u64) -> Result<(), Error> {
        let Life::Counted(tally) = &self.life else { return Ok(self.uses.begin(capability, now_ms)?) };
        let count = |limit: &Limit, name: String, amount, below| Count { name, amount, below, until: limit.expires };
        let counts: Vec<Count> = capability
            .limits()
            .flat_map(|limit| {
                let calls = count(&limit, calls_name(&limit.id), 1, limit.calls);
                [calls, count(&limit, spent_name(&limit.id), 0, limit.budget)]
            })
            .collect();
        if counts.is_empty() {
            return Ok(());
        }
        let reason = match tally.add(&counts, now_ms).map_err(uncounted)? {
            Counted::Done => return Ok(()),
            Counted::UsedUp(place) if place.is_multiple_of(2) => "Its calls are used up. Ask for a new one.",
            Counted::UsedUp(_) => "Its budget is used up. Ask for a new one.",
            Counted::TooMany => "Too many tokens with a count are in use. Give them 'expires'.",
        };
        Err(PolicyError::Token { reason }.into())
    }

    /// Counts what a call cost, which is known when it has ended.
    pub fn spend(&self, capability: &Capability, cost: u64) {
        let Life::Counted(tally) = &self.life else { return self.uses.spend(capability, cost) };
        let spent =
            |limit: Limit| Count { name: spent_name(&limit.id), amount: cost, below: None, until: limit.expires };
        let counts: Vec<Count> = capability.limits().filter(|limit| limit.budget.is_some()).map(spent).collect();
        if !counts.is_empty() {
            // The call has happened. Where nothing can be counted, the next one is refused.
            let _refused_next = tally.add(&counts, 0);
        }
    }
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
    let text = "The uses of tokens cannot be read or written, so no token counts now. See that the folder .git/tgp below rootDir can be written, then try again.";
    Error::new(ErrorCode::Io, text)
}

fn own_key() -> Result<Key, Error> {
    let mut bytes = [0; 32];
    let unmade = |_| Error::new(ErrorCode::Io, "The machine gives no random bytes, so no key for tokens can be made.");
    SystemRandom::new().fill(&mut bytes).map_err(unmade)?;
    Ok(Key::new(&bytes)?)
}

fn token_id(text: &str) -> Result<TokenId, Error> {
    TokenId::parse(text).ok_or_else(|| {
        let message = "The name of a token has 32 hexadecimal digits; issueToken and the ledger say it.";
        Error::new(ErrorCode::Validation, message).with("field", "id")
    })
}
