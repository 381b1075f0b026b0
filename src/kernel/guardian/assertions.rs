//! Invariants of the policy, and assertions of the application, about the graph.

use super::guardian::{Guardian, halt_error};
use super::report::Violation;
use crate::kernel::door::InForce;
use serde::Deserialize;
use serde_json::{Map, Value};
use tgp_base::error::{Error, ErrorCode};
use tgp_policy::{Assertion, Expectation};

/// A query whose result is expected to have rows, or none.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct GraphAssertion {
    cypher: String,
    #[serde(default)]
    params: Map<String, Value>,
    expect_rows: bool,
}

impl Guardian {
    /// The invariants of the policy in force.
    pub(super) fn invariants(&self) -> Vec<Assertion> {
        match self.door.gate().rules.in_force() {
            InForce::Policy(policy) => policy.invariants().to_vec(),
            InForce::AllowAll | InForce::Hook => Vec::new(),
        }
    }

    pub(super) fn violations(&self) -> Result<Vec<Violation>, Error> {
        let mut found = Vec::new();
        for invariant in self.invariants() {
            let has_rows = self.graph.has_rows(&invariant.cypher, &invariant.params)?;
            if !invariant.expect.is_met(has_rows) {
                found.push(Violation {
                    invariant: invariant.id.to_string(),
                    expected: invariant.expect.as_str(),
                    actual: actual(has_rows),
                    at: invariant.at.to_string(),
                    message: format!(
                        "The invariant '{}' ({}) does not hold: {}",
                        invariant.id, invariant.at, invariant.reason
                    ),
                });
            }
        }
        Ok(found)
    }

    /// Runs queries whose results are expected to have rows, or none: a JSON array of assertions.
    ///
    /// # Errors
    /// `Halt` for the first that does not hold; `Validation` for invalid JSON; those of the queries.
    pub fn assert_json(&self, assertions_json: &str) -> Result<(), Error> {
        let assertions: Vec<GraphAssertion> = serde_json::from_str(assertions_json).map_err(|error| {
            Error::new(ErrorCode::Validation, format!("The assertions are not valid: {error}."))
                .with("field", "assertions")
        })?;
        for GraphAssertion { cypher, params, expect_rows } in assertions {
            let has_rows = self.graph.has_rows(&cypher, &params)?;
            if has_rows != expect_rows {
                let expected = if expect_rows { Expectation::Rows } else { Expectation::NoRows }.as_str();
                let message = format!("An assertion does not hold: {expected} expected, {}.", actual(has_rows));
                return Err(halt_error(message)
                    .with("invariant", cypher)
                    .with("expected", expected)
                    .with("actual", actual(has_rows)));
            }
        }
        Ok(())
    }
}

pub(super) const fn actual(has_rows: bool) -> &'static str {
    if has_rows { "rows found" } else { "no rows found" }
}
