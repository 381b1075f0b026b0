//! Nodes and relationships of a view, as one caller may see them.

use super::graph_data::GraphData;
use super::history::{Change, Commit};
use crate::cypher::ast::Direction;
use crate::cypher::names::{EdgeType, Label};
use crate::records::CommitId;
use std::cell::RefCell;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Node {
    File(u32),
    Commit(u32),
    Session(u32),
    Run(u32),
}

/// A relationship.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    pub kind: EdgeType,
    pub from: Node,
    pub to: Node,
    /// The number of the change that it stands for, if it does.
    pub change: Option<u32>,
}

/// Which relationships of a node are asked for.
#[derive(Debug, Clone, Copy)]
pub struct EdgeFilter<'f> {
    pub direction: Direction,
    /// Empty: any type.
    pub types: &'f [EdgeType],
}

/// A view for one query.
pub struct Graph<'v> {
    pub data: &'v GraphData,
    visible: &'v dyn Fn(&str) -> bool,
    /// Answers of `visible` by file.
    answers: RefCell<Vec<Option<bool>>>,
}

impl<'v> Graph<'v> {
    pub fn new(data: &'v GraphData, visible: &'v dyn Fn(&str) -> bool) -> Self {
        Self { data, visible, answers: RefCell::new(vec![None; data.history.files()]) }
    }

    pub fn sees_file(&self, file: u32) -> bool {
        if let Some(known) = self.answers.borrow().get(file as usize).copied().flatten() {
            return known;
        }
        let answer = (self.visible)(self.data.history.path(file));
        if let Some(place) = self.answers.borrow_mut().get_mut(file as usize) {
            *place = Some(answer);
        }
        answer
    }

    /// Whether a node exists for the caller.
    pub fn sees(&self, node: Node) -> bool {
        match node {
            Node::File(file) => self.sees_file(file),
            Node::Commit(commit) => self.data.state.is_known(commit),
            Node::Session(_) => true,
            // Runs of files outside the graph are judged by their path.
            Node::Run(run) => self.data.activity.run(run).is_some_and(|run| match run.file {
                Some(file) => self.sees_file(file),
                None => run.record.path.as_deref().is_none_or(self.visible),
            }),
        }
    }

    /// Whether a node is found without a relationship: a file must exist.
    pub fn stands_alone(&self, node: Node) -> bool {
        self.sees(node) && if let Node::File(file) = node { self.data.state.version(file).is_some() } else { true }
    }

    pub fn has_label(&self, node: Node, label: Label) -> bool {
        match label {
            Label::File => matches!(node, Node::File(_)),
            Label::Tool => {
                if let Node::File(file) = node {
                    self.data.state.is_tool(&self.data.history, file)
                } else {
                    false
                }
            }
            Label::Commit => matches!(node, Node::Commit(_)),
            Label::Session => matches!(node, Node::Session(_)),
            Label::Run => matches!(node, Node::Run(_)),
        }
    }

