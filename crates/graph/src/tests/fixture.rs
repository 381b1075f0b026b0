//! A repository made by hand: what Git and the ledger are to the graph.

use crate::{
    Activity, ActivityState, ChangeStatus, CommitId, CommitRecord, EachActivity, EachCommit, FileChange, FileFacts,
    GraphError, GraphLimits, GraphStore, QueryBudget, RunRecord, SessionWrite, Source, TreeFile, View,
};
use serde_json::{Map, Value, json};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use tempfile::TempDir;

#[derive(Default)]
pub struct FakeRepository {
    pub commits: Vec<CommitRecord>,
    pub trees: HashMap<CommitId, BTreeMap<String, [u8; 20]>>,
    pub facts: HashMap<[u8; 20], FileFacts>,
    pub activity: RefCell<Vec<Activity>>,
    pub has_ledger: bool,
    /// How many texts were parsed.
    pub parsed: Cell<usize>,
    /// The commits after which the walk fails, as if the process ended.
    pub fails_after: Option<usize>,
}

pub fn id(number: u32) -> CommitId {
    let mut bytes = [0; 20];
    bytes[..4].copy_from_slice(&number.to_be_bytes());
    bytes[19] = 7;
    CommitId(bytes)
}

pub fn facts(imports: &[&str], calls: &[&str], description: Option<&str>) -> FileFacts {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    let description = description.map(str::to_owned);
    FileFacts { imports: texts(imports), calls: texts(calls), is_tool: description.is_some(), description }
}

pub fn change(path: &str, status: ChangeStatus) -> FileChange {
    FileChange { path: path.to_owned(), status }
}

impl FakeRepository {
    pub fn forget_tree(&mut self, number: u32) {
        self.trees.remove(&id(number));
    }

    /// Adds a commit; `texts` has the facts of files that it adds or changes.
    pub fn commit(&mut self, number: u32, parents: &[u32], changes: Vec<FileChange>, texts: Vec<FileFacts>) {
        let mut tree = BTreeMap::new();
        for parent in parents {
            tree.extend(self.trees[&id(*parent)].clone());
        }
        let mut texts = texts.into_iter();
        for (at, change) in changes.iter().enumerate() {
            let mut blob = id(number).0;
            blob[4..8].copy_from_slice(&u32::try_from(at).unwrap().to_be_bytes());
            match &change.status {
                ChangeStatus::Deleted => {
                    tree.remove(&change.path);
                    continue;
                }
                ChangeStatus::Renamed { from, .. } => drop(tree.remove(from)),
                ChangeStatus::Added | ChangeStatus::Modified => {}
            }
            self.facts.insert(blob, texts.next().unwrap_or_default());
            tree.insert(change.path.clone(), blob);
        }
        self.trees.insert(id(number), tree);
        self.commits.push(CommitRecord {
            id: id(number),
            parents: parents.iter().copied().map(id).collect(),
            time: i64::from(number) * 100,
            author: if number % 2 == 1 { "Ada" } else { "Bob" }.to_owned(),
            subject: format!("commit {number}"),
            changes,
        });
    }
}

impl Source for FakeRepository {
    fn resolve(&self, commit: Option<&str>) -> Result<CommitId, GraphError> {
        let Some(text) = commit else { return Ok(self.commits.last().unwrap().id) };
        let found = self.commits.iter().find(|record| record.id.to_string().starts_with(text));
        found.map(|record| record.id).ok_or_else(|| GraphError::UnknownCommit(text.to_owned()))
    }

    fn commits(
        &self,
        head: &CommitId,
        known: &dyn Fn(&CommitId) -> bool,
        each: EachCommit<'_>,
    ) -> Result<(), GraphError> {
        let mut needed = HashSet::from([*head]);
        for record in self.commits.iter().rev() {
            if needed.contains(&record.id) && !known(&record.id) {
                needed.extend(record.parents.iter().copied());
            }
        }
        let wanted = self.commits.iter().filter(|record| needed.contains(&record.id) && !known(&record.id));
        for (at, record) in wanted.enumerate() {
            if self.fails_after == Some(at) {
                return Err(GraphError::Cancelled);
            }
            each(record.clone())?;
        }
        Ok(())
    }

    fn tree(&self, commit: &CommitId) -> Result<Vec<TreeFile>, GraphError> {
        let tree = self.trees[commit].iter();
        Ok(tree.map(|(path, blob)| TreeFile { path: path.clone(), blob: *blob, size: 10 }).collect())
    }

    fn facts(&self, file: &TreeFile) -> Result<FileFacts, GraphError> {
        self.parsed.set(self.parsed.get() + 1);
        Ok(self.facts[&file.blob].clone())
    }

