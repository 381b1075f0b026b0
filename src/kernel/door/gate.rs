//! Who may do what: the rules in force, tokens, and what somebody was asked about.

use super::always::always;
use super::approvals::{Approvals, Subject};
use super::asked_call::AskedOf;
use super::asker::Asker;
use super::call::Call;
use super::judged_call::judged_call;
use super::reach::{Need, Reach};
use super::rules::{InForce, PolicySource, Rules};
use super::tokens::Tokens;
use crate::kernel::secret_scan::SecretScan;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use tgp_base::error::Error;
use tgp_policy::{Capability, Decision, Effect, Effects, Fact, Policy, Tools, Verdict};
use tgp_registry::META_FILE;
use tgp_state::Mode;
use tgp_vfs::JailPath;

/// What is held of a budget for a call without a limit of its own: one that looks at files or changes them, and any other.
const FILES_MS: u64 = 100;
const OTHERS_MS: u64 = 30_000;
/// Files that a rule for one call names.
const MOST_RULE_PATHS: usize = 50;

pub struct Gate {
    pub rules: Rules,
    pub tokens: Tokens,
    pub approvals: Approvals,
    /// The mode of agents that are in none of their own.
    pub(super) mode: Mode,
    /// What must not stand in a rule as it is.
    secrets: SecretScan,
}

/// A call that may go on.
#[derive(Default)]
pub struct Admission {
    /// The token that it was made with.
    pub capability: Option<Capability>,
    /// The text that somebody has approved, where it was about one.
    pub approved_text: Option<Arc<str>>,
    /// The call as rules see it, where there are any.
    pub judged: Option<tgp_policy::Call>,
    /// The files that it reaches beside what it names, as far as that was known.
    pub reached: Vec<String>,
    /// The milliseconds of the token's budget that are held for it: it takes no longer.
    pub held_ms: Option<u64>,
}

/// A call that may not go on, or not yet.
pub enum Refusal {
    Denied(Verdict),
    Asks(Box<Asking>),
    /// A token or an approval that does not count.
    Invalid(Error),
}

/// What somebody has to say a word about.
pub struct Asking {
    pub subject: Subject,
    pub who: AskedOf,
    pub args: Option<Arc<Value>>,
    /// The rule that would allow it for good.
    pub always: Option<Value>,
    /// A hash of the text that would run.
    pub text: Option<Arc<str>>,
    pub reached: Vec<Reach>,
}

/// Whether the call only shows what it would do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Previews {
    /// Nobody has to approve what does not happen; what is denied is refused all the same. What a previewed run does
    /// nevertheless, such as reading a database, is a call of its own.
    Change,
    Nothing,
}

impl Previews {
    fn of(call: &Call<'_>) -> Self {
        let is_held = matches!(call.effect, Effect::Write | Effect::Run);
        if call.asker.dry_run && is_held { Self::Change } else { Self::Nothing }
    }
}

impl Gate {
    /// # Errors
    /// `Config` for rules or keys that cannot be meant.
    pub fn new(
        source: &PolicySource,
        tools: Tools,
        tokens: Tokens,
        approvals: Approvals,
        mode: Mode,
        secrets: SecretScan,
    ) -> Result<Self, Error> {
        Ok(Self { rules: Rules::new(source, tools)?, tokens, approvals, mode, secrets })
    }

    /// The mode of agents that are in none of their own.
    #[must_use]
    pub const fn mode(&self) -> Mode {
        self.mode
    }

    /// What the rules and the token say of a call that nobody makes yet; nothing where a function of the application decides.
    ///
    /// # Errors
    /// `Denied` for a token that does not count.
    pub fn verdict(&self, call: &Call<'_>) -> Result<Option<Verdict>, Error> {
        let SeenCall { judged, capability, .. } = self.seen(call)?;
        let in_force = self.rules.in_force();
        if matches!(in_force, InForce::Hook) {
            return Ok(None);
        }
        let said = said(&in_force, capability.as_ref(), &judged, &reached(call), Previews::of(call));
        // The rule that allows it is named: to be allowed by one is more than not to be forbidden.
        let by_rule = match &in_force {
            InForce::Policy(policy) if said.is_none() => Some(policy.judge(&judged)),
            InForce::Policy(_) | InForce::Nobody | InForce::Hook => None,
        };
        let by_rule = by_rule.filter(|verdict| verdict.verdict == Decision::Allow);
        Ok(Some(said.or(by_rule).unwrap_or_else(|| Policy::allow(self.rules.tools()).judge(&judged))))
    }

    /// Whether every call of an asker is let in unasked.
    pub fn is_open_to(&self, asker: &Asker) -> bool {
        asker.token.is_none() && matches!(self.rules.in_force(), InForce::Nobody)
    }

