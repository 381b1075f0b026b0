//! The nodes with which matching may begin.

use super::matcher::Matcher;
use super::plan::Anchor;
use super::value::{Row, Value, get};
use crate::cypher::ast::NodePattern;
use crate::cypher::names::{Label, Property};
use crate::graph_error::GraphError;
use crate::model::graph::Node;
use crate::records::CommitId;

impl<'q> Matcher<'_, 'q, '_> {
    pub fn candidates(
        &self,
        pattern: &NodePattern,
        anchor: Anchor<'q>,
        is_alone: bool,
        row: &mut Row,
    ) -> Result<Vec<Node>, GraphError> {
        match anchor {
            Anchor::Bound => Ok(get(row, pattern.slot).as_node().into_iter().collect()),
            Anchor::Index(property, expr) => self.indexed(property, &self.evaluator.eval(expr, row)?),
            Anchor::IndexIn(property, expr) => {
                let list = self.evaluator.eval(expr, row)?;
                let mut found = Vec::new();
                for value in list.as_list().unwrap_or_default() {
                    found.extend(self.indexed(property, value)?);
                }
                found.sort_unstable();
                found.dedup();
                Ok(found)
            }
            Anchor::Scan(label) => self.scan(label, is_alone),
        }
    }

    /// All nodes with a value of a property.
    fn indexed(&self, property: Property, value: &Value) -> Result<Vec<Node>, GraphError> {
        let data = self.graph().data;
        let Some(text) = value.as_text() else { return Ok(Vec::new()) };
        if property == Property::Hash {
            let commit = CommitId::parse(text).and_then(|id| data.history.number(&id));
            return Ok(commit.map(Node::Commit).into_iter().collect());
        }
        if property == Property::Id {
            let session = data.activity.session_number(text).map(Node::Session);
            return Ok(session.into_iter().chain(data.activity.run_number(text).map(Node::Run)).collect());
        }
        let file = data.history.file(text);
        let mut found: Vec<Node> = file.map(Node::File).into_iter().collect();
        match file {
            Some(file) => found.extend(data.activity.runs_of_file.get(file).iter().map(|run| Node::Run(*run))),
            None => {
                self.evaluator.meter.step(data.activity.runs.len() as u64)?;
                let runs = data.activity.runs.iter().zip(0_u32..);
                let runs = runs.filter(|(run, _)| run.record.path.as_deref() == Some(text));
                found.extend(runs.map(|(_, number)| Node::Run(number)));
            }
        }
        Ok(found)
    }

    /// Files by path, then commits and runs, newest first.
    fn scan(&self, label: Option<Label>, is_alone: bool) -> Result<Vec<Node>, GraphError> {
        let data = self.graph().data;
        let mut found = Vec::new();
        if label.is_none_or(|label| matches!(label, Label::File | Label::Tool)) {
            let files = if is_alone { data.state.existing() } else { data.history.by_path() };
            found.extend(files.iter().map(|file| Node::File(*file)));
        }
        if label.is_none_or(|label| label == Label::Commit) {
            found.extend(data.history.newest().iter().map(|commit| Node::Commit(*commit)));
        }
        if label.is_none_or(|label| label == Label::Session) {
            found.extend((0_u32..).zip(&data.activity.sessions).map(|(session, _)| Node::Session(session)));
        }
        if label.is_none_or(|label| label == Label::Run) {
            found.extend((0_u32..).zip(&data.activity.runs).map(|(run, _)| Node::Run(run)));
        }
        self.evaluator.meter.allocate(found.len())?;
        Ok(found)
    }
}
