//! Properties of nodes and relationships.

use super::value::Value;
use crate::cypher::names::{EdgeType, Label, Property};
use crate::model::graph::{Edge, Graph, Node};
use std::rc::Rc;

impl Graph<'_> {
    /// `Null` for a property that the node does not have.
    pub fn node_property(&self, node: Node, property: Property) -> Value {
        match node {
            Node::File(file) => self.file_property(file, property),
            Node::Commit(commit) => self.commit_property(commit, property),
            Node::Session(session) => self.session_property(session, property),
            Node::Run(run) => self.run_property(run, property),
        }
    }

    fn file_property(&self, file: u32, property: Property) -> Value {
        let path = self.data.history.path(file);
        let seen = || self.data.state.seen(file);
        let hash = |commit: u32| self.commit(commit).map_or(Value::Null, |commit| text(&commit.id.to_string()));
        if property == Property::Path {
            text(path)
        } else if property == Property::Name {
            text(path.rsplit('/').next().unwrap_or(path))
        } else if property == Property::Root {
            text(&self.data.history.root)
        } else if property == Property::FirstSeen {
            seen().map_or(Value::Null, |(first, _)| hash(first))
        } else if property == Property::LastSeen {
            seen().map_or(Value::Null, |(_, last)| hash(last))
        } else if property == Property::Exists {
            Value::Bool(self.data.state.version(file).is_some())
        } else if property == Property::Description {
            let version = self.data.state.version(file).filter(|version| version.facts.is_tool);
            optional(version.and_then(|version| version.facts.description.as_deref()))
        } else {
            Value::Null
        }
    }

    fn commit_property(&self, commit: u32, property: Property) -> Value {
        let Some(commit) = self.commit(commit) else { return Value::Null };
        let strings = &self.data.history.strings;
        if property == Property::Hash {
            text(&commit.id.to_string())
        } else if property == Property::Short {
            text(&commit.id.short())
        } else if property == Property::Author {
            text(strings.text(commit.author))
        } else if property == Property::Subject {
            text(strings.text(commit.subject))
        } else if property == Property::Time {
            Value::Integer(commit.time)
        } else {
            Value::Null
        }
    }

    fn session_property(&self, session: u32, property: Property) -> Value {
        let Some(session) = self.data.activity.session(session) else { return Value::Null };
        if property == Property::Id {
            text(&session.id)
        } else if property == Property::Agent {
            optional(session.agent.as_deref())
        } else if property == Property::First {
            Value::Integer(session.first)
        } else if property == Property::Last {
            Value::Integer(session.last)
        } else {
            Value::Null
        }
    }

    fn run_property(&self, run: u32, property: Property) -> Value {
        let Some(run) = self.data.activity.run(run).map(|run| &run.record) else { return Value::Null };
        if property == Property::Id {
            text(&run.id)
        } else if property == Property::Path {
            optional(run.path.as_deref())
        } else if property == Property::Ok {
            run.ok.map_or(Value::Null, Value::Bool)
        } else if property == Property::Code {
            optional(run.code.as_deref())
        } else if property == Property::Ms {
            run.ms.map_or(Value::Null, Value::Float)
        } else if property == Property::Time {
            Value::Integer(run.time)
        } else {
            Value::Null
        }
    }

    pub fn edge_property(&self, edge: &Edge, property: Property) -> Value {
        let Some(change) = edge.change.and_then(|change| self.change(change)) else { return Value::Null };
        let from = || change.from.filter(|from| self.sees_file(*from));
        if edge.kind == EdgeType::Changed && property == Property::Status {
            text(change.status.text())
        } else if edge.kind == EdgeType::Changed && property == Property::From {
            from().map_or(Value::Null, |from| text(self.data.history.path(from)))
        } else if property == Property::Similarity && change.from.is_some() {
            Value::Integer(i64::from(change.similarity))
        } else if edge.kind == EdgeType::WasRenamedFrom && property == Property::Commit {
            self.commit(change.commit).map_or(Value::Null, |commit| text(&commit.id.to_string()))
        } else {
            Value::Null
        }
    }

    /// The properties that nodes of a kind have, also where they are null.
    pub fn properties_of(&self, node: Node) -> &'static [Property] {
        match node {
            Node::File(_) if self.has_label(node, Label::Tool) => &[
                Property::Path,
                Property::Name,
                Property::Root,
                Property::FirstSeen,
                Property::LastSeen,
                Property::Exists,
                Property::Description,
            ],
            Node::File(_) => &[
                Property::Path,
                Property::Name,
                Property::Root,
                Property::FirstSeen,
                Property::LastSeen,
                Property::Exists,
            ],
            Node::Commit(_) => &[Property::Hash, Property::Short, Property::Author, Property::Time, Property::Subject],
            Node::Session(_) => &[Property::Id, Property::Agent, Property::First, Property::Last],
            Node::Run(_) => &[Property::Id, Property::Path, Property::Ok, Property::Code, Property::Ms, Property::Time],
        }
    }

    /// The properties of a relationship that are not null.
    pub fn properties_of_edge(&self, edge: &Edge) -> Vec<(Property, Value)> {
        let all = [Property::Status, Property::Similarity, Property::From, Property::Commit];
        let values = all.into_iter().map(|property| (property, self.edge_property(edge, property)));
        values.filter(|(_, value)| !value.is_null()).collect()
    }
}

fn text(text: &str) -> Value {
    Value::Text(Rc::from(text))
}

fn optional(found: Option<&str>) -> Value {
    found.map_or(Value::Null, text)
}
