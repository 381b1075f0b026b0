//! A parser and editor for raw trees from any source.
//!
//! Libraries refuse or abort on entries that `git` never writes: unknown modes, duplicate names, wrong order, empty names or
//! names with a slash. Here every entry is parsed, and entries that are not understood are preserved.

use git2::{ObjectType, Oid};

pub(crate) const PLAIN: i32 = 0o100_644;
pub(crate) const EXECUTABLE: i32 = 0o100_755;
pub(crate) const DIRECTORY: i32 = 0o040_000;
pub(crate) const LINK: i32 = 0o120_000;
const SUBMODULE: i32 = 0o160_000;

const ID_BYTES: usize = 20;

/// One unmodified entry of a tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RawEntry<'t> {
    /// The mode; `u32::MAX` on overflow.
    pub(crate) mode: u32,
    pub(crate) name: &'t [u8],
    pub(crate) id: Oid,
    /// All bytes of the entry.
    pub(crate) bytes: &'t [u8],
}

impl RawEntry<'_> {
    /// The normalised mode, as in `git`. Unknown modes count as submodules.
    pub(crate) const fn meaning(&self) -> i32 {
        match self.mode & 0o170_000 {
            0o040_000 => DIRECTORY,
            0o120_000 => LINK,
            0o100_000 if self.mode & 0o100 != 0 => EXECUTABLE,
            0o100_000 => PLAIN,
            _ => SUBMODULE,
        }
    }

    pub(crate) const fn is_directory(&self) -> bool {
        self.meaning() == DIRECTORY
    }

    /// The type of the object; `None` if it is not in this repository.
    pub(crate) const fn kind(&self) -> Option<ObjectType> {
        match self.meaning() {
            DIRECTORY => Some(ObjectType::Tree),
            SUBMODULE => None,
            _ => Some(ObjectType::Blob),
        }
    }

    /// Whether the name is a valid path segment.
    pub(crate) fn is_named(&self) -> bool {
        !self.name.is_empty() && !self.name.contains(&b'/')
    }
}

/// The bytes are not a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Malformed;

/// The entries in their original order.
pub(crate) const fn entries(tree: &[u8]) -> Entries<'_> {
    Entries { rest: tree }
}

#[derive(Debug, Clone)]
pub(crate) struct Entries<'t> {
    rest: &'t [u8],
}

impl<'t> Iterator for Entries<'t> {
    type Item = Result<RawEntry<'t>, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let Some((entry, rest)) = first(self.rest) else {
            self.rest = &[];
            return Some(Err(Malformed));
        };
        self.rest = rest;
        Some(Ok(entry))
    }
}

fn first(tree: &[u8]) -> Option<(RawEntry<'_>, &[u8])> {
    let mut mode = 0_u32;
    let mut digits = 0;
    for byte in tree {
        match byte {
            b'0'..=b'7' => {
                mode = mode.checked_mul(8).map_or(u32::MAX, |mode| mode | u32::from(byte - b'0'));
                digits += 1;
            }
            b' ' if digits > 0 => break,
            _ => return None,
        }
    }
    let after = tree.get(digits + 1..)?;
    let length = after.iter().position(|byte| *byte == 0)?;
    let id = Oid::from_bytes(after.get(length + 1..length + 1 + ID_BYTES)?).ok()?;
    let (bytes, rest) = tree.split_at_checked(digits + 1 + length + 1 + ID_BYTES)?;
    Some((RawEntry { mode, name: after.get(..length)?, id, bytes }, rest))
}

/// The entry with this name; the first of duplicates.
pub(crate) fn find<'t>(tree: &'t [u8], name: &[u8]) -> Result<Option<RawEntry<'t>>, Malformed> {
    for entry in entries(tree) {
        let entry = entry?;
        if entry.name == name {
            return Ok(Some(entry));
        }
    }
    Ok(None)
}

/// The entries with valid names, sorted and without duplicates; and the number of others.
pub(crate) fn sorted(tree: &[u8]) -> Result<(Vec<RawEntry<'_>>, usize), Malformed> {
    let all = entries(tree).collect::<Result<Vec<_>, _>>()?;
    let count = all.len();
    let mut named: Vec<_> = all.into_iter().filter(RawEntry::is_named).collect();
    // Stable, so that the first of duplicates stays.
    named.sort_by(|one, other| one.name.cmp(other.name));
    named.dedup_by(|later, earlier| later.name == earlier.name);
    let others = count - named.len();
    Ok((named, others))
}

/// A change of one name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Edit<'e> {
    pub(crate) name: &'e str,
    /// Its object and mode; `None` removes it.
    pub(crate) entry: Option<(Oid, i32)>,
}

