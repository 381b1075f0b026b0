//! A verified token.

use super::block::{Block, Grant};
use super::token_id::TokenId;
use crate::call_facts::CallFacts;
use crate::matching::matchers::IndexedCall;
use crate::nearest::{change, condition_text};
use crate::verdict::{Decision, Verdict};
use tgp_base::sql_detail::SqlDetail;

#[derive(Debug, Clone)]
pub struct Capability {
    /// The ids of the token and its ancestors, the oldest first.
    chain: Vec<TokenId>,
    blocks: Vec<Block>,
}

/// The use limits of a token, shared with all tokens derived from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenLimit {
    pub id: TokenId,
    pub calls: Option<u64>,
    pub budget: Option<u64>,
    /// Milliseconds since 1970.
    pub expires: Option<u64>,
}

impl Capability {
    pub(super) fn new(chain: Vec<TokenId>, blocks: Vec<Block>) -> Self {
        Self { chain, blocks }
    }

    /// The id of the token itself.
    #[must_use]
    pub fn id(&self) -> Option<TokenId> {
        self.chain.last().copied()
    }

    /// The ids of the token and its ancestors. Revoking one revokes all tokens derived from it.
    #[must_use]
    pub fn chain(&self) -> &[TokenId] {
        &self.chain
    }

    /// The earliest expiry of the token and its ancestors, in milliseconds since 1970.
    #[must_use]
    pub fn expires(&self) -> Option<u64> {
        self.blocks.iter().filter_map(|block| block.expires).min()
    }

    pub fn limits(&self) -> impl Iterator<Item = TokenLimit> {
        // The first id belongs to the token without caveats.
        let narrowed = self.chain.iter().skip(1).zip(&self.blocks);
        narrowed.filter(|(_, block)| block.calls.is_some() || block.budget.is_some()).map(|(id, block)| TokenLimit {
            id: *id,
            calls: block.calls,
            budget: block.budget,
            expires: self.expires(),
        })
    }

    /// Allows calls that every block covers, and denies all others. A token never asks.
    #[must_use]
    pub fn judge(&self, call: &CallFacts, now_ms: u64) -> Verdict {
        if self.expires().is_some_and(|expires| now_ms >= expires) {
            return self.verdict(Decision::Deny, "The token has expired. Ask for a new one.", None);
        }
        match self.blocks.iter().find(|block| !block.covers(call)) {
            None => self.verdict(Decision::Allow, "The token covers this call.", None),
            Some(block) => {
                let reason = "The token does not cover this call.";
                self.verdict(Decision::Deny, reason, self.nearest(block, call))
            }
        }
    }

    /// The details of SQL statements that the caveats depend on.
    #[must_use]
    pub fn sql_detail(&self) -> SqlDetail {
        let grants = self.blocks.iter().flat_map(|block| &block.grants).filter(|grant| grant.targets.include_sql());
        grants.map(|grant| grant.matchers.sql_detail()).max().unwrap_or_default()
    }

    /// Whether the call may be allowed, depending on its unknown parts. Decides which tools a holder sees.
    #[must_use]
    pub fn may_allow(&self, call: &CallFacts, now_ms: u64) -> bool {
        self.expires().is_none_or(|expires| now_ms < expires) && self.blocks.iter().all(|block| block.may_cover(call))
    }

    fn verdict(&self, decision: Decision, reason: &str, nearest: Option<String>) -> Verdict {
        let at = self.id().map_or_else(|| "token".to_owned(), |id| format!("token:{id}"));
        Verdict { decision, rule: "token".into(), at: at.into(), reason: reason.into(), nearest }
    }

    /// A call of the same tool that the caveats cover, as text.
    fn nearest(&self, block: &Block, call: &CallFacts) -> Option<String> {
        let judged = IndexedCall::new(call, &block.globs);
        let propose = |grant: &Grant| {
            let mut changed = call.clone();
            let parts = grant.matchers.uncovered(&judged);
            for part in &parts {
                change(&mut changed, &grant.matchers, *part, &block.globs)?;
            }
            let covered = !parts.is_empty() && self.blocks.iter().all(|block| block.covers(&changed));
            let words = parts.iter().map(|part| condition_text(&grant.matchers, *part, &block.globs));
            covered.then(|| words.collect::<Vec<_>>().join(" "))
        };
        let words = block.grants.iter().filter(|grant| grant.targets.cover(call)).find_map(propose)?;
        Some(format!("{} {words}.", call.tool))
    }
}
