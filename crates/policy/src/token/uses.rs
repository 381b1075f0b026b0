//! How often tokens were used. A token uses up those it was made from.

use super::capability::Capability;
use super::token_id::TokenId;
use crate::policy_error::PolicyError;
use parking_lot::Mutex;
use std::collections::HashMap;

/// Tokens with a count that are remembered at once.
const MAX_TOKENS: usize = 100_000;

#[derive(Debug, Clone, Copy, Default)]
struct Used {
    calls: u64,
    spent: u64,
    expires: Option<u64>,
}

#[derive(Debug, Default)]
pub struct Uses(Mutex<HashMap<TokenId, Used>>);

impl Uses {
    /// Counts one call, or refuses it and counts nothing.
    ///
    /// # Errors
    /// `Token` when the calls or the budget of the token, or of one that it was made from, are used up.
    pub fn begin(&self, capability: &Capability, now_ms: u64) -> Result<(), PolicyError> {
        let mut uses = self.0.lock();
        for limit in capability.limits() {
            let used = uses.get(&limit.id).copied().unwrap_or_default();
            if limit.calls.is_some_and(|calls| used.calls >= calls) {
                return Err(PolicyError::Token { reason: "Its calls are used up. Ask for a new one." });
            }
            if limit.budget.is_some_and(|budget| used.spent >= budget) {
                return Err(PolicyError::Token { reason: "Its budget is used up. Ask for a new one." });
            }
        }
        let new = capability.limits().filter(|limit| !uses.contains_key(&limit.id)).count();
        if uses.len() + new > MAX_TOKENS {
            uses.retain(|_, used| used.expires.is_none_or(|expires| expires > now_ms));
        }
        if uses.len() + new > MAX_TOKENS {
            return Err(PolicyError::Token { reason: "Too many tokens with a count are in use. Give them 'expires'." });
        }
        for limit in capability.limits() {
            let used = uses.entry(limit.id).or_default();
            used.calls += 1;
            used.expires = limit.expires;
        }
        Ok(())
    }

    /// Counts what a call cost, which is known when it has ended.
    pub fn spend(&self, capability: &Capability, cost: u64) {
        let mut uses = self.0.lock();
        for limit in capability.limits() {
            if let Some(used) = uses.get_mut(&limit.id) {
                used.spent = used.spent.saturating_add(cost);
            }
        }
    }
}