/// Applies `edits` and preserves all other entries byte by byte. `None` if nothing remains.
pub(crate) fn edited(tree: &[u8], edits: &[Edit<'_>]) -> Result<Option<Vec<u8>>, Malformed> {
    let mut puts: Vec<_> = edits.iter().filter_map(|edit| Some((edit.name.as_bytes(), edit.entry?))).collect();
    puts.sort_by(|(one, (_, mode)), (other, (_, other_mode))| {
        place(one, *mode == DIRECTORY).cmp(place(other, *other_mode == DIRECTORY))
    });
    let mut puts = puts.into_iter().peekable();
    let mut names: Vec<_> = edits.iter().map(|edit| edit.name.as_bytes()).collect();
    names.sort_unstable();
    let mut new = Vec::with_capacity(tree.len() + edits.len() * 64);
    for entry in entries(tree) {
        let entry = entry?;
        if names.binary_search(&entry.name).is_ok() {
            continue;
        }
        let is_before =
            |put: &(&[u8], (Oid, i32))| place(put.0, put.1.1 == DIRECTORY).lt(place(entry.name, entry.is_directory()));
        while let Some((name, (id, mode))) = puts.next_if(is_before) {
            put(&mut new, name, id, mode);
        }
        new.extend_from_slice(entry.bytes);
    }
    for (name, (id, mode)) in puts {
        put(&mut new, name, id, mode);
    }
    Ok((!new.is_empty()).then_some(new))
}

/// The sort key of a name in Git's order: a directory sorts as if it ended with a slash.
fn place(name: &[u8], is_directory: bool) -> impl Iterator<Item = u8> {
    name.iter().copied().chain(is_directory.then_some(b'/'))
}

fn put(tree: &mut Vec<u8>, name: &[u8], id: Oid, mode: i32) {
    tree.extend_from_slice(format!("{mode:o} ").as_bytes());
    tree.extend_from_slice(name);
    tree.push(0);
    tree.extend_from_slice(id.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::{DIRECTORY, EXECUTABLE, Edit, PLAIN, edited, entries, find, sorted};
    use git2::Oid;

    fn id(byte: u8) -> Oid {
        Oid::from_bytes(&[byte; 20]).unwrap()
    }

    fn tree(parts: &[(&str, &[u8], u8)]) -> Vec<u8> {
        let mut tree = Vec::new();
        for (mode, name, byte) in parts {
            tree.extend_from_slice(mode.as_bytes());
            tree.push(b' ');
            tree.extend_from_slice(name);
            tree.push(0);
            tree.extend_from_slice(&[*byte; 20]);
        }
        tree
    }

    #[test]
    fn modes_are_normalised() {
        for (mode, meaning) in [
            ("100644", PLAIN),
            ("100664", PLAIN),
            ("100600", PLAIN),
            ("104755", EXECUTABLE),
            ("100755", EXECUTABLE),
            ("40000", DIRECTORY),
            ("0040755", DIRECTORY),
            ("120777", 0o120_000),
            ("160000", 0o160_000),
            ("777", 0o160_000),
            ("0", 0o160_000),
            ("140000", 0o160_000),
            ("60000", 0o160_000),
            ("77777777777777777777777777777777", 0o160_000),
        ] {
            let tree = tree(&[(mode, b"a", 1)]);
            assert_eq!(entries(&tree).next().unwrap().unwrap().meaning(), meaning, "{mode}");
        }
    }

    #[test]
    fn truncated_and_invalid_trees_are_refused() {
        let whole = tree(&[("100644", b"name", 1)]);
        for length in 1..whole.len() {
            assert!(entries(&whole[..length]).next().unwrap().is_err(), "{length}");
        }
        for mode in ["", "9", "-1", "abc"] {
            assert!(entries(&tree(&[(mode, b"a", 1)])).any(|entry| entry.is_err()), "{mode}");
        }
    }

    #[test]
    fn invalid_and_duplicate_names_are_counted() {
        let tree = tree(&[
            ("100644", b"z", 1),
            ("100644", b"a", 2),
            ("40000", b"a", 3),
            ("100644", b"", 4),
            ("100644", b"x/y", 5),
            ("777", b"m", 6),
        ]);
        let (named, others) = sorted(&tree).unwrap();
        let names: Vec<_> = named.iter().map(|entry| (entry.name, entry.id)).collect();
        assert_eq!(names, [(b"a".as_slice(), id(2)), (b"m", id(6)), (b"z", id(1))]);
        assert_eq!(others, 3);
        assert_eq!(find(&tree, b"a").unwrap().unwrap().id, id(2));
        assert!(find(&tree, b"b").unwrap().is_none());
    }

    #[test]
    fn an_edit_preserves_other_entries() {
        let odd = tree(&[("100600", b"b", 1), ("777", b"b-odd", 2), ("40000", b"b.dir", 3), ("100644", b"", 4)]);
        let new = edited(&odd, &[Edit { name: "b", entry: Some((id(9), DIRECTORY)) }]).unwrap().unwrap();
        // A folder sorts as `b/`, after `b-odd` and `b.dir`; the unnamed entry was out of order and stays where it was.
        let expected = tree(&[("777", b"b-odd", 2), ("40000", b"b.dir", 3), ("100644", b"", 4), ("40000", b"b", 9)]);
        assert_eq!(new, expected);
        let removed = edited(&tree(&[("100644", b"a", 1)]), &[Edit { name: "a", entry: None }]).unwrap();
        assert_eq!(removed, None);
    }
}
