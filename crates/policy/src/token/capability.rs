//! What a token that was checked allows.

use super::block::{Block, Grant};
use super::token_id::TokenId;
use crate::call::Call;
use crate::matching::matchers::Judged;
use crate::nearest::{change, in_words};
use crate::verdict::{Decision, Verdict};
use tgp_base::sql_detail::SqlDetail;

#[derive(Debug, Clone)]
pub struct Capability {
    /// The ids of the token and of those it was made from, the first one first.
    chain: Vec<TokenId>,
    blocks: Vec<Block>,
}

/// How often, or for how much, a token can be used; counted with all that was made from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
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

    /// The ids of the token and of those it was made from. To revoke one revokes all that were made from it.
    #[must_use]
    pub fn chain(&self) -> &[TokenId] {
        &self.chain
    }

    /// When the token, or one that it was made from, expires: milliseconds since 1970.
    #[must_use]
    pub fn expires(&self) -> Option<u64> {
        self.blocks.iter().filter_map(|block| block.expires).min()
    }

    pub fn limits(&self) -> impl Iterator<Item = Limit> {
        // The first id is that of the token before it had caveats.
        let narrowed = self.chain.iter().skip(1).zip(&self.blocks);
        narrowed.filter(|(_, block)| block.calls.is_some() || block.budget.is_some()).map(|(id, block)| Limit {
            id: *id,
            calls: block.calls,
            budget: block.budget,
            expires: self.expires(),
        })
    }

    /// Allows what every set of caveats covers, and denies the rest: a token asks nobody.
    #[must_use]
    pub fn judge(&self, call: &Call, now_ms: u64) -> Verdict {
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

    /// What the caveats look at in a statement of SQL.
    #[must_use]
    pub fn sql_detail(&self) -> SqlDetail {
        let grants = self.blocks.iter().flat_map(|block| &block.grants).filter(|grant| grant.targets.mean_sql());
        grants.map(|grant| grant.matchers.sql_detail()).max().unwrap_or_default()
    }

    /// Whether some call like this one is allowed, whatever is not known of it: what is worth showing to the holder.
    #[must_use]
    pub fn may_allow(&self, call: &Call, now_ms: u64) -> bool {
        self.expires().is_none_or(|expires| now_ms < expires) && self.blocks.iter().all(|block| block.may_cover(call))
    }

    fn verdict(&self, decision: Decision, reason: &str, nearest: Option<String>) -> Verdict {
        let at = self.id().map_or_else(|| "token".to_owned(), |id| format!("token:{id}"));
        Verdict { verdict: decision, rule: "token".into(), at: at.into(), reason: reason.into(), nearest }
    }

    /// The same tool, so that the caveats cover the call.
    fn nearest(&self, block: &Block, call: &Call) -> Option<String> {
        let judged = Judged::new(call, &block.globs);
        let propose = |grant: &Grant| {
            let mut changed = call.clone();
            let parts = grant.matchers.uncovered(&judged);
            for part in &parts {
                change(&mut changed, &grant.matchers, *part, &block.globs)?;
            }
            let covered = !parts.is_empty() && self.blocks.iter().all(|block| block.covers(&changed));
            let words = parts.iter().map(|part| in_words(&grant.matchers, *part, &block.globs));
            covered.then(|| words.collect::<Vec<_>>().join(" "))
        };
        let words = block.grants.iter().filter(|grant| grant.targets.cover(call)).find_map(propose)?;
        Some(format!("{} {words}.", call.tool))
    }
}
