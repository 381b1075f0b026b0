//! A guest's stack trace, told in positions of the TypeScript source.

use crate::kernel::modules::ModuleGraph;

/// How V8 begins the line of a frame.
const FRAME: &str = "    at ";

/// Where in a tool's source something happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcePosition {
    pub path: String,
    pub line: u32,
    pub column: u32,
}

/// A mapped trace and the first place in it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct MappedTrace {
    pub text: String,
    pub top: Option<SourcePosition>,
}

/// Maps every frame of a tool and drops all others: they are the engine's own.
pub fn map_trace(stack: &str, graph: &ModuleGraph) -> MappedTrace {
    let mut mapped = MappedTrace::default();
    for line in stack.lines() {
        let mapped_line = match line.strip_prefix(FRAME) {
            None => line.to_owned(),
            Some(frame) => match map_frame(frame, graph) {
                None => continue,
                Some((text, place)) => {
                    mapped.top.get_or_insert(place);
                    format!("{FRAME}{text}")
                }
            },
        };
        if !mapped.text.is_empty() {
            mapped.text.push('\n');
        }
        mapped.text.push_str(&mapped_line);
    }
    mapped
}

/// A mapped trace as part of the trace of the tool that called: frames stand further in, so that they are not mapped again.
pub fn inner_trace(code: &str, message: &str, stack: &str) -> String {
    let headless = stack.starts_with(FRAME);
    let head = if headless { format!("{code}: {message}\n") } else { String::new() };
    let lines: Vec<String> =
        stack.lines().map(|line| if line.starts_with(FRAME) { format!("  {line}") } else { line.to_owned() }).collect();
    head + &lines.join("\n")
}

/// `name (path:line:column)` or `path:line:column`.
fn map_frame(frame: &str, graph: &ModuleGraph) -> Option<(String, SourcePosition)> {
    let (name, location) = match frame.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (")) {
        Some((name, location)) => (Some(name), location),
        None => (None, frame.strip_prefix("async ").unwrap_or(frame)),
    };
    let (rest, column) = location.rsplit_once(':')?;
    let (path, line) = rest.rsplit_once(':')?;
    let position = graph.tool(path)?.compiled.map.lookup(line.parse().ok()?, column.parse().ok()?)?;
    let place = SourcePosition { path: path.to_owned(), line: position.line, column: position.column };
    let location = format!("{path}:{}:{}", place.line, place.column);
    let text = match name {
        Some(name) => format!("{name} ({location})"),
        None => location,
    };
    Some((text, place))
}
