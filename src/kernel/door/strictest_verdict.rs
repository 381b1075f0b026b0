//! The strictest verdict on a call and on all that it reaches.

use super::kernel_tools::READ_FILE;
use super::reached_files::{Need, ReachedFiles};
use super::rules::InForce;
use std::time::{SystemTime, UNIX_EPOCH};
use tgp_base::call::Call;
use tgp_base::effect::{Effect, Effects};
use tgp_policy::{CallFacts, Capability, Decision, Fact, Verdict};
use tgp_registry::META_FILE;

/// Whether the call is a preview.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Previews {
    /// A previewed change or run needs no approval, but is refused when a rule denies it. What a previewed run really
    /// does, such as reading a database, is a call of its own.
    Change,
    Nothing,
}

impl Previews {
    pub fn of(call: &Call<'_>) -> Self {
        let is_held = matches!(call.effect, Effect::Write | Effect::Run);
        if call.caller.dry_run && is_held { Self::Change } else { Self::Nothing }
    }
}

/// The strictest verdict of rules and token on the call and all that it reaches; none if everything is allowed.
// Two callers: not inlined, for the size of the addon.
#[inline(never)]
pub fn strictest_verdict(
    in_force: &InForce,
    capability: Option<&Capability>,
    judged: &CallFacts,
    reached: &[ReachedFiles],
    previews: Previews,
) -> Option<Verdict> {
    let of_rules = |call: &CallFacts| match in_force {
        InForce::Policy(policy) if policy.decide(call) != Decision::Allow => Some(policy.judge(call)),
        InForce::Policy(_) | InForce::AllowAll | InForce::Hook => None,
    };
    let of_token = |call: &CallFacts| {
        let verdict = capability?.judge(call, now_ms());
        (verdict.decision != Decision::Allow).then_some(verdict)
    };
    let mut verdicts: Vec<Verdict> = of_rules(judged).into_iter().chain(of_token(judged)).collect();
    if previews == Previews::Change {
        verdicts.retain(|verdict| verdict.decision == Decision::Deny);
    }
    let explicit = |verdict: &Verdict| &*verdict.rule != "default";
    if names_every_tool(judged, reached) {
        let effects = Effects::NONE.with(Effect::Read);
        let all = CallFacts { effects, paths: Fact::Unknown, ..judged.clone() };
        verdicts.extend(of_rules(&read_alone(&all)).filter(explicit));
    }
    for ReachedFiles { effect, paths, need } in reached {
        let effects = Effects::NONE.with(*effect);
        let other = CallFacts { effects, paths: Fact::Known(paths.clone()), ..judged.clone() };
        let before = verdicts.len();
        if *effect == Effect::Read {
            verdicts.extend(of_rules(&read_alone(&other)).filter(explicit));
        }
        match need {
            Need::Allowed => {
                let is_held = previews == Previews::Change && *effect != Effect::Read;
                let found = of_rules(&other).into_iter().chain(of_token(&other));
                verdicts.extend(found.filter(|verdict| !is_held || verdict.decision == Decision::Deny));
            }
            // Of several places where a file could be, the token needs to cover only one.
            Need::Absent => {
                verdicts.extend(of_rules(&other).filter(explicit));
                let mut place = CallFacts { effects: judged.effects, ..other };
                let mut refused = None;
                for path in paths {
                    place.paths = Fact::Known(vec![path.clone()]);
                    refused = of_token(&place);
                    if refused.is_none() {
                        break;
                    }
                }
                verdicts.extend(refused);
            }
            Need::NotForbidden => {
                verdicts.extend(of_rules(&other).filter(explicit));
                // A token that is limited to paths limits everything that its calls reach.
                verdicts.extend(of_token(&CallFacts { effects: judged.effects, ..other }));
            }
        }
        // Suggestions are for files that the call names; for others they would reveal that those exist.
        verdicts.iter_mut().skip(before).for_each(|verdict| verdict.nearest = None);
    }
    verdicts.into_iter().reduce(Verdict::or_stricter)
}

/// Whether a call reads `meta.json`, which has the name, description and schema of every tool, also of files that the
/// call does not name.
fn names_every_tool(judged: &CallFacts, reached: &[ReachedFiles]) -> bool {
    let is_meta = |path: &String| path.eq_ignore_ascii_case(META_FILE);
    matches!(&judged.paths, Fact::Known(paths) if paths.iter().any(is_meta))
        || reached.iter().any(|reach| reach.paths.iter().any(is_meta))
}

/// The `read_file` call for the same files: a caller who may not make it does not get them through another tool.
pub fn read_alone(part: &CallFacts) -> CallFacts {
    part.by_tool(READ_FILE)
}

pub fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::{Previews, READ_FILE, strictest_verdict};
    use crate::kernel::door::call_facts::call_facts;
    use crate::kernel::door::kernel_tools::{KERNEL_TOOLS, KernelTool, Quotes};
    use crate::kernel::door::known_tools::known_tools;
    use crate::kernel::door::rules::InForce;
    use serde_json::{Map, Value, json};
    use std::sync::Arc;
    use tgp_base::call::{Call, Caller};
    use tgp_base::effect::Effect;
    use tgp_base::mode::Mode;
    use tgp_policy::{ArgKind, Decision, Policy};
    use tgp_sql::Dialect;

    /// The decision on a call that names `path`, under a rule that denies `read_file` below `secret/`.
    fn decision(tool: &KernelTool, path: &str) -> Decision {
        let tools = known_tools(&[], Dialect::Any);
        let rule = json!({ "id": "secret", "deny": [READ_FILE], "paths": ["secret/**"] });
        let policy = Policy::from_json(&json!({ "default": "allow", "rules": [rule] }), "policy", &tools).unwrap();
        let named = tool.arguments.iter().filter(|(_, kind)| *kind == ArgKind::Path);
        let args: Map<String, Value> = named.map(|(name, _)| ((*name).to_owned(), path.into())).collect();
        let caller = Arc::new(Caller::default());
        let call = Call::of(&caller, tool.name, tool.effect, Value::Object(args).to_string());
        let judged = call_facts(&call, &tools, None, Mode::Explore);
        let in_force = InForce::Policy(Arc::new(policy));
        strictest_verdict(&in_force, None, &judged, &[], Previews::Nothing)
            .map_or(Decision::Allow, |found| found.decision)
    }

    #[test]
    fn rules_about_read_file_hold_for_every_read_whose_answer_quotes_files() {
        let reads = || KERNEL_TOOLS.iter().filter(|tool| tool.effect == Effect::Read);
        for tool in reads() {
            let expected = if tool.quotes == Quotes::Nothing { Decision::Allow } else { Decision::Deny };
            assert_eq!(decision(tool, "secret/a.md"), expected, "{}", tool.name);
        }
        let names_file = |tool: &&KernelTool| tool.arguments.iter().any(|(_, kind)| *kind == ArgKind::Path);
        for tool in reads().filter(names_file) {
            assert_eq!(decision(tool, "open/a.md"), Decision::Allow, "{}", tool.name);
        }
    }
}