    fn activity(&self, after: u64, each: EachActivity<'_>) -> Result<ActivityState, GraphError> {
        if !self.has_ledger {
            return Ok(ActivityState::Off);
        }
        let events = self.activity.borrow();
        for (position, event) in (1..).zip(events.iter()).filter(|(position, _)| *position > after) {
            each(position, event.clone())?;
        }
        Ok(ActivityState::At(events.len() as u64))
    }
}

/// Six commits: additions, a deletion, a rename with edits, a branch and its merge; two sessions with runs.
pub fn small() -> FakeRepository {
    use ChangeStatus::{Added, Deleted, Modified, Renamed};
    let mut repository = FakeRepository { has_ledger: true, ..FakeRepository::default() };
    let added = |path: &str| change(path, Added);
    let texts = vec![facts(&["./lib.ts"], &[], Some("Adds")), facts(&[], &[], None), FileFacts::default()];
    repository.commit(1, &[], vec![added("tools/a.ts"), added("tools/lib.ts"), added("README.md")], texts);
    let texts = vec![facts(&["./lib"], &["a.ts"], Some("Calls a")), facts(&["./a.ts"], &[], None)];
    repository.commit(2, &[1], vec![added("tools/b.ts"), added("tools/a.test.ts")], texts);
    let texts = vec![facts(&["./lib.ts"], &[], Some("Adds numbers"))];
    repository.commit(3, &[2], vec![change("tools/a.ts", Modified), change("README.md", Deleted)], texts);
    let renamed = Renamed { from: "tools/lib.ts".to_owned(), similarity: 72 };
    let texts = vec![
        facts(&[], &[], None),
        facts(&["./core.ts"], &[], Some("Adds numbers")),
        facts(&["./core"], &["a.ts"], Some("Calls a")),
    ];
    let changes =
        vec![change("tools/core.ts", renamed), change("tools/a.ts", Modified), change("tools/b.ts", Modified)];
    repository.commit(4, &[3], changes, texts);
    repository.commit(5, &[2], vec![added("side.md")], vec![FileFacts::default()]);
    repository.commit(6, &[4, 5], Vec::new(), Vec::new());
    // What the merge deletes comes back from the second parent otherwise.
    let merged = repository.trees.get_mut(&id(6)).unwrap();
    merged.retain(|path, _| !["README.md", "tools/lib.ts"].contains(&path.as_str()));
    for path in ["tools/a.ts", "tools/b.ts"] {
        let blob = repository.trees[&id(4)][path];
        repository.trees.get_mut(&id(6)).unwrap().insert(path.to_owned(), blob);
    }
    let run = |id: &str, parent: Option<&str>, path: &str, time: i64| RunRecord {
        id: id.to_owned(),
        parent: parent.map(str::to_owned),
        session: Some("s1".to_owned()),
        agent: Some("claude".to_owned()),
        path: Some(path.to_owned()),
        time,
        ..RunRecord::default()
    };
    let ended = RunRecord {
        ok: Some(false),
        code: Some("ERR_TOOL_THROWN".to_owned()),
        ms: Some(1.5),
        ..run("r1", None, "tools/b.ts", 0)
    };
    let write = SessionWrite {
        session: "s1".to_owned(),
        agent: None,
        path: "tools/b.ts".to_owned(),
        commit: Some(id(2)),
        time: 1000,
    };
    repository.activity = RefCell::new(vec![
        Activity::Write(write),
        Activity::Run(run("r1", None, "tools/b.ts", 2000)),
        Activity::Run(run("r2", Some("r1"), "tools/a.ts", 2001)),
        Activity::Run(ended),
    ]);
    repository
}

/// A store in a folder of its own.
pub struct Fixture {
    pub store: GraphStore,
    pub folder: TempDir,
}

impl Fixture {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { store: GraphStore::open(&folder.path().join("graph.db"), GraphLimits::default()).unwrap(), folder }
    }

    pub fn view(&self, source: &FakeRepository, commit: Option<&str>) -> Arc<View> {
        self.store.view(".", source, commit).unwrap()
    }
}

pub fn small_view() -> Arc<View> {
    Fixture::new().view(&small(), None)
}

pub fn ask(view: &View, cypher: &str, params: Value) -> Result<Vec<Value>, GraphError> {
    let params: Map<String, Value> = params.as_object().cloned().unwrap_or_default();
    view.query(cypher, &params, &QueryBudget::default(), &|_| true)
}

/// The rows as lists of values by column name, in the order of the rows.
pub fn rows(view: &View, cypher: &str) -> Value {
    json!(ask(view, cypher, json!({ "path": "tools/a.ts" })).unwrap_or_else(|error| panic!("{cypher}: {error}")))
}
