//! Objects of the local repository, none larger than asked for: it may hold what others sent.

use crate::git_error::GitError;
use crate::plain_file;
use flate2::read::ZlibDecoder;
use git2::{ObjectType, Oid, Repository};
use std::fs::File;
use std::io::{BufReader, Read};

/// Kind, size and what is between and after them, at the start of an object's file.
const LONGEST_HEADER: usize = 32;

/// What came of looking for an object.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Content(Vec<u8>),
    TooLarge,
    /// It is not here, or something else than it should be.
    Nothing,
}

/// Reads an object unless it has more than `most` bytes.
pub(crate) fn read(repository: &Repository, id: Oid, kind: ObjectType, most: u64) -> Result<Found, GitError> {
    if let Some(found) = read_loose(repository, id, kind, most) {
        return Ok(found);
    }
    let failed = |error: git2::Error| GitError::git("read an object", &error);
    let odb = repository.odb().map_err(failed)?;
    match odb.read_header(id) {
        Err(_) => Ok(Found::Nothing),
        Ok((_, found)) if found != kind => Ok(Found::Nothing),
        Ok((size, _)) if size as u64 > most => Ok(Found::TooLarge),
        Ok(_) => odb.read(id).map(|object| Found::Content(object.data().to_vec())).map_err(failed),
    }
}

/// The size of the file with this content; `None` when there is none.
pub(crate) fn blob_size(repository: &Repository, id: Oid) -> Option<u64> {
    match repository.odb().and_then(|odb| odb.read_header(id)) {
        Ok((size, ObjectType::Blob)) => Some(size as u64),
        Ok(_) | Err(_) => None,
    }
}

/// The object from its own file. `None` when it has none, or when that had better be read by somebody who can say what is
/// wrong with it.
fn read_loose(repository: &Repository, id: Oid, kind: ObjectType, most: u64) -> Option<Found> {
    let name = id.to_string();
    let (folder, file) = name.split_at_checked(2)?;
    let path = repository.commondir().join("objects").join(folder).join(file);
    let file = plain_file::open(&path, File::options().read(true)).ok()?;
    let mut stream = BufReader::new(ZlibDecoder::new(file));
    let (found, size) = loose_header(&mut stream)?;
    if found != kind {
        return Some(Found::Nothing);
    }
    if size > most {
        return Some(Found::TooLarge);
    }
    let mut content = Vec::with_capacity(usize::try_from(size).ok()?);
    stream.take(size + 1).read_to_end(&mut content).ok()?;
    (content.len() as u64 == size && Oid::hash_object(kind, &content).ok()? == id).then_some(Found::Content(content))
}

/// The kind and size of an object, from the start of its file.
pub(crate) fn loose_header(stream: &mut impl Read) -> Option<(ObjectType, u64)> {
    let mut header = Vec::with_capacity(LONGEST_HEADER);
    loop {
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        match byte {
            [0] => break,
            [byte] if header.len() < LONGEST_HEADER => header.push(byte),
            _ => return None,
        }
    }
    let (kind, size) = str::from_utf8(&header).ok()?.split_once(' ')?;
    let kind = ObjectType::from_str(kind).filter(|kind| *kind != ObjectType::Any)?;
    Some((kind, size.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::{Found, read};
    use crate::tests::test_repository::TestRepository;
    use git2::{ObjectType, Oid, Repository};

    #[test]
    fn nothing_larger_than_asked_for_is_read_loose_or_packed() {
        let test = TestRepository::new();
        test.forge("a", &[7; 1000]);
        let id = Oid::from_str(test.git(&["rev-parse", "HEAD:a"]).trim()).unwrap();
        for packed in [false, true] {
            if packed {
                test.git(&["repack", "-q", "-a", "-d"]);
            }
            let repository = Repository::open(test.root()).unwrap();
            let found = |id, kind, most| read(&repository, id, kind, most).unwrap();
            assert_eq!(found(id, ObjectType::Blob, 1000), Found::Content(vec![7; 1000]), "{packed}");
            assert_eq!(found(id, ObjectType::Blob, 999), Found::TooLarge, "{packed}");
            assert_eq!(found(id, ObjectType::Tree, 1000), Found::Nothing, "{packed}");
            assert_eq!(found(Oid::from_bytes(&[1; 20]).unwrap(), ObjectType::Blob, 9), Found::Nothing, "{packed}");
        }
    }
}
