//! Maps a guest's stack trace to TypeScript positions.

use crate::kernel::modules::{ModuleGraph, std_library};

/// The prefix of a frame in V8's stack traces.
const FRAME: &str = "    at ";

/// A position in a tool's source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcePosition {
    pub path: String,
    pub line: u32,
    pub column: u32,
}

/// A mapped trace and its top position.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct MappedTrace {
    pub text: String,
    pub top: Option<SourcePosition>,
}

impl MappedTrace {
    /// Sets the top: the first position, or the first one outside of the standard library.
    fn note(&mut self, place: SourcePosition) {
        let in_library = |place: &SourcePosition| place.path.starts_with(std_library::NAME);
        if self.top.as_ref().is_none_or(|top| in_library(top) && !in_library(&place)) {
            self.top = Some(place);
        }
    }
}

/// The source position of a position in compiled code.
pub fn source_position(path: &str, line: u32, column: u32, graph: &ModuleGraph) -> Option<(u32, u32)> {
    let position = graph.tool(path)?.compiled.map.lookup(line, column)?;
    Some((position.line, position.column))
}

/// What the positions in a stack refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TracePositions {
    /// Compiled code.
    Compiled,
    /// The source: the engine mapped them already, because the guest can read the stack.
    Source,
}

/// Maps the frames of tools and drops those of the engine.
pub fn map_trace(stack: &str, positions: TracePositions, graph: &ModuleGraph) -> MappedTrace {
    let mut mapped = MappedTrace::default();
    for line in stack.lines() {
        let mapped_line = match line.strip_prefix(FRAME) {
            None => line.to_owned(),
            Some(frame) => match map_frame(frame, positions, graph) {
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

/// A mapped trace for inclusion in the caller's trace, indented so that its frames are not mapped again.
pub fn inner_trace(code: &str, message: &str, stack: &str) -> String {
    let headless = stack.starts_with(FRAME);
    let head = if headless { format!("{code}: {message}\n") } else { String::new() };
    let lines: Vec<String> =
        stack.lines().map(|line| if line.starts_with(FRAME) { format!("  {line}") } else { line.to_owned() }).collect();
    head + &lines.join("\n")
}

/// `name (path:line:column)` or `path:line:column`.
fn map_frame(frame: &str, positions: TracePositions, graph: &ModuleGraph) -> Option<(String, SourcePosition)> {
    let (name, location) = match frame.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (")) {
        Some((name, location)) => (Some(name), location),
        None => (None, frame.strip_prefix("async ").unwrap_or(frame)),
    };
    let (rest, column) = location.rsplit_once(':')?;
    let (path, line) = rest.rsplit_once(':')?;
    let (line, column) = (line.parse().ok()?, column.parse().ok()?);
    let (line, column) = match positions {
        TracePositions::Compiled => source_position(path, line, column, graph)?,
        TracePositions::Source => graph.tool(path).map(|_| (line, column))?,
    };
    let place = SourcePosition { path: path.to_owned(), line, column };
    let location = format!("{path}:{}:{}", place.line, place.column);
    let text = match name {
        Some(name) => format!("{name} ({location})"),
        None => location,
    };
    Some((text, place))
}
