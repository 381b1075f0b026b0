//! Patterns: `(a:File {path: $path})<-[r:CHANGED*1..3]-(b)`.

use super::ast::{Direction, EdgePattern, Expr, Match, NodePattern, PathPattern, Slot};
use super::fault::Fault;
use super::lexer::Token;
use super::names::{EdgeType, Label, Property};
use super::parser::{Parser, shown};
use super::scope::Kind;
use tgp_base::spelling::nearest;

/// Whether patterns may introduce variables.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum NewVariables {
    Allowed,
    Refused,
}

impl Parser<'_> {
    /// Patterns with an optional `WHERE`. Their variables exist afterwards.
    pub fn match_body(&mut self, is_optional: bool) -> Result<Match, Fault> {
        let bound_before = self.scope.defined();
        let mut patterns = vec![self.path_pattern(NewVariables::Allowed)?];
        while self.take_symbol(",") {
            patterns.push(self.path_pattern(NewVariables::Allowed)?);
        }
        let conditions = if self.take_words(&["WHERE"]) { self.conjuncts()? } else { Vec::new() };
        let introduced = self.introduced(&patterns, &bound_before);
        Ok(Match { is_optional, patterns, conditions, introduced, bound_before })
    }

    /// A pattern as a condition.
    pub fn pattern_predicate(&mut self) -> Result<Match, Fault> {
        let bound_before = self.scope.defined();
        let saved = self.scope.save();
        let patterns = vec![self.path_pattern(NewVariables::Refused)?];
        let introduced = self.introduced(&patterns, &bound_before);
        self.scope.restore(saved);
        Ok(Match { is_optional: false, patterns, conditions: Vec::new(), introduced, bound_before })
    }

    /// What follows `EXISTS`.
    pub fn exists_block(&mut self) -> Result<Match, Fault> {
        self.expect_symbol("{")?;
        let saved = self.scope.save();
        self.take_words(&["MATCH"]);
        let inner = self.match_body(false)?;
        self.scope.restore(saved);
        self.expect_symbol("}")?;
        Ok(inner)
    }

    fn introduced(&self, patterns: &[PathPattern], before: &[Slot]) -> Vec<Slot> {
        let mut slots: Vec<Slot> = Vec::new();
        for path in patterns {
            slots.extend(path.slot);
            slots.extend(path.nodes.iter().map(|node| node.slot).chain(path.edges.iter().map(|edge| edge.slot)));
        }
        slots.sort_unstable();
        slots.dedup();
        slots.retain(|slot| !before.contains(slot));
        slots
    }

    fn path_pattern(&mut self, new: NewVariables) -> Result<PathPattern, Fault> {
        let mut slot = None;
        if matches!(self.peek(), Token::Word { .. }) && self.is_symbol(1, "=") {
            let at = self.at();
            let name = self.name("a name")?;
            self.advance();
            slot = Some(self.new_variable(at, &name, Kind::Value, new)?);
        }
        if self.is_word(0, "shortestPath") || self.is_word(0, "allShortestPaths") {
            return Err(Fault::new(
                self.at(),
                "Shortest paths are not supported. Use a pattern with a length, as in '*1..5'.",
            ));
        }
        let mut nodes = vec![self.node_pattern(new)?];
        let mut edges = Vec::new();
        while self.is_symbol(0, "-") || self.is_symbol(0, "<") {
            edges.push(self.edge_pattern(new)?);
            nodes.push(self.node_pattern(new)?);
        }
        Ok(PathPattern { slot, nodes, edges })
    }

    fn new_variable(&mut self, at: usize, name: &str, kind: Kind, new: NewVariables) -> Result<Slot, Fault> {
        if new == NewVariables::Refused {
            self.existing(at, name)?;
        } else if self.scope.find(name).is_some() {
            return Err(Fault::new(
                at,
                format!("The variable '{}' is already defined. Choose another name.", shown(name)),
            ));
        }
        let slot = self.slot(at, Some(name))?;
        self.scope.define(slot, Some(kind));
        Ok(slot)
    }

    fn node_pattern(&mut self, new: NewVariables) -> Result<NodePattern, Fault> {
        self.expect_symbol("(")?;
        let at = self.at();
        let slot = if let Token::Word { text, .. } = self.peek() {
            let name = text.clone();
            self.advance();
            match self.scope.find(&name) {
                Some(slot) if self.scope.kind(slot) == Some(Kind::Edge) => {
                    return Err(Fault::new(
                        at,
                        format!("The variable '{}' is a relationship, not a node.", shown(&name)),
                    ));
                }
                Some(slot) => slot,
                None => self.new_variable(at, &name, Kind::Node, new)?,
            }
        } else {
            self.slot(at, None)?
        };
        let labels = self.labels()?;
        let properties = self.pattern_properties(Kind::Node)?;
        self.expect_symbol(")")?;
        Ok(NodePattern { slot, labels, properties })
    }

    /// `:File:Tool`, or nothing.
    pub fn labels(&mut self) -> Result<Vec<Label>, Fault> {
        let mut labels = Vec::new();
        while self.take_symbol(":") {
            let at = self.at();
            let name = self.name("a label")?;
            let known = || Label::ALL.iter().map(|label| label.text());
            let unknown = || {
                let all = known().collect::<Vec<_>>().join(", ");
                Fault::new(at, format!("The label '{}' is unknown. Labels are {all}.", shown(&name)))
                    .suggest(nearest(&name, known()))
            };
            let label = Label::parse(&name).ok_or_else(unknown)?;
            if matches!(label, Label::Session | Label::Run) {
                self.needs_ledger = Some(label);
            }
            labels.push(label);
            if self.is_symbol(0, "|") || self.is_symbol(0, "&") {
                return Err(Fault::new(
                    self.at(),
                    "Alternatives of labels are not supported. Use WHERE a:File OR a:Commit.",
                ));
            }
        }
        Ok(labels)
    }

    fn edge_pattern(&mut self, new: NewVariables) -> Result<EdgePattern, Fault> {
        let is_left = self.take_symbol("<");
        self.expect_symbol("-")?;
        let at = self.at();
        let mut pattern = EdgePattern {
            slot: 0,
            types: Vec::new(),
            direction: Direction::Both,
            properties: Vec::new(),
            length: None,
        };
        let mut name = None;
        let has_body = self.take_symbol("[");
        if has_body {
            if matches!(self.peek(), Token::Word { .. }) {
                name = Some(self.name("a name")?);
            }
            pattern.types = self.edge_types()?;
            pattern.length = self.length()?;
            pattern.properties = self.pattern_properties(Kind::Edge)?;
            self.expect_symbol("]")?;
        }
        let kind = if pattern.length.is_some() { Kind::Value } else { Kind::Edge };
        pattern.slot = match name {
            Some(name) => self.new_variable(at, &name, kind, new)?,
            None => self.slot(at, None)?,
        };
        self.expect_symbol("-")?;
        let is_right = self.take_symbol(">");
        pattern.direction = match (is_left, is_right) {
            (true, false) => Direction::In,
            (false, true) => Direction::Out,
            (true, true) | (false, false) => Direction::Both,
        };
        Ok(pattern)
    }

    fn edge_types(&mut self) -> Result<Vec<EdgeType>, Fault> {
        let mut types = Vec::new();
        if !self.take_symbol(":") {
            return Ok(types);
        }
        loop {
            let at = self.at();
            let name = self.name("a relationship type")?;
            let known = || EdgeType::ALL.iter().map(|edge| edge.text());
            let unknown = || {
                let all = known().collect::<Vec<_>>().join(", ");
                Fault::new(at, format!("The relationship type '{}' is unknown. Types are {all}.", shown(&name)))
                    .suggest(nearest(&name, known()))
            };
            types.push(EdgeType::parse(&name).ok_or_else(unknown)?);
            if !self.take_symbol("|") {
                return Ok(types);
            }
            self.take_symbol(":");
        }
    }

    /// `*`, `*2`, `*1..3`, `*..3` or nothing.
    fn length(&mut self) -> Result<Option<(usize, Option<usize>)>, Fault> {
        let at = self.at();
        if !self.take_symbol("*") {
            return Ok(None);
        }
        let from = self.bound()?;
        let (from, to) =
            if self.take_symbol("..") { (from.unwrap_or(1), self.bound()?) } else { (from.unwrap_or(1), from) };
        if to.is_some_and(|to| to < from) {
            return Err(Fault::new(at, "The upper bound of this length is smaller than the lower one."));
        }
        Ok(Some((from, to)))
    }

    fn bound(&mut self) -> Result<Option<usize>, Fault> {
        let at = self.at();
        if let Token::Integer(number) = *self.peek() {
            self.advance();
            let bound = usize::try_from(number).ok().filter(|bound| *bound <= 1_000_000);
            return bound.map(Some).ok_or_else(|| Fault::new(at, "This length of a path is too large."));
        }
        Ok(None)
    }

    fn pattern_properties(&mut self, kind: Kind) -> Result<Vec<(Property, Expr)>, Fault> {
        let mut properties = Vec::new();
        if !self.take_symbol("{") {
            return Ok(properties);
        }
        while !self.take_symbol("}") {
            if !properties.is_empty() {
                self.expect_symbol(",")?;
            }
            let at = self.at();
            let name = self.name("a property")?;
            let property = self.property(at, &name, kind)?;
            self.expect_symbol(":")?;
            properties.push((property, self.expression()?));
        }
        Ok(properties)
    }

    /// A property of a node or relationship; unknown ones are errors.
    pub fn property(&self, at: usize, name: &str, kind: Kind) -> Result<Property, Fault> {
        let fits = |property: &&Property| property.is_of_edges() == (kind == Kind::Edge);
        let found = Property::ALL.iter().filter(fits).find(|known| known.text() == name);
        found.copied().ok_or_else(|| {
            let known: Vec<&str> = Property::ALL.iter().filter(fits).map(|known| known.text()).collect();
            let what = if kind == Kind::Edge { "Relationships" } else { "Nodes" };
            let problem = format!("{what} have no property '{}'. Properties are {}.", shown(name), known.join(", "));
            Fault::new(at, problem).suggest(nearest(name, known))
        })
    }
}
