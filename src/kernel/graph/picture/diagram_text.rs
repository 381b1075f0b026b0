//! Pictures as text for Mermaid and Graphviz. Names are escaped, because a path may contain any character.

use super::picture::{LinkKind, Node, NodeKind, Picture};
use std::fmt::Write as _;

pub fn mermaid(picture: &Picture) -> String {
    let mut text = "flowchart LR\n".to_owned();
    for (at, Node { path, kind }) in picture.nodes.iter().enumerate() {
        let class = match kind {
            NodeKind::Tool => ":::tool",
            NodeKind::Subject => ":::subject",
            NodeKind::File => "",
        };
        line(&mut text, format_args!("  n{at}[\"{}\"]{class}", mermaid_label(path)));
    }
    for link in &picture.links {
        let arrow = if link.kind == LinkKind::Imports { "-->" } else { "-.->" };
        line(&mut text, format_args!("  n{} {arrow}|{}| n{}", link.from, link.kind.label(), link.to));
    }
    if picture.more > 0 {
        line(&mut text, format_args!("  more[\"{} more files\"]", picture.more));
    }
    text.push_str(
        "  classDef tool stroke:#2563eb,stroke-width:2px\n  classDef subject stroke:#dc2626,stroke-width:3px\n",
    );
    text
}

pub fn dot(picture: &Picture) -> String {
    let mut text = "digraph tools {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n".to_owned();
    for (at, Node { path, kind }) in picture.nodes.iter().enumerate() {
        let colour = match kind {
            NodeKind::Tool => ", color=\"#2563eb\"",
            NodeKind::Subject => ", color=\"#dc2626\", penwidth=2",
            NodeKind::File => "",
        };
        line(&mut text, format_args!("  n{at} [label=\"{}\"{colour}];", dot_label(path)));
    }
    for link in &picture.links {
        let style = if link.kind == LinkKind::Imports { "" } else { ", style=dashed" };
        line(&mut text, format_args!("  n{} -> n{} [label=\"{}\"{style}];", link.from, link.to, link.kind.label()));
    }
    if picture.more > 0 {
        line(&mut text, format_args!("  more [label=\"{} more files\", shape=plaintext];", picture.more));
    }
    text.push_str("}\n");
    text
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _infallible = writeln!(text, "{line}");
}

/// Other characters than those of usual paths as character codes.
fn mermaid_label(path: &str) -> String {
    let mut label = String::with_capacity(path.len());
    for c in path.chars() {
        if c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | ' ') {
            label.push(c);
        } else {
            let _infallible = write!(label, "#{};", u32::from(c));
        }
    }
    label
}

fn dot_label(path: &str) -> String {
    let mut label = String::with_capacity(path.len());
    for c in path.chars() {
        match c {
            '"' | '\\' => label.extend(['\\', c]),
            c if c.is_control() => label.push('\u{fffd}'),
            c => label.push(c),
        }
    }
    label
}

#[cfg(test)]
mod tests {
    use super::{dot, mermaid};
    use crate::kernel::graph::picture::picture::tests::picture;

    #[test]
    fn a_hostile_path_stays_a_label() {
        let hostile = "tools/a\"]; click n0 \"javascript:x\" <b>\\\n.ts";
        let shown = picture(&[hostile, "tools/b.ts"], &[(hostile, "IMPORTS", "tools/b.ts")], None);
        let mermaid = mermaid(&shown);
        assert_eq!(mermaid.lines().count(), 6, "{mermaid}");
        assert!(!mermaid.contains("\"]; click") && !mermaid.contains("<b>"));
        let dot = dot(&shown);
        assert_eq!(dot.lines().count(), 7, "{dot}");
        assert!(dot.contains("a\\\"]; click n0 \\\"javascript:x\\\" <b>\\\\\u{fffd}.ts"));
    }
}
