//! The layers of a picture: each file is right of those that depend on it.

use super::picture::Picture;

/// The column and the row of each node.
pub struct Layout {
    pub places: Vec<(usize, usize)>,
    pub columns: usize,
    pub rows: usize,
}

impl Layout {
    pub fn of(picture: &Picture) -> Self {
        let columns = columns(picture);
        let count = columns.iter().max().map_or(0, |last| last + 1);
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (node, column) in columns.iter().enumerate() {
            if let Some(members) = members.get_mut(*column) {
                members.push(node);
            }
        }
        let mut rows = vec![0; columns.len()];
        for members in &mut members {
            // Near the nodes that link to it, which have their rows already.
            let mut keyed: Vec<(usize, usize)> =
                members.iter().map(|node| (wanted_row(picture, *node, &rows), *node)).collect();
            keyed.sort_unstable();
            for (row, (_, node)) in keyed.into_iter().enumerate() {
                if let Some(place) = rows.get_mut(node) {
                    *place = row;
                }
            }
        }
        let tallest = members.iter().map(Vec::len).max().unwrap_or_default();
        Self { places: columns.into_iter().zip(rows).collect(), columns: count, rows: tallest }
    }
}

/// The longest way from a node that nothing links to. Links of a cycle count once.
fn columns(picture: &Picture) -> Vec<usize> {
    let mut columns = vec![0; picture.nodes.len()];
    for _ in 0..picture.nodes.len().min(24) {
        let mut is_stable = true;
        for link in &picture.links {
            let after = columns.get(link.from).map_or(0, |column| column + 1);
            if let Some(column) = columns.get_mut(link.to)
                && *column < after
                && link.from != link.to
                && after < picture.nodes.len().min(24)
            {
                *column = after;
                is_stable = false;
            }
        }
        if is_stable {
            break;
        }
    }
    // A cycle leaves columns empty.
    let mut used: Vec<usize> = columns.clone();
    used.sort_unstable();
    used.dedup();
    columns.iter().map(|column| used.binary_search(column).unwrap_or_default()).collect()
}

fn wanted_row(picture: &Picture, node: usize, rows: &[usize]) -> usize {
    let before: Vec<usize> =
        picture.links.iter().filter(|link| link.to == node).filter_map(|link| rows.get(link.from).copied()).collect();
    if before.is_empty() { usize::MAX / 2 } else { before.iter().sum::<usize>() / before.len() }
}

#[cfg(test)]
mod tests {
    use super::Layout;
    use crate::kernel::graph::picture::picture::tests::picture;

    #[test]
    fn files_are_right_of_their_dependents_also_in_cycles() {
        let chain = picture(&["a", "b", "c"], &[("a", "IMPORTS", "b"), ("b", "IMPORTS", "c")], None);
        let layout = Layout::of(&chain);
        assert_eq!(layout.places, [(0, 0), (1, 0), (2, 0)]);
        assert_eq!((layout.columns, layout.rows), (3, 1));
        let cycle = [("a", "IMPORTS", "b"), ("b", "IMPORTS", "a"), ("c", "IMPORTS", "c")];
        let layout = Layout::of(&picture(&["a", "b", "c"], &cycle, None));
        assert!(layout.columns <= 3 && layout.rows <= 3);
        let mut places = layout.places.clone();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), 3);
        let empty = Layout::of(&picture(&[], &[], None));
        assert_eq!((empty.columns, empty.rows), (0, 0));
    }
}
