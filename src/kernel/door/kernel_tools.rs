//! The table of kernel tools: what the door and the policy know of them.
//!
//! The build writes it to `js/boundary/kernel_tool_facts.ts` (`scripts/kernel_tool_facts.mjs`). What models and users read
//! about the tools of agents is in `js/tool_shape/agent_tool_table.ts`.

use serde_json::{Value, json};
use tgp_base::effect::Effect;
use tgp_policy::{ArgKind, UnnamedFiles};

/// The tool that returns the text of a file. Rules about it apply to each tool whose answer quotes files.
pub const READ_FILE: &str = "read_file";

/// A tool of the kernel, as policy rules see it.
#[derive(Clone, Copy)]
pub struct KernelTool {
    pub name: &'static str,
    pub effect: Effect,
    /// In the order in which guests pass them.
    pub arguments: &'static [(&'static str, ArgKind)],
    /// How many of them the function of guests takes; it ignores further ones.
    pub guest_arguments: usize,
    /// The argument with the path of a call, if it is not the first `Path`.
    folder: Option<&'static str>,
    pub unnamed_files: UnnamedFiles,
    pub quotes: Quotes,
    pub runs: Runs,
    /// Whether its calls concern a text that no condition of a rule can match exactly, so that no permanent rule can allow
    /// them.
    pub is_never_permanent: bool,
}

/// The files whose text the answer of a read may contain.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Quotes {
    /// None: the answer is a list of names, a number or a date.
    Nothing,
    /// Those that it reads. The default of reads.
    Files,
    /// Also those that they import.
    Imports,
}

/// What a call of effect `Run` runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Runs {
    /// The tool at its path.
    Tool,
    /// The tests at its path, or all.
    Tests,
    /// The code in this argument.
    Code(&'static str),
}

impl KernelTool {
    const fn new(name: &'static str, effect: Effect, arguments: &'static [(&'static str, ArgKind)]) -> Self {
        Self {
            name,
            effect,
            arguments,
            guest_arguments: arguments.len(),
            folder: None,
            unnamed_files: UnnamedFiles::Never,
            quotes: if matches!(effect, Effect::Read) { Quotes::Files } else { Quotes::Nothing },
            runs: Runs::Tool,
            is_never_permanent: false,
        }
    }

    const fn guest_takes(self, guest_arguments: usize) -> Self {
        Self { guest_arguments, ..self }
    }

    const fn below(self, folder: &'static str) -> Self {
        Self { folder: Some(folder), ..self }
    }

    const fn reaching(self, unnamed_files: UnnamedFiles) -> Self {
        Self { unnamed_files, ..self }
    }

    const fn quoting(self, quotes: Quotes) -> Self {
        Self { quotes, ..self }
    }

    const fn running(self, runs: Runs) -> Self {
        Self { runs, ..self }
    }

    const fn never_permanent(self) -> Self {
        Self { is_never_permanent: true, ..self }
    }

    /// The argument with the path of a call.
    fn path_argument(&self) -> Option<&'static str> {
        let mut named = self.arguments.iter().filter(|(_, kind)| *kind == ArgKind::Path).map(|(name, _)| *name);
        self.folder.or_else(|| named.next())
    }

    /// The path of a call with these arguments.
    pub fn path_of<'args>(&self, args: &'args Value) -> Option<&'args str> {
        args.get(self.path_argument()?)?.as_str()
    }
}

/// The additional argument of every file change: the reason.
const WHY: (&str, ArgKind) = ("why", ArgKind::Plain);

