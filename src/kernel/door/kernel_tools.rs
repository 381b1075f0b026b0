//! The table of kernel tools: their names, effects and arguments.
//!
//! The build writes it to `js/boundary/kernel_tools.ts` (`scripts/kernel_tools.mjs`). What models and users read about the
//! tools of agents is in `js/tool_shape/kernel_tool_table.ts`.

use serde_json::{Value, json};
use tgp_base::effect::Effect;
use tgp_policy::ArgKind;

/// A tool of the kernel, as policy rules see it.
#[derive(Clone, Copy)]
pub struct KernelTool {
    pub name: &'static str,
    pub effect: Effect,
    /// In the order in which guests pass them.
    pub arguments: &'static [(&'static str, ArgKind)],
    /// How many of them the function of guests takes; it ignores further ones.
    pub guest_arguments: usize,
    pub unnamed_files: UnnamedFiles,
    /// Whether its calls concern a text that no condition can pin, so that no permanent rule can allow them.
    pub is_never_permanent: bool,
}

/// When a tool reads or changes files that its arguments do not name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum UnnamedFiles {
    Never,
    /// In calls without a path: it has none, or its arguments are too large to parse.
    WithoutPath,
    Always,
}

impl KernelTool {
    const fn new(name: &'static str, effect: Effect, arguments: &'static [(&'static str, ArgKind)]) -> Self {
        Self {
            name,
            effect,
            arguments,
            guest_arguments: arguments.len(),
            unnamed_files: UnnamedFiles::Never,
            is_never_permanent: false,
        }
    }

    const fn guest_takes(self, guest_arguments: usize) -> Self {
        Self { guest_arguments, ..self }
    }

    const fn reaching(self, unnamed_files: UnnamedFiles) -> Self {
        Self { unnamed_files, ..self }
    }

    const fn never_permanent(self) -> Self {
        Self { is_never_permanent: true, ..self }
    }
}

/// The additional argument of every file change: the reason.
const WHY: (&str, ArgKind) = ("why", ArgKind::Plain);

/// Every kernel tool.
pub static KERNEL_TOOLS: [KernelTool; 26] = {
    use ArgKind::{Changes, Method, Path, Plain, Sql, Url};
    use Effect::{Net, Read, Run, Shell, Write};
    use UnnamedFiles::{Always, WithoutPath};
    let tool = KernelTool::new;
    [
        tool("list_files", Read, &[("dir", Plain), ("glob", Plain), ("limit", Plain), ("after", Plain)])
            .guest_takes(1)
            .reaching(Always),
        tool("read_file", Read, &[("path", Path), ("offset", Plain), ("limit", Plain), ("column", Plain)])
            .guest_takes(1),
        tool("search_files", Read, &[("pattern", Plain), ("glob", Plain), ("case", Plain), ("limit", Plain)])
            .reaching(Always),
        tool("find_tool", Read, &[("query", Plain), ("limit", Plain)]).reaching(Always),
        tool("file_history", Read, &[("path", Path), ("limit", Plain)]).reaching(WithoutPath),
        tool("check_tool", Read, &[("path", Path)]),
        tool("describe_schema", Read, &[("table", Plain)]),
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
        tool("test_tool", Run, &[("path", Path)]),
        tool("exec_tool", Run, &[("path", Path), ("args", Plain)]),
        tool("run_code", Run, &[("code", Plain), ("args", Plain)]).never_permanent(),
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

/// The table for JavaScript: `[{ name, effect, arguments, paths }]`.
pub fn kernel_tools_json() -> Value {
    let described = KERNEL_TOOLS.map(|KernelTool { name, effect, arguments, .. }| {
        let names = |is_listed: fn(ArgKind) -> bool| -> Vec<&str> {
            arguments.iter().filter(|(_, kind)| is_listed(*kind)).map(|(name, _)| *name).collect()
        };
        let paths = names(|kind| kind == ArgKind::Path);
        json!({ "name": name, "effect": effect.as_str(), "arguments": names(|_| true), "paths": paths })
    });
    described.into_iter().collect()
}
