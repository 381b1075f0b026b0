//! The rules in force, and how they are replaced.

use parking_lot::RwLock;
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;
use tgp_base::error::{Error, ErrorCode};
use tgp_base::threads;
use tgp_policy::{Policy, Tools};

/// The source of the rules, as JavaScript passes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PolicySource {
    /// Everything is allowed.
    #[default]
    Allow,
    /// Reading is allowed, everything else asks.
    Safe,
    /// A function of the application decides.
    Hook,
    /// A file, with its name in verdicts.
    File { name: String, text: String },
    /// Rules in the configuration.
    Object(Value),
}

/// What decides about calls.
#[derive(Clone)]
pub enum InForce {
    /// Everything is allowed.
    AllowAll,
    Policy(Arc<Policy>),
    Hook,
}

pub struct Rules {
    in_force: RwLock<InForce>,
    /// The version that approvals are bound to: that of the rules, or of the rules before a permanent rule was added.
    approved_version: RwLock<String>,
    tools: Tools,
}

impl Rules {
    /// # Errors
    /// `Config` for invalid rules, with file and line.
    pub fn new(source: &PolicySource, tools: Tools) -> Result<Self, Error> {
        let in_force = read(source, &tools)?;
        let approved_version = RwLock::new(version_of(&in_force));
        Ok(Self { in_force: RwLock::new(in_force), approved_version, tools })
    }

    pub fn tools(&self) -> &Tools {
        &self.tools
    }

    pub fn in_force(&self) -> InForce {
        self.in_force.read().clone()
    }

    /// Replaces the rules, if the new ones are valid. When an approver only added a rule to version `added_to`,
    /// requests under that version can still be approved.
    ///
    /// # Errors
    /// As `new`; then the rules are unchanged.
    pub fn replace(&self, source: &PolicySource, added_to: Option<&str>) -> Result<(), Error> {
        let read = read(source, &self.tools)?;
        let version = version_of(&read);
        let mut in_force = self.in_force.write();
        let before = version_of(&in_force);
        if before != version && added_to != Some(before.as_str()) {
            *self.approved_version.write() = version;
        }
        *in_force = read;
        Ok(())
    }

    /// The version that approvals are bound to.
    #[must_use]
    pub fn approved_version(&self) -> String {
        self.approved_version.read().clone()
    }

    /// The hash of the rules.
    #[must_use]
    pub fn version(&self) -> String {
        version_of(&self.in_force.read())
    }
}

fn version_of(in_force: &InForce) -> String {
    match in_force {
        InForce::AllowAll => "allow".to_owned(),
        InForce::Hook => "hook".to_owned(),
        InForce::Policy(policy) => policy.version().to_owned(),
    }
}

/// Parses the rules; none for a policy function of the application.
///
/// # Errors
/// `Config` for invalid rules.
pub fn policy_of(source: &PolicySource, tools: &Tools) -> Result<Option<Policy>, Error> {
    let object = |value: &Value| checked(Policy::from_json(value, "policy", tools)?);
    match source {
        PolicySource::Allow => Ok(Some(Policy::allow(tools))),
        PolicySource::Safe => Ok(Some(Policy::safe(tools))),
        PolicySource::Hook => Ok(None),
        PolicySource::File { name, text } => {
            // The YAML parser is a dependency and the text is untrusted, so panics are contained.
            let read = threads::contain(|| Policy::from_yaml(text.as_bytes(), name, tools));
            let unread =
                || Error::new(ErrorCode::Config, format!("The policy was not applied: {name} cannot be parsed."));
            Ok(Some(checked(read.map_err(|_| unread())??)?))
        }
        PolicySource::Object(value) => object(value).map(Some),
    }
}

/// The policy, if the queries of its assertions parse.
fn checked(policy: Policy) -> Result<Policy, Error> {
    let reviews = policy.reviews().iter().map(|review| &review.assertion);
    for assertion in policy.invariants().iter().chain(reviews) {
        tgp_graph::check_query(&assertion.cypher).map_err(|error| {
            let text = format!("The policy is not valid: {}: {}", assertion.at, Error::from(error).message);
            Error::new(ErrorCode::Config, text).with("at", &*assertion.at)
        })?;
    }
    Ok(policy)
}

fn read(source: &PolicySource, tools: &Tools) -> Result<InForce, Error> {
    if matches!(source, PolicySource::Allow) {
        return Ok(InForce::AllowAll);
    }
    Ok(policy_of(source, tools)?.map_or(InForce::Hook, |policy| InForce::Policy(Arc::new(policy))))
}
