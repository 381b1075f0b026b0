//! Packages: trusted code shared by many runs, and its V8 bytecode.

mod bytecode;
mod package;
mod package_id;

pub use bytecode::{Bytecode, EngineTag, file_name};
pub use package::{BytecodeState, Package, Parcel};
pub use package_id::PackageId;
