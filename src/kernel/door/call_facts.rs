//! The facts of a call that policy rules see.

use super::kernel_tools::{KernelTool, kernel_tool};
use super::shown_json::holds_more_than;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use tgp_base::call::{Call, Caller};
use tgp_base::effect::{Effect, Effects};
use tgp_base::mode::Mode;
use tgp_policy::{CallFacts, Fact, Tools};

/// Larger arguments are not parsed and are unknown to rules, which then decide strictly.
const MAX_BYTES: usize = 1 << 20;
const MAX_VALUES: usize = 50_000;

/// The call as rules see it.
pub fn call_facts(call: &Call<'_>, tools: &Tools, token: Option<String>, usual: Mode) -> CallFacts {
    let args = readable(&call.args).map(|args| named(call, args));
    let known = args.as_ref().and_then(|args| tools.call(&call.tool, args));
    let mut judged = known.unwrap_or_else(|| CallFacts { tool: call.tool.to_string(), ..CallFacts::default() });
    judged.effects = Effects::NONE.with(call.effect);
    judged.args = Fact::known_or_unknown(args.map(Arc::new));
    if let Some(path) = &call.path
        && judged.paths == Fact::Nothing
    {
        judged.paths = Fact::Known(vec![path.to_string()]);
    }
    if reaches_unnamed_files(&judged) {
        judged.paths = Fact::Unknown;
    }
    set_caller(&mut judged, call.caller, token, usual);
    judged
}

/// Sets the caller of a judged call. `token` is the id of its token.
pub fn set_caller(judged: &mut CallFacts, caller: &Caller, token: Option<String>, usual: Mode) {
    judged.mode = caller.mode.unwrap_or(usual);
    judged.session = caller.session.clone().map_or(Fact::Nothing, Fact::Known);
    judged.principal = Fact::Known(caller.principal().to_owned());
    judged.token = token.map_or(Fact::Nothing, Fact::Known);
}

/// Whether it reads or changes files that it does not name.
fn reaches_unnamed_files(call: &CallFacts) -> bool {
    let tool = kernel_tool(&call.tool).filter(|tool| call.effects.has(tool.effect));
    tool.is_some_and(|tool| tool.unnamed_files.reached_by(&call.paths))
}

fn readable(args: &str) -> Option<Value> {
    let is_short = args.len() <= MAX_BYTES && !holds_more_than(args, MAX_VALUES);
    is_short.then(|| serde_json::from_str(args).ok()).flatten()
}

/// The arguments by name. Agents name them; guests pass them by position.
fn named(call: &Call<'_>, args: Value) -> Value {
    match (&*call.tool, args) {
        ("exec_tool", args) => json!({ "path": call.path, "args": args }),
        (_, args) if call.effect == Effect::App => args,
        ("fetch", Value::Array(mut args)) if !args.is_empty() => request(args.swap_remove(0)),
        ("fetch", args) => args,
        (tool, Value::Array(args)) => match kernel_tool(tool) {
            Some(tool) => by_name(args, tool),
            None => Value::Array(args),
        },
        (_, args) => args,
    }
}

/// A fetch request with the member names that rules use, without the guest's token.
fn request(mut request: Value) -> Value {
    if let Value::Object(members) = &mut request {
        members.remove("token");
        let bytes = members.remove("base64").map(|base64| json!({ "base64": base64 }));
        if let Some(body) = members.remove("text").or(bytes) {
            members.insert("body".to_owned(), body);
        }
    }
    request
}

fn by_name(args: Vec<Value>, tool: &KernelTool) -> Value {
    let names = tool.arguments.iter().take(tool.guest_arguments).map(|(name, _)| (*name).to_owned());
    Value::Object(names.zip(args).collect::<Map<_, _>>())
}

/// A recorded call as rules see it; none for an event that is not a call.
pub fn recorded_call(content: &str, tools: &Tools, usual: Mode) -> Option<CallFacts> {
    #[derive(serde::Deserialize)]
    struct Recorded {
        tool: String,
        effect: String,
        path: Option<String>,
        session: Option<String>,
        actor: Caller,
        args: Option<Value>,
    }
    let Recorded { tool, effect, path, session, actor, args } = serde_json::from_str(content).ok()?;
    let is_whole = |args: &Value| args.get("$blob").is_none() && args.get("cut").is_none();
    let args = args.filter(is_whole).map(|args| args.to_string()).unwrap_or_default();
    let caller = Arc::new(Caller { session, id: actor.id.filter(|id| !id.is_empty()), ..actor });
    let call = Call { path: path.map(Into::into), ..Call::of(&caller, tool, Effect::parse(&effect)?, args) };
    Some(call_facts(&call, tools, None, usual))
}

#[cfg(test)]
mod tests {
    use super::named;
    use serde_json::json;
    use std::sync::Arc;
    use tgp_base::call::Call;
    use tgp_base::effect::Effect;

    #[test]
    fn arguments_that_a_guests_function_ignores_are_not_named() {
        for (tool, args, expected) in [
            ("list_files", json!(["tools", "public/**"]), json!({ "dir": "tools" })),
            ("read_file", json!(["a", 1]), json!({ "path": "a" })),
            ("write_file", json!(["a", "b", "reason"]), json!({ "path": "a", "content": "b" })),
            ("exec_sql", json!(["SELECT ?", [1], 2]), json!({ "sql": "SELECT ?", "params": [1] })),
        ] {
            assert_eq!(named(&Call::of(&Arc::default(), tool, Effect::Read, ""), args), expected, "{tool}");
        }
    }
}
