//! Pairs removed files with added ones: equal content first, then equal names, then the most similar.

use super::object_folder::ObjectFolder;
use super::similarity::Chunks;
use crate::git_error::GitError;
use crate::limits::{MAX_COMPARE_STEPS, MAX_COMPARED_BYTES, MAX_COMPARED_PAIRS, MAX_COMPARED_TOTAL};
use crate::objects::object_reader::ReadObject;
use git2::{ObjectType, Oid};
use std::collections::HashMap;
use std::rc::Rc;

/// Lowest similarity of a rename, in percent.
const MIN_SIMILARITY: u8 = 50;
/// Lowest similarity of files whose names occur once, in which case no other file is compared.
const MIN_SAME_NAME: u8 = 75;

/// A file that was added or removed.
#[derive(Debug, Clone)]
pub(super) struct LoneFile {
    pub(super) path: String,
    pub(super) blob: Oid,
}

/// A removed and an added file that are the same, by their positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rename {
    pub(super) removed: usize,
    pub(super) added: usize,
    pub(super) similarity: u8,
}

/// The renames of one commit. Both lists are sorted by path.
pub(super) fn find_renames(
    objects: &ObjectFolder,
    removed: &[LoneFile],
    added: &[LoneFile],
) -> Result<Vec<Rename>, GitError> {
    let mut search = RenameSearch {
        removed: removed.iter().map(Some).collect(),
        added: added.iter().map(Some).collect(),
        texts: Texts { objects, known: HashMap::new(), bytes: MAX_COMPARED_TOTAL, steps: MAX_COMPARE_STEPS },
        found: Vec::new(),
    };
    search.equal_content();
    search.equal_names()?;
    search.similar()?;
    Ok(search.found)
}

struct RenameSearch<'f> {
    /// `None` once paired.
    removed: Vec<Option<&'f LoneFile>>,
    added: Vec<Option<&'f LoneFile>>,
    texts: Texts<'f>,
    found: Vec<Rename>,
}

impl<'f> RenameSearch<'f> {
    fn pair(&mut self, removed: usize, added: usize, similarity: u8) {
        let both = (self.removed.get_mut(removed), self.added.get_mut(added));
        if let (Some(old @ Some(_)), Some(new @ Some(_))) = both {
            (*old, *new) = (None, None);
            self.found.push(Rename { removed, added, similarity });
        }
    }

    fn equal_content(&mut self) {
        let mut by_blob: HashMap<Oid, Vec<usize>> = HashMap::new();
        for (at, file) in open(&self.removed) {
            by_blob.entry(file.blob).or_default().push(at);
        }
        let added: Vec<_> = open(&self.added).collect();
        for (at, file) in added {
            let Some(same) = by_blob.get_mut(&file.blob) else { continue };
            let named = same.iter().position(|old| {
                let old = self.removed.get(*old).copied().flatten();
                old.is_some_and(|old| base_name(&old.path) == base_name(&file.path))
            });
            let Some(old) = (!same.is_empty()).then(|| same.remove(named.unwrap_or(0))) else { continue };
            self.pair(old, at, 100);
        }
    }

    fn equal_names(&mut self) -> Result<(), GitError> {
        let (old, new) = (unique_names(&self.removed), unique_names(&self.added));
        let mut pairs: Vec<_> = new.iter().filter_map(|(name, new)| Some(((*old.get(name)?)?, (*new)?))).collect();
        pairs.sort_unstable_by_key(|(_, (at, _))| *at);
        for ((old_at, old), (new_at, new)) in pairs {
            let similarity = self.texts.similarity(old, new)?;
            if similarity >= MIN_SAME_NAME {
                self.pair(old_at, new_at, similarity);
            }
        }
        Ok(())
    }

    fn similar(&mut self) -> Result<(), GitError> {
        let (old, new): (Vec<_>, Vec<_>) = (open(&self.removed).collect(), open(&self.added).collect());
        if old.len().saturating_mul(new.len()) > MAX_COMPARED_PAIRS {
            return Ok(());
        }
        let mut scores = Vec::new();
        for (new_at, new) in &new {
            for (old_at, old) in &old {
                let similarity = self.texts.similarity(old, new)?;
                if similarity >= MIN_SIMILARITY {
                    let is_same_name = base_name(&old.path) == base_name(&new.path);
                    scores.push((similarity, is_same_name, *old_at, *new_at));
                }
            }
        }
        // Stable, so that equally similar files are paired in the order of their paths.
        scores.sort_by_key(|(similarity, is_same_name, ..)| std::cmp::Reverse((*similarity, *is_same_name)));
        for (similarity, _, old, new) in scores {
            self.pair(old, new, similarity);
        }
        Ok(())
    }
}

/// The texts of one commit's files, within its limits.
struct Texts<'o> {
    objects: &'o ObjectFolder,
    /// `None`: too large, or missing.
    known: HashMap<Oid, Option<Rc<Chunks>>>,
    bytes: u64,
    steps: u64,
}

impl Texts<'_> {
    fn similarity(&mut self, old: &LoneFile, new: &LoneFile) -> Result<u8, GitError> {
        let (Some(old), Some(new)) = (self.chunks(old.blob)?, self.chunks(new.blob)?) else { return Ok(0) };
        if old.bound(&new) < u64::from(MIN_SIMILARITY) {
            return Ok(0);
        }
        let Some(steps) = self.steps.checked_sub((old.len() + new.len()) as u64) else { return Ok(0) };
        self.steps = steps;
        Ok(old.similarity(&new))
    }

    fn chunks(&mut self, blob: Oid) -> Result<Option<Rc<Chunks>>, GitError> {
        if let Some(known) = self.known.get(&blob) {
            return Ok(known.clone());
        }
        let most = self.bytes.min(MAX_COMPARED_BYTES);
        let chunks = match self.objects.read(blob, ObjectType::Blob, most)? {
            ReadObject::Content(content) => {
                self.bytes = self.bytes.saturating_sub(content.len() as u64);
                Some(Rc::new(Chunks::of(&content)))
            }
            ReadObject::TooLarge | ReadObject::Missing => None,
        };
        self.known.insert(blob, chunks.clone());
        Ok(chunks)
    }
}

fn open<'s, 'f>(files: &'s [Option<&'f LoneFile>]) -> impl Iterator<Item = (usize, &'f LoneFile)> + use<'s, 'f> {
    files.iter().enumerate().filter_map(|(at, file)| Some((at, (*file)?)))
}

/// The remaining files by name; `None` for a name of several.
fn unique_names<'f>(files: &[Option<&'f LoneFile>]) -> HashMap<&'f str, Option<(usize, &'f LoneFile)>> {
    let mut names = HashMap::new();
    for (at, file) in open(files) {
        names.entry(base_name(&file.path)).and_modify(|known| *known = None).or_insert(Some((at, file)));
    }
    names
}

fn base_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}
