//! A name index of a tree, for many lookups with little extra memory.

use super::raw_tree::{self, Malformed, RawEntry};

/// The bytes of a tree, and the positions of its entries, sorted by name.
#[derive(Debug, Default)]
pub(crate) struct TreeNames {
    tree: Vec<u8>,
    places: Vec<u32>,
}

impl TreeNames {
    pub(crate) fn new(tree: Vec<u8>) -> Result<Self, Malformed> {
        let mut places = Vec::new();
        let mut at = 0;
        for entry in raw_tree::entries(&tree) {
            places.push(u32::try_from(at).map_err(|_| Malformed)?);
            at += entry?.bytes.len();
        }
        // Stable, so that the first of duplicate names comes first.
        places.sort_by(|one, other| name_at(&tree, *one).cmp(&name_at(&tree, *other)));
        Ok(Self { tree, places })
    }

    /// The entry with this name; the first of duplicates.
    pub(crate) fn find(&self, name: &[u8]) -> Option<RawEntry<'_>> {
        let place = self.places.partition_point(|place| name_at(&self.tree, *place) < Some(name));
        entry_at(&self.tree, *self.places.get(place)?).filter(|entry| entry.name == name)
    }

    pub(crate) const fn bytes(&self) -> usize {
        self.tree.len() + self.places.len() * size_of::<u32>()
    }
}

fn entry_at(tree: &[u8], place: u32) -> Option<RawEntry<'_>> {
    raw_tree::entries(tree.get(usize::try_from(place).ok()?..)?).next()?.ok()
}

fn name_at(tree: &[u8], place: u32) -> Option<&[u8]> {
    entry_at(tree, place).map(|entry| entry.name)
}

#[cfg(test)]
mod tests {
    use super::TreeNames;
    use crate::objects::raw_tree;

    #[test]
    fn lookups_equal_a_linear_search() {
        let names: [&[u8]; 8] = [b"b", b"a", b"", b"b", b"b.c", b"b/c", b"\xff", b"zz"];
        let mut tree = Vec::new();
        for (index, name) in (1_u8..).zip(names) {
            tree.extend_from_slice(b"100644 ");
            tree.extend_from_slice(name);
            tree.push(0);
            tree.extend_from_slice(&[index; 20]);
        }
        let found = TreeNames::new(tree.clone()).unwrap();
        for name in names.into_iter().chain([b"none".as_slice(), b"\xff\xff", b"0"]) {
            let expected = raw_tree::find(&tree, name).unwrap().map(|entry| entry.id);
            assert_eq!(found.find(name).map(|entry| entry.id), expected, "{name:?}");
        }
        assert_eq!(found.bytes(), tree.len() + 4 * names.len());
        assert!(TreeNames::new(Vec::new()).unwrap().find(b"").is_none());
        assert!(TreeNames::new(b"100644 a".to_vec()).is_err());
    }
}