    /// Whether the call may go on.
    pub fn judge(&self, call: &Call<'_>) -> Result<Admission, Refusal> {
        if self.is_open_to(call.asker) {
            return Ok(Admission::default());
        }
        let in_force = self.rules.in_force();
        let SeenCall { judged, capability, text: judged_text } = self.seen(call).map_err(Refusal::Invalid)?;
        let mut reached = reached(call);
        let verdict = said(&in_force, capability.as_ref(), &judged, &reached, Previews::of(call));
        reached.retain(|reach| reach.need != Need::Absent);
        let who = match (verdict, &in_force) {
            (Some(verdict), _) if verdict.verdict == Decision::Deny => return Err(Refusal::Denied(verdict)),
            (Some(verdict), _) if verdict.verdict == Decision::Ask => Some(AskedOf::Approver(verdict)),
            (Some(_) | None, InForce::Hook) => Some(AskedOf::Hook),
            (Some(_) | None, InForce::Policy(_) | InForce::Nobody) => None,
        };
        // What was judged is what runs: its imports are part of that.
        let paths = reached.iter().flat_map(|reach| reach.paths.iter().cloned()).collect();
        let approved_text = match who {
            Some(who) => self.approved(call, judged.clone(), judged_text, who, reached)?,
            None => judged_text,
        };
        let held_ms = match &capability {
            Some(capability) if call.asking_tool.is_none() && !self.is_part_of_parent(call, capability) => {
                self.tokens.begin(capability, most_ms(call), now_ms()).map_err(Refusal::Invalid)?
            }
            Some(_) | None => None,
        };
        Ok(Admission { capability, approved_text, judged: Some(judged), reached: paths, held_ms })
    }

    /// Whether it is made below a run that was started with the same token, by a function of the application.
    fn is_part_of_parent(&self, call: &Call<'_>, capability: &Capability) -> bool {
        call.parent.is_some_and(|parent| self.tokens.holds_for(parent, capability))
    }

    fn seen(&self, call: &Call<'_>) -> Result<SeenCall, Error> {
        let capability = call.asker.token.as_deref().map(|token| self.tokens.verify(token)).transpose()?;
        let token_id = capability.as_ref().and_then(Capability::id).map(|id| id.to_string());
        let mut judged = judged_call(call, self.rules.tools(), token_id, self.mode);
        let text: Option<Arc<str>> =
            (call.effect == Effect::Run).then(|| call.text.map(|text| Arc::from(text()))).flatten();
        // What does not compile is marked.
        if let Some(text) = text.as_deref().filter(|text| is_hash(text)) {
            judged.text = Fact::Known(text.to_owned());
        }
        Ok(SeenCall { judged, capability, text })
    }

    /// Uses the word up that somebody has given for exactly this; the text that it was given for.
    fn approved(
        &self,
        call: &Call<'_>,
        judged: tgp_policy::Call,
        judged_text: Option<Arc<str>>,
        who: AskedOf,
        reached: Vec<Reach>,
    ) -> Result<Option<Arc<str>>, Refusal> {
        let text = judged_text.or_else(|| call.text.map(|text| Arc::from(text())));
        let args = match &judged.args {
            Fact::Known(args) => args.to_string(),
            Fact::Nothing | Fact::Unknown => call.args.to_string(),
        };
        let reach = reach_text(&reached);
        let subject = Subject::of(&[
            &call.tool,
            call.effect.as_str(),
            call.path.as_deref().unwrap_or_default(),
            text.as_deref().unwrap_or_default(),
            &args,
            call.asker.session.as_deref().unwrap_or_default(),
            call.asker.principal(),
            call.asking_tool.unwrap_or_default(),
            &reach,
            &self.rules.approved_version(),
        ]);
        let Some(id) = call.approval else {
            // A rule that asks is stricter than any that allows.
            let by_default = matches!(&who, AskedOf::Approver(verdict) if &*verdict.rule == "default");
            let is_secret = |text: &str| self.secrets.is_in_words(text);
            let covered = by_default.then(|| with_imports(&judged, &reached)).flatten();
            let always = covered.and_then(|covered| always(&covered, self.rules.tools(), &is_secret));
            let text = text.filter(|_| call.effect == Effect::Run);
            let args = match judged.args {
                Fact::Known(args) => Some(args),
                Fact::Nothing | Fact::Unknown => None,
            };
            return Err(Refusal::Asks(Box::new(Asking { subject, who, args, always, text, reached })));
        };
        self.approvals.take(id, &subject).map_err(Refusal::Invalid)?;
        Ok(text)
    }
}

struct SeenCall {
    /// The call as rules see it.
    judged: tgp_policy::Call,
    /// The token that it is made with.
    capability: Option<Capability>,
    /// A hash of the text that it runs.
    text: Option<Arc<str>>,
}

/// How long a call takes at most, as far as that is known.
fn most_ms(call: &Call<'_>) -> u64 {
    let usual = || if matches!(call.effect, Effect::Read | Effect::Write) { FILES_MS } else { OTHERS_MS };
    call.wall.map_or_else(usual, |wall| u64::try_from(wall.as_millis()).unwrap_or(u64::MAX))
}

