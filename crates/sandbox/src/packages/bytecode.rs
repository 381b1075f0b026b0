//! V8 bytecode of a package, and its file format.
//!
//! V8 does not verify bytecode. So it is compiled only by an engine that never ran code, and a hash binds it to its text and
//! engine: V8 itself compares little more than the length of the text.

use super::package_id::PackageId;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::sync::Arc;

const SEAL: usize = 32;

/// Identifies engines that may share bytecode: same V8, flags, snapshot and version of this crate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineTag(pub u64);

/// Bytecode in V8's format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bytecode(Arc<[u8]>);

impl Bytecode {
    pub fn new(data: &[u8]) -> Self {
        Self(data.into())
    }

    pub fn data(&self) -> &[u8] {
        &self.0
    }

    /// The content of a bytecode file.
    pub fn sealed(&self, package: PackageId, engine: EngineTag) -> Vec<u8> {
        let mut file = self.0.to_vec();
        file.extend(seal(&self.0, package, engine).as_bytes());
        file
    }

    /// The bytecode of a file; `None` if it is damaged, or belongs to another text or engine.
    pub fn unsealed(file: &[u8], package: PackageId, engine: EngineTag) -> Option<Self> {
        let (data, found) = file.split_last_chunk::<SEAL>()?;
        (seal(data, package, engine) == *found).then(|| Self::new(data))
    }
}

/// The name of the file for a package and an engine.
pub fn file_name(package: PackageId, engine: EngineTag) -> String {
    format!("{package}-{:016x}.bin", engine.0)
}

fn seal(data: &[u8], package: PackageId, engine: EngineTag) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(package.bytes()).update(&engine.0.to_le_bytes()).update(data);
    hasher.finalize()
}

/// Serialised as one block; the derived implementation would write byte by byte.
impl Serialize for Bytecode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytecode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Block;
        impl Visitor<'_> for Block {
            type Value = Bytecode;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a block of bytes")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Bytecode, E> {
                Ok(Bytecode::new(bytes))
            }
        }
        deserializer.deserialize_bytes(Block)
    }
}

#[cfg(test)]
mod tests {
    use super::{Bytecode, EngineTag, file_name};
    use crate::packages::package::Package;

    #[test]
    fn only_an_intact_file_of_this_text_and_engine_is_accepted() {
        let (one, two) = (Package::new("one".into()).id(), Package::new("two".into()).id());
        let engine = EngineTag(7);
        let made = Bytecode::new(b"bytecode");
        let file = made.sealed(one, engine);
        assert_eq!(Bytecode::unsealed(&file, one, engine), Some(made));
        assert_eq!(Bytecode::unsealed(&file, two, engine), None, "another text");
        assert_eq!(Bytecode::unsealed(&file, one, EngineTag(8)), None, "another V8, flags or version");
        for cut in 0..file.len() {
            assert_eq!(Bytecode::unsealed(&file[..cut], one, engine), None, "torn after {cut} bytes");
        }
        for place in 0..file.len() {
            let mut damaged = file.clone();
            damaged[place] ^= 1;
            assert_eq!(Bytecode::unsealed(&damaged, one, engine), None, "damaged at {place}");
        }
    }

    #[test]
    fn file_names_differ_by_text_and_engine() {
        let (one, two) = (Package::new("one".into()).id(), Package::new("two".into()).id());
        let names = [file_name(one, EngineTag(1)), file_name(two, EngineTag(1)), file_name(one, EngineTag(2))];
        assert!(names[0] != names[1] && names[0] != names[2]);
        assert!(names[0].ends_with("-0000000000000001.bin"), "{}", names[0]);
    }

    #[test]
    fn bytecode_is_serialised_as_one_block() {
        let made = Bytecode::new(&[200; 1000]);
        let wire = postcard::to_stdvec(&made).unwrap();
        assert_eq!(wire.len(), 1002);
        assert_eq!(postcard::from_bytes::<Bytecode>(&wire).unwrap(), made);
    }
}
