//! Size-limited reading of objects of the local repository, which may come from others.

use crate::git_error::GitError;
use crate::regular_file;
use flate2::read::ZlibDecoder;
use git2::{ObjectType, Odb, Oid, Repository};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

/// Maximum length of a loose object header.
const MAX_HEADER: usize = 32;

/// The result of reading an object.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ReadObject {
    Content(Vec<u8>),
    TooLarge,
    /// It does not exist, or has another type.
    Missing,
}

/// Reads an object of at most `most` bytes.
pub(crate) fn read(repository: &Repository, id: Oid, kind: ObjectType, most: u64) -> Result<ReadObject, GitError> {
    let odb = repository.odb().map_err(|error| GitError::git("read an object", &error))?;
    read_in(&odb, &repository.commondir().join("objects"), id, kind, most)
}

/// As [`read`], from a database whose loose objects are in `folder`.
pub(crate) fn read_in(
    odb: &Odb<'_>,
    folder: &Path,
    id: Oid,
    kind: ObjectType,
    most: u64,
) -> Result<ReadObject, GitError> {
    if let Some(found) = read_loose(folder, id, kind, most) {
        return Ok(found);
    }
    let failed = |error: git2::Error| GitError::git("read an object", &error);
    match odb.read_header(id) {
        Err(_) => Ok(ReadObject::Missing),
        Ok((_, found)) if found != kind => Ok(ReadObject::Missing),
        Ok((size, _)) if size as u64 > most => Ok(ReadObject::TooLarge),
        Ok(_) => odb.read(id).map(|object| ReadObject::Content(object.data().to_vec())).map_err(failed),
    }
}

/// The size of a blob; `None` if it does not exist.
pub(crate) fn blob_size(repository: &Repository, id: Oid) -> Option<u64> {
    match repository.odb().and_then(|odb| odb.read_header(id)) {
        Ok((size, ObjectType::Blob)) => Some(size as u64),
        Ok(_) | Err(_) => None,
    }
}

/// Reads a loose object. `None` if there is no file, or if libgit2 should read it and report the error.
fn read_loose(objects: &Path, id: Oid, kind: ObjectType, most: u64) -> Option<ReadObject> {
    let name = id.to_string();
    let (folder, file) = name.split_at_checked(2)?;
    let path = objects.join(folder).join(file);
    let file = regular_file::open(&path, File::options().read(true)).ok()?;
    let mut stream = BufReader::new(ZlibDecoder::new(file));
    let (found, size) = loose_header(&mut stream)?;
    if found != kind {
        return Some(ReadObject::Missing);
    }
    if size > most {
        return Some(ReadObject::TooLarge);
    }
    let mut content = Vec::with_capacity(usize::try_from(size).ok()?);
    stream.take(size + 1).read_to_end(&mut content).ok()?;
    (content.len() as u64 == size && Oid::hash_object(kind, &content).ok()? == id)
        .then_some(ReadObject::Content(content))
}

/// The type and size in the header of a loose object.
pub(crate) fn loose_header(stream: &mut impl Read) -> Option<(ObjectType, u64)> {
    let mut header = Vec::with_capacity(MAX_HEADER);
    loop {
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        match byte {
            [0] => break,
            [byte] if header.len() < MAX_HEADER => header.push(byte),
            _ => return None,
        }
    }
    let (kind, size) = str::from_utf8(&header).ok()?.split_once(' ')?;
    let kind = ObjectType::from_str(kind).filter(|kind| *kind != ObjectType::Any)?;
    Some((kind, size.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::{ReadObject, read};
    use crate::tests::test_repository::TestRepository;
    use git2::{ObjectType, Oid, Repository};

    #[test]
    fn objects_over_the_limit_are_not_read() {
        let test = TestRepository::new();
        test.forge("a", &[7; 1000]);
        let id = Oid::from_str(test.git(&["rev-parse", "HEAD:a"]).trim()).unwrap();
        for packed in [false, true] {
            if packed {
                test.git(&["repack", "-q", "-a", "-d"]);
            }
            let repository = Repository::open(test.root()).unwrap();
            let found = |id, kind, most| read(&repository, id, kind, most).unwrap();
            assert_eq!(found(id, ObjectType::Blob, 1000), ReadObject::Content(vec![7; 1000]), "{packed}");
            assert_eq!(found(id, ObjectType::Blob, 999), ReadObject::TooLarge, "{packed}");
            assert_eq!(found(id, ObjectType::Tree, 1000), ReadObject::Missing, "{packed}");
            assert_eq!(found(Oid::from_bytes(&[1; 20]).unwrap(), ObjectType::Blob, 9), ReadObject::Missing, "{packed}");
        }
    }
}