/// The call with the files that its text imports, for a rule that names all of them; nothing where it reaches others.
fn with_imports(judged: &tgp_policy::Call, reached: &[Reach]) -> Option<tgp_policy::Call> {
    let mut covered = judged.clone();
    for reach in reached.iter().filter(|reach| reach.need == Need::Allowed) {
        // The hash of the text covers what it imports.
        let (Effect::Run, Fact::Known(_), Fact::Known(paths)) = (reach.effect, &judged.text, &mut covered.paths) else {
            return None;
        };
        paths.extend(reach.paths.iter().cloned());
        paths.sort_unstable();
        paths.dedup();
        if paths.len() > MOST_RULE_PATHS {
            return None;
        }
    }
    Some(covered)
}

fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// What a call reaches beside what it names, where that is anything, spelt as rules spell it.
fn reached(call: &Call<'_>) -> Vec<Reach> {
    let mut reached = call.also.map(|also| also()).unwrap_or_default();
    reached.retain(|reach| !reach.paths.is_empty());
    for path in reached.iter_mut().flat_map(|reach| &mut reach.paths) {
        if let Ok(parsed) = JailPath::parse(path) {
            parsed.as_str().clone_into(path);
        }
    }
    reached
}

/// The reach of a call as an approval is bound to it: what it reaches more than was shown is another request.
fn reach_text(reached: &[Reach]) -> String {
    let mut lines: Vec<String> = reached
        .iter()
        .flat_map(|reach| reach.paths.iter().map(|path| format!("{}\0{path}", reach.effect.as_str())))
        .collect();
    lines.sort_unstable();
    lines.dedup();
    lines.join("\n")
}

/// The strictest that rules and token say of the call and of all that it reaches; nothing where all of it is allowed.
// It has two callers, and stands once in the addon.
#[inline(never)]
pub(super) fn said(
    in_force: &InForce,
    capability: Option<&Capability>,
    judged: &tgp_policy::Call,
    reached: &[Reach],
    previews: Previews,
) -> Option<Verdict> {
    let of_rules = |call: &tgp_policy::Call| match in_force {
        InForce::Policy(policy) if policy.decide(call) != Decision::Allow => Some(policy.judge(call)),
        InForce::Policy(_) | InForce::Nobody | InForce::Hook => None,
    };
    let of_token = |call: &tgp_policy::Call| {
        let verdict = capability?.judge(call, now_ms());
        (verdict.verdict != Decision::Allow).then_some(verdict)
    };
    let mut verdicts: Vec<Verdict> = of_rules(judged).into_iter().chain(of_token(judged)).collect();
    if previews == Previews::Change {
        verdicts.retain(|verdict| verdict.verdict == Decision::Deny);
    }
    let explicit = |verdict: &Verdict| &*verdict.rule != "default";
    if names_every_tool(judged, reached) {
        let effects = Effects::NONE.with(Effect::Read);
        let all = tgp_policy::Call { effects, paths: Fact::Unknown, ..judged.clone() };
        verdicts.extend(of_rules(&read_alone(&all)).filter(explicit));
    }
    for Reach { effect, paths, need } in reached {
        let effects = Effects::NONE.with(*effect);
        let other = tgp_policy::Call { effects, paths: Fact::Known(paths.clone()), ..judged.clone() };
        let before = verdicts.len();
        if *effect == Effect::Read {
            verdicts.extend(of_rules(&read_alone(&other)).filter(explicit));
        }
        match need {
            Need::Allowed => verdicts.extend(of_rules(&other).into_iter().chain(of_token(&other))),
            // Of places where a file could be, a token that covers one is enough.
            Need::Absent => {
                verdicts.extend(of_rules(&other).filter(explicit));
                let mut place = tgp_policy::Call { effects: judged.effects, ..other };
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
                // A token that ends at some paths ends there for whatever its calls reach.
                verdicts.extend(of_token(&tgp_policy::Call { effects: judged.effects, ..other }));
            }
        }
        // What would be allowed instead is for what the call names: of other files it would show whether and as what they exist.
        verdicts.iter_mut().skip(before).for_each(|verdict| verdict.nearest = None);
    }
    verdicts.into_iter().reduce(Verdict::or_stricter)
}

/// Whether a call reads the file in which the kernel keeps what every tool is called, described and given: of files that the call
/// does not name.
fn names_every_tool(judged: &tgp_policy::Call, reached: &[Reach]) -> bool {
    let is_meta = |path: &String| path.eq_ignore_ascii_case(META_FILE);
    matches!(&judged.paths, Fact::Known(paths) if paths.iter().any(is_meta))
        || reached.iter().any(|reach| reach.paths.iter().any(is_meta))
}

/// What it would be to read the same files by themselves: a caller who may not do that does not get them by another tool.
pub(super) fn read_alone(part: &tgp_policy::Call) -> tgp_policy::Call {
    let path = match &part.paths {
        Fact::Known(paths) => paths.as_slice(),
        Fact::Nothing | Fact::Unknown => &[],
    };
    let args = match path {
        [path] => Fact::Known(Arc::new(json!({ "path": path }))),
        _ => Fact::Unknown,
    };
    tgp_policy::Call { tool: "read_file".to_owned(), args, ..part.clone() }
}

pub(super) fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
