//! Parses a test in a policy: a call and its expected decision.

use super::fault::{Fault, shown};
use super::fields::{Fields, items, text, word};
use super::node::Node;
use super::read_matchers::{METHODS, is_map};
use crate::call_facts::{CallFacts, Fact};
use crate::host_name::HostPort;
use crate::tools::Tools;
use crate::verdict::Decision;
use serde_json::Value;
use tgp_base::effect::Effect;
use tgp_base::mode::Mode;
use tgp_base::spelling::{did_you_mean, nearest};
use tgp_base::sql_verb::SqlVerb;
use tgp_base::table_name::TableName;
use url::Url;

/// The most values in one list of a call.
const MAX_VALUES: usize = 100;
const HTTPS: u16 = 443;

#[derive(Debug)]
pub(crate) struct FileTest {
    pub at: String,
    pub call: CallFacts,
    pub expected: Decision,
}

pub(super) fn read_test(node: &Node, source: &str, tools: &Tools) -> Result<FileTest, Fault> {
    let fields = Fields::of(node, "A test", &["name", "call", "expect"])?;
    if let Some(name) = fields.get("name") {
        text(&name.value, "The name of a test")?;
    }
    let (Some(call), Some(expect)) = (fields.get("call"), fields.get("expect")) else {
        return Err(Fault::new(fields.place, "A test needs a 'call' and an 'expect': allow, ask or deny."));
    };
    let decisions = Decision::ALL.map(Decision::as_str);
    let expected = word(&expect.value, "The 'expect' of a test", Decision::parse, decisions)?;
    let call = read_call(&call.value, tools)?;
    Ok(FileTest { at: fields.place.within(source), call, expected })
}

const CALL_KEYS: [&str; 11] =
    ["tool", "args", "effects", "paths", "host", "method", "verbs", "tables", "text", "principal", "mode"];

/// Parses a call of a test or an explanation. Missing facts are derived from the arguments.
///
/// # Errors
/// For a tool that does not exist, or an invalid value.
pub(crate) fn read_call(node: &Node, tools: &Tools) -> Result<CallFacts, Fault> {
    let fields = Fields::of(node, "A call", &CALL_KEYS)?;
    let Some(tool) = fields.get("tool") else {
        return Err(Fault::new(fields.place, "A call needs a 'tool'."));
    };
    let name = text(&tool.value, "The tool of a call")?;
    let args = fields.get("args").map(|member| &member.value);
    if let Some(args) = args.filter(|args| !is_map(args)) {
        return Err(Fault::new(&args.place, format!("The 'args' of a call must be a map, not {}.", args.kind())));
    }
    let args = args.map_or_else(|| Value::Object(serde_json::Map::new()), Node::to_json);
    let Some(mut call) = tools.call(name, &args) else {
        let near = did_you_mean(nearest(name, tools.names()));
        return Err(Fault::new(&tool.value.place, format!("There is no tool '{}'.{near}", shown(name))));
    };
    for member in fields.members() {
        let node = &member.value;
        match member.key.as_str() {
            "effects" => {
                let read = |entry| word(entry, "An effect", Effect::parse, Effect::ALL.map(Effect::as_str));
                call.effects = values(node, "effects")?.iter().map(read).collect::<Result<_, _>>()?;
            }
            "paths" => {
                let read = |entry| path(entry, tools);
                call.paths = Fact::Known(values(node, "paths")?.iter().map(read).collect::<Result<_, _>>()?);
            }
            "host" => call.host = Fact::Known(host(node)?),
            "method" => {
                let method = |text: &str| METHODS.into_iter().find(|known| known.eq_ignore_ascii_case(text));
                call.method = Fact::Known(word(node, "A method", method, METHODS)?.to_owned());
            }
            "verbs" => {
                let read = |entry| word(entry, "A verb", SqlVerb::parse, SqlVerb::ALL.map(SqlVerb::as_str));
                call.verbs = Fact::Known(values(node, "verbs")?.iter().map(read).collect::<Result<_, _>>()?);
            }
            "tables" => {
                let read = |entry| text(entry, "A table").map(TableName::new);
                call.tables = Fact::Known(values(node, "tables")?.iter().map(read).collect::<Result<_, _>>()?);
            }
            "text" => call.text = Fact::Known(text(node, "The hash of a text")?.to_owned()),
            "principal" => set_principal(&mut call, node)?,
            "mode" => call.mode = word(node, "A mode", Mode::parse, Mode::ALL.map(Mode::as_str))?,
            _ => {}
        }
    }
    Ok(call)
}

fn values<'n>(node: &'n Node, key: &str) -> Result<&'n [Node], Fault> {
    items(node, &format!("'{key}'"), MAX_VALUES)
}

fn path(node: &Node, tools: &Tools) -> Result<String, Fault> {
    let text = text(node, "A path")?;
    let bad = || Fault::new(&node.place, format!("'{}' is not a path below the root.", shown(text)));
    tools.canonical_path(text).ok_or_else(bad)
}

fn host(node: &Node) -> Result<HostPort, Fault> {
    let text = text(node, "A host")?;
    let url = Url::parse(&format!("https://{text}")).ok();
    let found = url.as_ref().and_then(|url| HostPort::new(url.host_str()?, url.port().unwrap_or(HTTPS)));
    let plain = !text.contains(['/', '@', '?', '#']);
    found.filter(|_| plain).ok_or_else(|| {
        let message = format!("'{}' is not a host, such as 'api.example.com' or 'localhost:8080'.", shown(text));
        Fault::new(&node.place, message)
    })
}

fn set_principal(call: &mut CallFacts, node: &Node) -> Result<(), Fault> {
    let fields = Fields::of(node, "A principal", &["session", "agent", "token"])?;
    for (key, part) in [("session", &mut call.session), ("agent", &mut call.principal), ("token", &mut call.token)] {
        if let Some(member) = fields.get(key) {
            *part = Fact::Known(text(&member.value, "A part of a principal")?.to_owned());
        }
    }
    Ok(())
}
