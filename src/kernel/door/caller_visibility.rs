//! The files that the caller of an admitted call may see beside those that it named.

use super::approvals::no_approver;
use super::gate::{Admission, Gate};
use super::rules::InForce;
use super::strictest_verdict::{now_ms, read_alone};
use std::sync::Arc;
use tgp_base::call::{SharedVisibility, Visibility};
use tgp_base::effect::{Effect, Effects};
use tgp_base::error::Error;
use tgp_policy::{CallFacts, Capability, Decision, Fact, PolicyError, Verdict};

struct CallerVisibility {
    gate: Arc<Gate>,
    /// The call as rules see it.
    call: CallFacts,
    capability: Option<Capability>,
    /// Files that it was admitted for.
    reached: Vec<String>,
}

/// The visible files of the caller of a call; all files without rules.
pub fn visibility_of(gate: &Arc<Gate>, admitted: &mut Admission) -> SharedVisibility {
    let visibility = admitted.judged.take().map(|call| CallerVisibility {
        gate: Arc::clone(gate),
        call,
        capability: admitted.capability.clone(),
        reached: std::mem::take(&mut admitted.reached),
    });
    SharedVisibility(visibility.map(|visibility| Arc::new(visibility) as Arc<dyn Visibility>))
}

impl CallerVisibility {
    /// The same call about another file.
    fn about(&self, path: &str) -> CallFacts {
        CallFacts { paths: Fact::Known(vec![path.to_owned()]), ..self.call.clone() }
    }

    /// The reads that would show the file to the caller: as part of the call, and as `read_file`.
    fn readings(&self, path: &str) -> [CallFacts; 2] {
        let part = CallFacts { effects: Effects::NONE.with(Effect::Read), ..self.about(path) };
        [read_alone(&part), part]
    }

    fn of_token(&self, call: &CallFacts) -> Option<Verdict> {
        let verdict = self.capability.as_ref()?.judge(call, now_ms());
        (verdict.decision != Decision::Allow).then_some(verdict)
    }

    /// The strictest verdict against a file by an explicit rule or by the token.
    fn against(&self, path: &str) -> Option<Verdict> {
        let of_rules = match self.gate.rules.in_force() {
            InForce::Policy(policy) => {
                let read = self.readings(path).into_iter().map(|call| policy.judge(&call));
                read.filter(|verdict| verdict.decision != Decision::Allow && &*verdict.rule != "default").collect()
            }
            InForce::AllowAll | InForce::Hook => Vec::new(),
        };
        of_rules.into_iter().chain(self.of_token(&self.about(path))).reduce(Verdict::or_stricter)
    }

    /// Whether the rules allow one of these calls without approval.
    fn allows(&self, calls: &[CallFacts]) -> bool {
        match self.gate.rules.in_force() {
            InForce::AllowAll => true,
            InForce::Hook => false,
            InForce::Policy(policy) => calls.iter().any(|call| policy.decide(call) == Decision::Allow),
        }
    }
}

impl Visibility for CallerVisibility {
    fn refusal(&self, path: &str) -> Option<Error> {
        if self.reached.iter().any(|reached| reached == path) {
            return None;
        }
        let tool = self.call.tool.clone();
        self.against(path).map(|verdict| match verdict.decision {
            Decision::Ask => no_approver(&tool, &verdict),
            Decision::Allow | Decision::Deny => PolicyError::Denied { tool, verdict: Box::new(verdict) }.into(),
        })
    }

    fn shows(&self, path: &str) -> bool {
        let [read, part] = self.readings(path);
        self.allows(&[read, part, self.about(path)]) && self.against(path).is_none()
    }

    fn runs(&self, path: &str) -> bool {
        let effects = Effects::NONE.with(Effect::Run);
        let run = CallFacts { tool: "exec_tool".to_owned(), effects, args: Fact::Unknown, ..self.about(path) };
        self.allows(std::slice::from_ref(&run)) && self.of_token(&run).is_none()
    }
}
