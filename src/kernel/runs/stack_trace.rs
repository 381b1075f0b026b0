//! A guest's stack trace, told in positions of the TypeScript source.

use crate::kernel::modules::{ModuleGraph, std_library};

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

impl MappedTrace {
    /// The first place is the top, unless it is in the standard library and a tool's own follows.
    fn note(&mut self, place: SourcePosition) {
        let in_library = |place: &SourcePosition| place.path.starts_with(std_library::NAME);
        if self.top.as_ref().is_none_or(|top| in_library(top) && !in_library(&place)) {
            self.top = Some(place);
        }
    }
}

/// The place in the source of a place in its compiled form.
pub fn source_position(path: &str, line: u32, column: u32, graph: &ModuleGraph) -> Option<(u32, u32)> {
    let position = graph.tool(path)?.compiled.map.lookup(line, column)?;
    Some((position.line, position.column))
}

/// Whose positions a stack is told in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// Of the compiled code.
    Compiled,
    /// Of the source: the engine has asked for them, because the guest may have read the stack before.
    Source,
}

/// Maps every frame of a tool and drops all others: they are the engine's own.
pub fn map_trace(stack: &str, told: Told, graph: &ModuleGraph) -> MappedTrace {
    let mut mapped = MappedTrace::default();
    for line in stack.lines() {
        let mapped_line = match line.strip_prefix(FRAME) {
            None => line.to_owned(),
            Some(frame) => match map_frame(frame, told, graph) {
                None => continue,
                Some((text, place)) => {
                    mapped.note(place);
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
fn map_frame(frame: &str, told: Told, graph: &ModuleGraph) -> Option<(String, SourcePosition)> {
    let (name, location) = match frame.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (")) {
        Some((name, location)) => (Some(name), location),
        None => (None, frame.strip_prefix("async ").unwrap_or(frame)),
    };
    let (rest, column) = location.rsplit_once(':')?;
    let (path, line) = rest.rsplit_once(':')?;
    let (line, column) = (line.parse().ok()?, column.parse().ok()?);
    let (line, column) = match told {
        Told::Compiled => source_position(path, line, column, graph)?,
        Told::Source => graph.tool(path).map(|_| (line, column))?,
    };
    let place = SourcePosition { path: path.to_owned(), line, column };
    let location = format!("{path}:{}:{}", place.line, place.column);
    let text = match name {
        Some(name) => format!("{name} ({location})"),
        None => location,
    };
    Some((text, place))
}
