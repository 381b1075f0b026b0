//! All known commits of a repository with their changes. It only grows, so that numbers of commits and files stay valid.

use super::adjacency::{Adjacency, BitSet};
use super::strings::{Strings, u32_of};
use crate::records::{ChangeStatus, CommitId, CommitRecord};
use std::cmp::Reverse;
use std::collections::HashMap;

#[derive(Debug, Clone, Default)]
pub struct History {
    /// The property `root` of its files.
    pub root: String,
    pub strings: Strings,
    commits: Vec<Commit>,
    parents: Vec<u32>,
    changes: Vec<Change>,
    numbers: HashMap<CommitId, u32>,
    /// Their paths.
    files: Vec<u32>,
    file_numbers: HashMap<u32, u32>,
    /// Commits, newest first.
    by_time: Vec<u32>,
    /// Files, by path.
    by_path: Vec<u32>,
    /// The changes of a file, newest first.
    of_file: Adjacency,
    /// The changes that renamed a file to another.
    from_file: Adjacency,
}

#[derive(Debug, Clone, Copy)]
pub struct Commit {
    pub id: CommitId,
    pub time: i64,
    pub author: u32,
    pub subject: u32,
    parents_end: u32,
    changes_end: u32,
}

#[derive(Debug, Clone, Copy)]
pub struct Change {
    pub commit: u32,
    pub file: u32,
    pub status: Status,
    /// The file that a renamed one was.
    pub from: Option<u32>,
    pub similarity: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Added,
    Modified,
    Deleted,
    Renamed,
}

impl Status {
    pub const fn text(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Modified => "modified",
            Self::Deleted => "deleted",
            Self::Renamed => "renamed",
        }
    }
}

impl History {
    pub fn new(root: &str) -> Self {
        Self { root: root.to_owned(), ..Self::default() }
    }

    pub fn commits(&self) -> usize {
        self.commits.len()
    }

    pub fn changes(&self) -> usize {
        self.changes.len()
    }

    pub fn files(&self) -> usize {
        self.files.len()
    }

    pub fn commit(&self, number: u32) -> Option<&Commit> {
        self.commits.get(number as usize)
    }

    pub fn number(&self, id: &CommitId) -> Option<u32> {
        self.numbers.get(id).copied()
    }

    pub fn change(&self, number: u32) -> Option<&Change> {
        self.changes.get(number as usize)
    }

    pub fn path(&self, file: u32) -> &str {
        self.files.get(file as usize).map_or("", |path| self.strings.text(*path))
    }

    pub fn file(&self, path: &str) -> Option<u32> {
        self.strings.find(path).and_then(|path| self.file_numbers.get(&path)).copied()
    }

    /// Commits, newest first.
    pub fn newest(&self) -> &[u32] {
        &self.by_time
    }

    /// Files, by path.
    pub fn by_path(&self) -> &[u32] {
        &self.by_path
    }

    /// Numbers of the changes of a file, newest first.
    pub fn changes_of(&self, file: u32) -> &[u32] {
        self.of_file.get(file)
    }

    /// Numbers of the changes that renamed this file to another.
    pub fn renames_from(&self, file: u32) -> &[u32] {
        self.from_file.get(file)
    }

    /// Numbers of the changes of a commit, by path.
    pub fn changes_in(&self, commit: u32) -> std::ops::Range<u32> {
        let start = commit.checked_sub(1).and_then(|before| self.commit(before)).map_or(0, |before| before.changes_end);
        start..self.commit(commit).map_or(start, |commit| commit.changes_end)
    }

    fn parents_of(&self, commit: u32) -> &[u32] {
        let start = commit.checked_sub(1).and_then(|before| self.commit(before)).map_or(0, |before| before.parents_end);
        let end = self.commit(commit).map_or(start, |commit| commit.parents_end);
        self.parents.get(start as usize..end as usize).unwrap_or_default()
    }

    /// The commit and its ancestors.
    pub fn ancestors(&self, head: u32) -> BitSet {
        let mut found = BitSet::of(self.commits.len());
        found.insert(head);
        // Parents come before their children.
        for commit in (0..=head).rev() {
            if found.contains(commit) {
                for parent in self.parents_of(commit) {
                    found.insert(*parent);
                }
            }
        }
        found
    }

    pub fn add_file(&mut self, path: &str) -> u32 {
        let path = self.strings.add(path);
        let next = u32_of(self.files.len());
        let file = *self.file_numbers.entry(path).or_insert(next);
        if file == next {
            self.files.push(path);
        }
        file
    }

    /// Adds a commit whose parents are known. [`Self::index`] must follow.
    pub fn add(&mut self, record: &CommitRecord) {
        if self.numbers.contains_key(&record.id) {
            return;
        }
        let number = u32_of(self.commits.len());
        let parents = record.parents.iter().filter_map(|parent| self.numbers.get(parent));
        self.parents.extend(parents);
        let mut changes: Vec<_> = record.changes.iter().collect();
        changes.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        for change in changes {
            let file = self.add_file(&change.path);
            let (status, from, similarity) = match &change.status {
                ChangeStatus::Added => (Status::Added, None, 0),
                ChangeStatus::Modified => (Status::Modified, None, 0),
                ChangeStatus::Deleted => (Status::Deleted, None, 0),
                ChangeStatus::Renamed { from, similarity } => (Status::Renamed, Some(self.add_file(from)), *similarity),
            };
            self.changes.push(Change { commit: number, file, status, from, similarity });
        }
        let (author, subject) = (self.strings.add(&record.author), self.strings.add(&record.subject));
        let (parents_end, changes_end) = (u32_of(self.parents.len()), u32_of(self.changes.len()));
        self.commits.push(Commit { id: record.id, time: record.time, author, subject, parents_end, changes_end });
        self.numbers.insert(record.id, number);
        self.by_time.push(number);
    }

    /// Brings what is derived from commits up to date.
    pub fn index(&mut self) {
        let commits = &self.commits;
        let key = |number: &u32| commits.get(*number as usize).map(|commit| (Reverse(commit.time), commit.id));
        // Stable: what is sorted already costs little.
        self.by_time.sort_by_key(key);
        let added = u32_of(self.by_path.len())..u32_of(self.files.len());
        let mut by_path = std::mem::take(&mut self.by_path);
        by_path.extend(added);
        by_path.sort_by(|one, other| self.path(*one).cmp(self.path(*other)));
        self.by_path = by_path;
        let mut of_file = Vec::with_capacity(self.changes.len());
        let mut from_file = Vec::new();
        for commit in &self.by_time {
            for number in self.changes_in(*commit) {
                if let Some(change) = self.change(number) {
                    of_file.push((change.file, number));
                    from_file.extend(change.from.map(|from| (from, number)));
                }
            }
        }
        self.of_file = Adjacency::of(self.files.len(), &of_file);
        self.from_file = Adjacency::of(self.files.len(), &from_file);
    }

    /// The bytes that it occupies, roughly.
    pub fn weight(&self) -> usize {
        self.strings.weight()
            + self.commits.capacity() * size_of::<Commit>()
            + self.changes.capacity() * size_of::<Change>()
            + (self.parents.capacity() + self.files.capacity() * 2 + self.by_time.capacity()) * 4
            + self.numbers.capacity() * 25
            + self.file_numbers.capacity() * 9
            + self.of_file.weight()
            + self.from_file.weight()
    }
}
