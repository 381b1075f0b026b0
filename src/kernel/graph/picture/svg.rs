//! A picture as SVG, without scripts, fonts or links.

use super::layout::Layout;
use super::picture::{LinkKind, NodeKind, Picture};
use std::fmt::Write as _;

const ROW: usize = 44;
const HEIGHT: usize = 28;
const GAP: usize = 70;
const MARGIN: usize = 20;
/// Width of a character of the font.
const CHARACTER: usize = 7;
/// Longest label; the beginning of a longer path is cut.
const MAX_LABEL: usize = 48;
const STYLE: &str = "text{font:12px ui-monospace,monospace;fill:#1f2937}rect{fill:#fff;stroke:#9ca3af}.tool{stroke:#2563eb}\
                     .subject{stroke:#dc2626;stroke-width:2}path{fill:none;stroke:#6b7280}.dashed{stroke-dasharray:4 3}";

pub fn svg(picture: &Picture) -> String {
    let layout = Layout::of(picture);
    let labels: Vec<String> = picture.nodes.iter().map(|node| label(&node.path)).collect();
    let mut widths = vec![0; layout.columns];
    for ((column, _), label) in layout.places.iter().zip(&labels) {
        if let Some(width) = widths.get_mut(*column) {
            *width = (*width).max(label.chars().count() * CHARACTER + 20);
        }
    }
    let mut lefts = Vec::with_capacity(widths.len());
    let mut right = MARGIN;
    for width in &widths {
        lefts.push(right);
        right += width + GAP;
    }
    let note = usize::from(picture.more > 0) * ROW;
    let (width, height) = (right.saturating_sub(GAP) + MARGIN, layout.rows * ROW + 2 * MARGIN + note);
    let place = |node: usize| {
        let (column, row) = layout.places.get(node).copied().unwrap_or_default();
        let (left, width) =
            (lefts.get(column).copied().unwrap_or_default(), widths.get(column).copied().unwrap_or_default());
        (left, MARGIN + row * ROW, width)
    };
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\"><title>Files and what they depend on</title><style>{STYLE}</style>\
         <rect width=\"100%\" height=\"100%\" style=\"stroke:none\"/>\
         <defs><marker id=\"to\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
         orient=\"auto\"><path d=\"M0 0 8 4 0 8z\" style=\"fill:#6b7280;stroke:none\"/></marker></defs>\n"
    );
    for link in &picture.links {
        let ((from_left, from_top, from_width), (to_left, to_top, _)) = (place(link.from), place(link.to));
        let (x1, y1, x2, y2) = (from_left + from_width, from_top + HEIGHT / 2, to_left, to_top + HEIGHT / 2);
        let class = if link.kind == LinkKind::Imports { "" } else { " class=\"dashed\"" };
        let bend = GAP / 2;
        add(
            &mut text,
            format_args!(
                "<path{class} marker-end=\"url(#to)\" d=\"M{x1} {y1}C{} {y1} {} {y2} {x2} {y2}\"><title>{}</title></path>",
                x1 + bend,
                x2.saturating_sub(bend),
                link.kind.label()
            ),
        );
    }
    for (at, (node, label)) in picture.nodes.iter().zip(&labels).enumerate() {
        let (left, top, width) = place(at);
        let class = match node.kind {
            NodeKind::Tool => " class=\"tool\"",
            NodeKind::Subject => " class=\"subject\"",
            NodeKind::File => "",
        };
        add(
            &mut text,
            format_args!(
                "<g><title>{}</title><rect{class} x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{HEIGHT}\" rx=\"5\"/>\
                 <text x=\"{}\" y=\"{}\">{}</text></g>",
                escaped(&node.path),
                left + 10,
                top + 18,
                escaped(label)
            ),
        );
    }
    if picture.more > 0 {
        let top = MARGIN + layout.rows * ROW + 18;
        add(&mut text, format_args!("<text x=\"{MARGIN}\" y=\"{top}\">{} more files</text>", picture.more));
    }
    text.push_str("</svg>\n");
    text
}

fn add(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _infallible = writeln!(text, "{line}");
}

fn label(path: &str) -> String {
    let length = path.chars().count();
    if length <= MAX_LABEL {
        return path.to_owned();
    }
    std::iter::once('…').chain(path.chars().skip(length - MAX_LABEL + 1)).collect()
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // Not allowed in XML.
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::svg;
    use crate::kernel::graph::picture::picture::tests::picture;

    #[test]
    fn a_hostile_path_is_escaped_and_a_long_one_cut() {
        let hostile = "tools/<script>alert(\"1\")</script>&\u{1}.ts";
        let long = format!("tools/{}.ts", "x".repeat(200));
        let text = svg(&picture(&[hostile, &long], &[(hostile, "CALLS", &long)], None));
        assert!(!text.contains("<script") && !text.contains('\u{1}'), "{text}");
        assert!(text.contains("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;\u{fffd}.ts"));
        assert!(text.contains("class=\"dashed\"") && text.contains(">…xxx"));
    }
}
