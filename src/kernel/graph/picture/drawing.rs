//! Draws pictures in each format.

use super::picture::Picture;
use super::{diagram_text, svg};
use serde::Deserialize;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum PictureFormat {
    #[default]
    Mermaid,
    Dot,
    Svg,
}

/// The picture as text of a format.
pub fn draw(picture: &Picture, format: PictureFormat) -> String {
    match format {
        PictureFormat::Mermaid => diagram_text::mermaid(picture),
        PictureFormat::Dot => diagram_text::dot(picture),
        PictureFormat::Svg => svg::svg(picture),
    }
}

#[cfg(test)]
mod tests {
    use super::{PictureFormat, draw};
    use crate::kernel::graph::picture::picture::tests::picture;

    #[test]
    fn each_format_has_all_files() {
        let shown =
            picture(&["tools/a.ts", "tools/b.ts"], &[("tools/a.ts", "CALLS", "tools/b.ts")], Some("tools/a.ts"));
        for format in [PictureFormat::Mermaid, PictureFormat::Dot, PictureFormat::Svg] {
            let text = draw(&shown, format);
            assert!(text.contains("tools/a.ts") && text.contains("tools/b.ts"), "{text}");
        }
    }
}