    pub fn commit(&self, commit: u32) -> Option<&'v Commit> {
        self.data.history.commit(commit)
    }

    pub fn change(&self, change: u32) -> Option<&'v Change> {
        self.data.history.change(change)
    }

    /// Adds the relationships of a node. The order is that of the paths of files, and of time, newest first.
    pub fn edges(&self, node: Node, filter: EdgeFilter<'_>, into: &mut Vec<Edge>) {
        let first = into.len();
        if filter.direction != Direction::In {
            self.outgoing(node, filter.types, into);
        }
        if filter.direction != Direction::Out {
            self.incoming(node, filter.types, into);
        }
        let mut at = 0;
        into.retain(|edge| {
            at += 1;
            at <= first || self.sees(if edge.from == node { edge.to } else { edge.from })
        });
    }

    fn outgoing(&self, node: Node, types: &[EdgeType], into: &mut Vec<Edge>) {
        let has = |kind: EdgeType| types.is_empty() || types.contains(&kind);
        let GraphData { history, state, activity, .. } = self.data;
        let mut push = |kind, to, change| into.push(Edge { kind, from: node, to, change });
        match node {
            Node::File(file) => {
                let lists = [
                    (EdgeType::Imports, &state.imports),
                    (EdgeType::Calls, &state.calls),
                    (EdgeType::TestedBy, &state.tests),
                ];
                for (kind, list) in lists.into_iter().filter(|(kind, _)| has(*kind)) {
                    list.get(file).iter().for_each(|to| push(kind, Node::File(*to), None));
                }
                if has(EdgeType::ForgedBy)
                    && let Some((commit, session)) = self.forged_by(file)
                {
                    push(EdgeType::ForgedBy, Node::Commit(commit), None);
                    session.into_iter().for_each(|session| push(EdgeType::ForgedBy, Node::Session(session), None));
                }
                if has(EdgeType::WasRenamedFrom) {
                    for number in history.changes_of(file) {
                        let from = self.change(*number).filter(|change| state.is_known(change.commit));
                        let from = from.and_then(|change| change.from);
                        from.into_iter()
                            .for_each(|from| push(EdgeType::WasRenamedFrom, Node::File(from), Some(*number)));
                    }
                }
            }
            Node::Commit(commit) if has(EdgeType::Changed) => {
                for number in history.changes_in(commit) {
                    let file = self.change(number).map(|change| change.file);
                    file.into_iter().for_each(|file| push(EdgeType::Changed, Node::File(file), Some(number)));
                }
            }
            Node::Session(session) => {
                if has(EdgeType::Calls) {
                    activity
                        .runs_of_session
                        .get(session)
                        .iter()
                        .for_each(|run| push(EdgeType::Calls, Node::Run(*run), None));
                }
                if has(EdgeType::Changed) {
                    let files = activity.files_of_session.get(session);
                    files.iter().for_each(|file| push(EdgeType::Changed, Node::File(*file), None));
                }
            }
            Node::Run(run) if has(EdgeType::Calls) => {
                let file = activity.run(run).and_then(|run| run.file);
                file.into_iter().for_each(|file| push(EdgeType::Calls, Node::File(file), None));
                activity.runs_of_run.get(run).iter().for_each(|run| push(EdgeType::Calls, Node::Run(*run), None));
            }
            Node::Commit(_) | Node::Run(_) => {}
        }
    }

    fn incoming(&self, node: Node, types: &[EdgeType], into: &mut Vec<Edge>) {
        let has = |kind: EdgeType| types.is_empty() || types.contains(&kind);
        let GraphData { history, state, activity, .. } = self.data;
        let mut push = |kind, from, change| into.push(Edge { kind, from, to: node, change });
        match node {
            Node::File(file) => {
                let lists = [
                    (EdgeType::Imports, &state.imported_by),
                    (EdgeType::Calls, &state.called_by),
                    (EdgeType::TestedBy, &state.tested),
                ];
                for (kind, list) in lists.into_iter().filter(|(kind, _)| has(*kind)) {
                    list.get(file).iter().for_each(|from| push(kind, Node::File(*from), None));
                }
                if has(EdgeType::Calls) {
                    activity.runs_of_file.get(file).iter().for_each(|run| push(EdgeType::Calls, Node::Run(*run), None));
                }
                if has(EdgeType::Changed) {
                    for number in history.changes_of(file) {
                        let commit = self.change(*number).map(|change| Node::Commit(change.commit));
                        commit.into_iter().for_each(|commit| push(EdgeType::Changed, commit, Some(*number)));
                    }
                    let sessions = activity.sessions_of_file.get(file);
                    sessions.iter().for_each(|session| push(EdgeType::Changed, Node::Session(*session), None));
                }
                if has(EdgeType::WasRenamedFrom) {
                    for number in history.renames_from(file) {
                        let change = self.change(*number).filter(|change| state.is_known(change.commit));
                        let to = change.map(|change| Node::File(change.file));
                        to.into_iter().for_each(|to| push(EdgeType::WasRenamedFrom, to, Some(*number)));
                    }
                }
            }
            Node::Commit(commit) if has(EdgeType::ForgedBy) => {
                for number in history.changes_in(commit) {
                    let file = self.change(number).map(|change| change.file);
                    let file = file.filter(|file| self.forged_by(*file).is_some_and(|(by, _)| by == commit));
                    file.into_iter().for_each(|file| push(EdgeType::ForgedBy, Node::File(file), None));
                }
            }
            Node::Session(session) if has(EdgeType::ForgedBy) => {
                for file in activity.files_of_session.get(session) {
                    if self.forged_by(*file).is_some_and(|(_, by)| by == Some(session)) {
                        push(EdgeType::ForgedBy, Node::File(*file), None);
                    }
                }
            }
            Node::Run(run) if has(EdgeType::Calls) => {
                let run = activity.run(run);
                let session = run.and_then(|run| run.session);
                session.into_iter().for_each(|session| push(EdgeType::Calls, Node::Session(session), None));
                let parent = run.and_then(|run| run.parent);
                parent.into_iter().for_each(|parent| push(EdgeType::Calls, Node::Run(parent), None));
            }
            Node::Commit(_) | Node::Session(_) | Node::Run(_) => {}
        }
    }

    /// The commit that added a tool, and the session that wrote that commit's text.
    fn forged_by(&self, file: u32) -> Option<(u32, Option<u32>)> {
        let GraphData { history, state, activity, .. } = self.data;
        let (first, _) = state.seen(file).filter(|_| state.is_tool(history, file))?;
        let id: CommitId = history.commit(first)?.id;
        Some((first, activity.forged_by(file, id)))
    }

    /// The edges of a node in both directions have a loop twice; there are none.
    pub fn other_end(edge: &Edge, node: Node) -> Node {
        if edge.from == node { edge.to } else { edge.from }
    }
}
