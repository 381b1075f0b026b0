//! `impact` and `history` of one path.

use super::graph::{Edge, EdgeFilter, Graph, Node};
use crate::answers::{Dependent, HistoryEntry, Impact, ImpactRun};
use crate::cypher::ast::Direction;
use crate::cypher::names::EdgeType;
use crate::graph_error::GraphError;
use std::collections::{HashMap, HashSet, VecDeque};
use tgp_base::spelling::nearest;

/// The most entries of a list of an impact.
const MAX_DEPENDENTS: usize = 1000;
const MAX_RUNS: usize = 20;
/// The most entries of a history.
const MAX_HISTORY: usize = 10_000;

fn known(graph: &Graph<'_>, path: &str) -> Result<u32, GraphError> {
    let history = &graph.data.history;
    // A path that only other commits have is unknown as well.
    let is_known = |file: &u32| graph.sees_file(*file) && graph.data.state.seen(*file).is_some();
    history.file(path).filter(is_known).ok_or_else(|| {
        let visible = graph.data.state.existing().iter().filter(|file| graph.sees_file(**file));
        let suggestion = nearest(path, visible.map(|file| history.path(*file)));
        GraphError::UnknownPath { path: path.chars().take(200).collect(), suggestion: suggestion.map(str::to_owned) }
    })
}

pub fn impact(graph: &Graph<'_>, path: &str) -> Result<Impact, GraphError> {
    let file = known(graph, path)?;
    let importers = dependents(graph, file, &[EdgeType::Imports]);
    let all = dependents(graph, file, &[EdgeType::Imports, EdgeType::Calls]);
    let importing: HashMap<u32, usize> = importers.iter().copied().collect();
    let callers: Vec<_> = all.iter().copied().filter(|(file, _)| !importing.contains_key(file)).collect();
    let affected: Vec<u32> = std::iter::once(file).chain(all.iter().map(|(file, _)| *file)).collect();
    let mut tests: Vec<String> = Vec::new();
    let mut runs: Vec<u32> = Vec::new();
    for file in &affected {
        let tested = edges(graph, *file, Direction::Out, &[EdgeType::TestedBy]);
        tests.extend(tested.iter().filter_map(|edge| path_of(graph, edge.to)));
        let called = edges(graph, *file, Direction::In, &[EdgeType::Calls]);
        let newest = called.iter().filter_map(|edge| if let Node::Run(run) = edge.from { Some(run) } else { None });
        runs.extend(newest.take(MAX_RUNS));
    }
    tests.sort_unstable();
    tests.dedup();
    // Runs are numbered from the newest.
    runs.sort_unstable();
    let truncated = [importers.len(), callers.len(), tests.len()].into_iter().any(|length| length > MAX_DEPENDENTS);
    tests.truncate(MAX_DEPENDENTS);
    let shown = |found: Vec<(u32, usize)>| {
        let path = |file: u32| graph.data.history.path(file).to_owned();
        found
            .into_iter()
            .take(MAX_DEPENDENTS)
            .map(|(file, distance)| Dependent { path: path(file), distance })
            .collect()
    };
    Ok(Impact {
        path: path.to_owned(),
        exists: graph.data.state.version(file).is_some(),
        importers: shown(importers),
        callers: shown(callers),
        tests,
        runs: runs.into_iter().take(MAX_RUNS).filter_map(|run| impact_run(graph, run)).collect(),
        truncated,
    })
}

fn edges(graph: &Graph<'_>, file: u32, direction: Direction, types: &[EdgeType]) -> Vec<Edge> {
    let mut found = Vec::new();
    graph.edges(Node::File(file), EdgeFilter { direction, types }, &mut found);
    found
}

fn path_of(graph: &Graph<'_>, node: Node) -> Option<String> {
    if let Node::File(file) = node { Some(graph.data.history.path(file).to_owned()) } else { None }
}

fn impact_run(graph: &Graph<'_>, run: u32) -> Option<ImpactRun> {
    let run = &graph.data.activity.run(run)?.record;
    let (id, path, code) = (run.id.clone(), run.path.clone()?, run.code.clone());
    Some(ImpactRun { id, path, ok: run.ok, code, ms: run.ms, time: run.time })
}

/// Files that refer to a file, directly or through others, with their distance; nearest first, then by path.
fn dependents(graph: &Graph<'_>, file: u32, types: &[EdgeType]) -> Vec<(u32, usize)> {
    let mut seen = HashSet::from([file]);
    let mut queue = VecDeque::from([(file, 0)]);
    let mut found = Vec::new();
    while let Some((next, distance)) = queue.pop_front() {
        for edge in edges(graph, next, Direction::In, types) {
            let Node::File(from) = edge.from else { continue };
            if seen.insert(from) {
                found.push((from, distance + 1));
                queue.push_back((from, distance + 1));
            }
        }
    }
    found.sort_unstable_by_key(|(file, distance)| (*distance, graph.data.history.path(*file)));
    found
}

pub fn history(graph: &Graph<'_>, path: &str) -> Result<Vec<HistoryEntry>, GraphError> {
    let history = &graph.data.history;
    let mut found: Vec<u32> = Vec::new();
    let mut followed = vec![known(graph, path)?];
    let mut at = 0;
    // The paths that it was renamed from, each once; files grow old, so changes after a rename away do not count.
    let mut until = vec![i64::MAX];
    while let (Some(file), Some(before)) = (followed.get(at).copied(), until.get(at).copied()) {
        at += 1;
        for number in history.changes_of(file) {
            let change = graph.change(*number).filter(|change| graph.sees(Node::Commit(change.commit)));
            let Some((change, commit)) = change.and_then(|change| Some((change, graph.commit(change.commit)?))) else {
                continue;
            };
            if commit.time > before {
                continue;
            }
            found.push(*number);
            if let Some(from) = change.from.filter(|from| graph.sees_file(*from) && !followed.contains(from)) {
                followed.push(from);
                until.push(commit.time);
            }
            if found.len() >= MAX_HISTORY {
                break;
            }
        }
    }
    let time =
        |number: &u32| graph.change(*number).and_then(|change| graph.commit(change.commit)).map(|commit| commit.time);
    found.sort_by_key(|number| std::cmp::Reverse((time(number), graph.change(*number).map(|change| change.commit))));
    Ok(found.into_iter().filter_map(|number| entry(graph, number)).collect())
}

fn entry(graph: &Graph<'_>, number: u32) -> Option<HistoryEntry> {
    let change = graph.change(number)?;
    let commit = graph.commit(change.commit)?;
    let strings = &graph.data.history.strings;
    let from = change.from.filter(|from| graph.sees_file(*from));
    Some(HistoryEntry {
        commit: commit.id.to_string(),
        time: commit.time,
        author: strings.text(commit.author).to_owned(),
        subject: strings.text(commit.subject).to_owned(),
        status: change.status.text(),
        path: graph.data.history.path(change.file).to_owned(),
        from: from.map(|from| graph.data.history.path(from).to_owned()),
        similarity: change.from.map(|_| change.similarity),
    })
}
