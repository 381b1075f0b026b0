//! Reviews of plans: the rules in `reviews:` of the policy, or a default.

use super::assertions::actual;
use super::guardian::Guardian;
use crate::kernel::door::{InForce, canonical_path};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;
use tgp_base::error::{Error, ErrorCode};
use tgp_policy::{Assertion, Expectation, ReviewRule};

const MAX_STEPS: usize = 1_000;

/// A plan, as far as it is reviewed. Other members are for its executor.
#[derive(Debug, Deserialize)]
struct Plan {
    #[serde(default)]
    steps: Vec<Step>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Step {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    file_path: Option<String>,
}

/// The decision on a plan.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum ReviewDecision {
    Approve { justification: String },
    Deny { reason: String },
}

impl Guardian {
    /// Reviews a plan by the rules of the policy. Without rules, a plan that deletes a file that others import is denied.
    ///
    /// # Errors
    /// `Validation` for an invalid plan; those of the rules' queries.
    pub fn review(&self, plan_json: &str) -> Result<ReviewDecision, Error> {
        let plan: Plan = serde_json::from_str(plan_json).map_err(|error| invalid_plan(&format!("{error}")))?;
        if plan.steps.len() > MAX_STEPS {
            return Err(invalid_plan(&format!("it has {} steps; {MAX_STEPS} is the most", plan.steps.len())));
        }
        let rules = self.review_rules();
        for step in &plan.steps {
            let path = step.file_path.as_deref().map(|path| canonical_path(path.into()).into_owned());
            for ReviewRule { steps, assertion } in rules.iter() {
                if !steps.is_empty() && !steps.iter().any(|kind| kind.eq_ignore_ascii_case(&step.kind)) {
                    continue;
                }
                let mut params = assertion.params.clone();
                params.insert("filePath".to_owned(), path.clone().map_or(Value::Null, Value::String));
                params.insert("step".to_owned(), Value::String(step.kind.clone()));
                let has_rows = self.graph.has_rows(&assertion.cypher, &params)?;
                if !assertion.expect.is_met(has_rows) {
                    return Ok(ReviewDecision::Deny { reason: reason(step, path.as_deref(), assertion, has_rows) });
                }
            }
        }
        let (steps, rules) = (plan.steps.len(), rules.len());
        Ok(ReviewDecision::Approve { justification: format!("{steps} steps meet {rules} review rules.") })
    }

    fn review_rules(&self) -> Arc<[ReviewRule]> {
        let stated = match self.door.gate().rules.in_force() {
            InForce::Policy(policy) => policy.reviews().to_vec(),
            InForce::AllowAll | InForce::Hook => Vec::new(),
        };
        if stated.is_empty() { Arc::from([default_rule()]) } else { stated.into() }
    }
}

/// The rule of a policy without `reviews:`.
fn default_rule() -> ReviewRule {
    ReviewRule {
        steps: vec!["DELETE_FILE".to_owned()],
        assertion: Assertion {
            id: "delete-imported".into(),
            cypher: "MATCH (f:File {path: $filePath})<-[:IMPORTS|CALLS]-(user:File) RETURN user.path LIMIT 1".into(),
            params: Map::new(),
            expect: Expectation::NoRows,
            reason: "other files import or call it".into(),
            at: "default".into(),
        },
    }
}

fn reason(step: &Step, path: Option<&str>, rule: &Assertion, has_rows: bool) -> String {
    let about = path.map(|path| format!(" {path}")).unwrap_or_default();
    let Assertion { id, at, reason, .. } = rule;
    format!("{}{about} is denied by the review '{id}' ({at}; {}): {reason}.", step.kind, actual(has_rows))
        .replace("..", ".")
}

fn invalid_plan(problem: &str) -> Error {
    let message = format!("The plan is not valid: {problem}. Use {{ id, steps: [{{ type, filePath }}] }}.");
    Error::new(ErrorCode::Validation, message).with("field", "plan")
}