/// Every kernel tool.
pub static KERNEL_TOOLS: &[KernelTool] = {
    use ArgKind::{Changes, Method, Path, Plain, Sql, Url};
    use Effect::{Net, Read, Run, Shell, Write};
    use Quotes::{Imports, Nothing};
    use Runs::{Code, Tests};
    use UnnamedFiles::{Always, WithoutPath};
    let tool = KernelTool::new;
    &[
        tool("list_files", Read, &[("dir", Plain), ("glob", Plain), ("limit", Plain), ("after", Plain)])
            .guest_takes(1)
            .below("dir")
            .reaching(Always)
            .quoting(Nothing),
        tool(READ_FILE, Read, &[("path", Path), ("offset", Plain), ("limit", Plain), ("column", Plain)]).guest_takes(1),
        tool("search_files", Read, &[("pattern", Plain), ("glob", Plain), ("case", Plain), ("limit", Plain)])
            .reaching(Always),
        tool("find_tool", Read, &[("query", Plain), ("limit", Plain)]).reaching(Always).quoting(Nothing),
        tool("file_history", Read, &[("path", Path), ("limit", Plain)]).reaching(WithoutPath).quoting(Nothing),
        // Each file of its answer is checked by itself, so that rules about some paths hide these alone.
        tool(
            "query_graph",
            Read,
            &[
                ("query", Plain),
                ("params", Plain),
                ("ask", Plain),
                ("path", Path),
                ("format", Plain),
                ("commit", Plain),
                ("root", Plain),
            ],
        )
        .quoting(Nothing),
        tool("check_tool", Read, &[("path", Path)]).quoting(Imports),
        tool("describe_schema", Read, &[("table", Plain)]).quoting(Nothing),
        tool("write_file", Write, &[("path", Path), ("content", Plain), WHY]).guest_takes(2),
        tool("patch_file", Write, &[("path", Path), ("search", Plain), ("replace", Plain), WHY]),
        tool("apply_diff", Write, &[("path", Path), ("diff", Plain), WHY]),
        tool("delete_file", Write, &[("path", Path), WHY]),
        tool("move_file", Write, &[("from", Path), ("to", Path), WHY]),
        tool("revert_file", Write, &[("path", Path), ("commit", Plain), WHY]),
        tool("fix_tool", Write, &[("path", Path)]),
        tool("accept_test", Write, &[("path", Path)]).never_permanent(),
        tool("commit", Write, &[("message", Plain), ("files", Plain)]).reaching(Always),
        tool("sync", Write, &[]).reaching(Always),
        tool("hydrate", Write, &[]).reaching(Always),
        tool("sync_registry", Write, &[]).reaching(Always),
        tool("test_tool", Run, &[("path", Path)]).running(Tests),
        tool("exec_tool", Run, &[("path", Path), ("args", Plain)]),
        tool("run_code", Run, &[("code", Plain), ("args", Plain)]).running(Code("code")).never_permanent(),
        tool("run_program", Shell, &[("program", Plain), ("args", Plain), ("stdin", Plain)]),
        tool("apply_changes", Shell, &[("program", Plain), ("args", Plain), ("changes", Changes)])
            .reaching(WithoutPath),
        tool("exec_sql", Effect::Sql, &[("sql", Sql), ("params", Plain)]),
        tool(
            "fetch",
            Net,
            &[
                ("url", Url),
                ("method", Method),
                ("headers", Plain),
                ("body", Plain),
                ("type", Plain),
                ("redirect", Plain),
            ],
        ),
    ]
};

/// The kernel tool of this name.
pub fn kernel_tool(name: &str) -> Option<&'static KernelTool> {
    KERNEL_TOOLS.iter().find(|tool| tool.name == name)
}

/// The table for JavaScript: `[{ name, effect, arguments, path, quotes }]`.
pub fn kernel_tools_json() -> Value {
    let described = KERNEL_TOOLS.iter().map(|tool| {
        let arguments: Vec<&str> = tool.arguments.iter().map(|(name, _)| *name).collect();
        json!({
            "name": tool.name,
            "effect": tool.effect.as_str(),
            "arguments": arguments,
            "path": tool.path_argument(),
            "quotes": tool.quotes != Quotes::Nothing,
        })
    });
    described.collect()
}
