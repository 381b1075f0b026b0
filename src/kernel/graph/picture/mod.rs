//! Pictures of how files depend on each other.

mod diagram_text;
mod drawing;
mod layout;
#[expect(clippy::module_inception, reason = "the file is named for its main item")]
mod picture;
mod svg;

pub use drawing::{PictureFormat, draw};
pub use picture::Picture;
