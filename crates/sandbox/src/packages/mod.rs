//! Code that many runs share and no guest wrote, and the bytecode that V8 makes of it.

mod bytecode;
mod package;
mod package_id;

pub use bytecode::{Bytecode, EngineTag, file_name};
pub use package::{Known, Package, Parcel};
pub use package_id::PackageId;
