//! Finds the matches of a pattern by backtracking.

use super::eval::Evaluator;
use super::plan::{Anchor, Check, Step, StepKind, plan};
use super::value::{Path, Row, Value, get, set};
use crate::cypher::ast::{Direction, EdgePattern, Match, NodePattern};
use crate::graph_error::GraphError;
use crate::model::graph::{Edge, EdgeFilter, Graph, Node};
use std::rc::Rc;

/// Whether more rows are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    More,
    Stop,
}

/// Receives rows.
pub type Emit<'f> = &'f mut dyn FnMut(&mut Row) -> Result<Flow, GraphError>;

pub struct Matcher<'e, 'q, 'f> {
    pub evaluator: &'e Evaluator<'q>,
    pub clause: &'q Match,
    pub steps: Rc<Vec<Step<'q>>>,
    /// Relationships of the match so far: each occurs once.
    pub used: Vec<Edge>,
    pub emit: Emit<'f>,
}

/// A relationship of a pattern with variable length, where it is followed.
#[derive(Clone, Copy)]
struct Walk<'q> {
    pattern: &'q EdgePattern,
    filter: EdgeFilter<'q>,
    target: &'q NodePattern,
    least: usize,
    most: usize,
    /// Against the direction in which the pattern is written.
    is_reversed: bool,
    /// The step after it.
    next: usize,
    /// Where its relationships begin in `used`.
    first: usize,
}

impl<'q> Evaluator<'q> {
    /// Finds the matches of a clause.
    pub fn matches(&self, clause: &'q Match, row: &mut Row, emit: Emit<'_>) -> Result<Flow, GraphError> {
        let known = self.plans.borrow().get(&std::ptr::from_ref(clause)).cloned();
        let steps = known.unwrap_or_else(|| {
            let steps = Rc::new(plan(clause));
            self.plans.borrow_mut().insert(std::ptr::from_ref(clause), Rc::clone(&steps));
            steps
        });
        Matcher { evaluator: self, clause, steps, used: Vec::new(), emit }.run(0, row)
    }

    /// Whether a clause has a match.
    pub fn exists(&self, clause: &'q Match, row: &mut Row) -> Result<bool, GraphError> {
        let mut found = false;
        self.matches(clause, row, &mut |_| {
            found = true;
            Ok(Flow::Stop)
        })?;
        Ok(found)
    }
}

impl<'q> Matcher<'_, 'q, '_> {
    pub fn run(&mut self, at: usize, row: &mut Row) -> Result<Flow, GraphError> {
        let steps = Rc::clone(&self.steps);
        let Some(step) = steps.get(at) else { return (self.emit)(row) };
        match step.kind {
            StepKind::Start { path, node, anchor } => self.start(at, (path, node), anchor, row),
            StepKind::Expand { path, edge, from, to } => self.expand(at, path, (edge, from, to), row),
            StepKind::Path { path } => {
                let Some(pattern) = self.clause.patterns.get(path) else { return Ok(Flow::More) };
                let Some(slot) = pattern.slot else { return Ok(Flow::More) };
                let found = self.path(path, row)?;
                let before = set(row, slot, found);
                let flow = self.checked(at, row);
                set(row, slot, before);
                flow
            }
        }
    }

    pub fn graph(&self) -> &Graph<'q> {
        self.evaluator.graph
    }

    /// Makes the checks of a step, then the next step.
    fn checked(&mut self, at: usize, row: &mut Row) -> Result<Flow, GraphError> {
        let steps = Rc::clone(&self.steps);
        for check in steps.get(at).into_iter().flat_map(|step| &step.checks) {
            if !self.holds(check, row)? {
                return Ok(Flow::More);
            }
        }
        self.run(at + 1, row)
    }

    fn holds(&self, check: &Check<'q>, row: &mut Row) -> Result<bool, GraphError> {
        let Some((slot, property)) = check.property else { return self.evaluator.holds(check.expr, row) };
        let wanted = self.evaluator.eval(check.expr, row)?;
        let found = self.evaluator.property(get(row, slot), property)?;
        Ok(super::compare::equal(&found, &wanted, self.evaluator.meter)? == Some(true))
    }

    fn start(
        &mut self,
        at: usize,
        (path, node): (usize, usize),
        anchor: Anchor<'q>,
        row: &mut Row,
    ) -> Result<Flow, GraphError> {
        let Some(pattern) = self.clause.patterns.get(path) else { return Ok(Flow::More) };
        let Some(node) = pattern.nodes.get(node) else { return Ok(Flow::More) };
        let is_alone = pattern.edges.is_empty();
        let candidates = self.candidates(node, anchor, is_alone, row)?;
        for candidate in candidates {
            self.evaluator.meter.step(1)?;
            let exists = if is_alone { self.graph().stands_alone(candidate) } else { self.graph().sees(candidate) };
            if exists && self.bind(at, node, candidate, row)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::More)
    }

    /// Binds a node if it fits its pattern.
    fn bind(&mut self, at: usize, pattern: &'q NodePattern, node: Node, row: &mut Row) -> Result<Flow, GraphError> {
        if !pattern.labels.iter().all(|label| self.graph().has_label(node, *label)) {
            return Ok(Flow::More);
        }
        if self.is_bound(pattern.slot, row) {
            return if get(row, pattern.slot).as_node() == Some(node) { self.checked(at, row) } else { Ok(Flow::More) };
        }
        set(row, pattern.slot, Value::Node(node));
        let flow = self.checked(at, row);
        set(row, pattern.slot, Value::Null);
        flow
    }

    /// Whether a variable has a value from before, or from an earlier part of the pattern.
    fn is_bound(&self, slot: usize, row: &Row) -> bool {
        !get(row, slot).is_null() || self.clause.bound_before.contains(&slot)
    }

    fn expand(
        &mut self,
        at: usize,
        path: usize,
        (edge, from, to): (usize, usize, usize),
        row: &mut Row,
    ) -> Result<Flow, GraphError> {
        let Some(path) = self.clause.patterns.get(path) else { return Ok(Flow::More) };
        let (Some(pattern), Some(source), Some(target)) =
            (path.edges.get(edge), path.nodes.get(from), path.nodes.get(to))
        else {
            return Ok(Flow::More);
        };
        let Some(node) = get(row, source.slot).as_node() else { return Ok(Flow::More) };
        let is_reversed = to < from;
        let direction = if is_reversed { turned(pattern.direction) } else { pattern.direction };
        let filter = EdgeFilter { direction, types: &pattern.types };
        if let Some((least, most)) = pattern.length {
            let limit = self.evaluator.meter.budget.hops;
            if most.unwrap_or(least) > limit {
                return Err(self.evaluator.meter.too_many_hops());
            }
            // Without an upper bound, one hop more than allowed is an error.
            let most = most.unwrap_or(limit + 1);
            let first = self.used.len();
            let walk = Walk { pattern, filter, target, least, most, is_reversed, next: at, first };
            return self.walk(walk, node, row);
        }
        let mut edges = Vec::new();
        self.graph().edges(node, filter, &mut edges);
        for edge in edges {
            self.evaluator.meter.step(1)?;
            let bound = self.is_bound(pattern.slot, row);
            if self.used.contains(&edge)
                || (bound && !matches!(get(row, pattern.slot), Value::Edge(found) if *found == edge))
            {
                continue;
            }
            self.used.push(edge);
            let before = set(row, pattern.slot, Value::Edge(edge));
            let flow = self.bind(at, target, Graph::other_end(&edge, node), row);
            set(row, pattern.slot, before);
            self.used.pop();
            if flow? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::More)
    }

    /// Follows a pattern with variable length. The recursion is bounded by the limit of hops.
    fn walk(&mut self, walk: Walk<'q>, node: Node, row: &mut Row) -> Result<Flow, GraphError> {
        let length = self.used.len() - walk.first;
        if length > self.evaluator.meter.budget.hops {
            return Err(self.evaluator.meter.too_many_hops());
        }
        if length >= walk.least {
            let mut edges: Vec<Value> =
                self.used.get(walk.first..).unwrap_or_default().iter().map(|edge| Value::Edge(*edge)).collect();
            if walk.is_reversed {
                edges.reverse();
            }
            let edges = Value::list(edges, self.evaluator.meter)?;
            let before = set(row, walk.pattern.slot, edges);
            let flow = self.bind(walk.next, walk.target, node, row);
            set(row, walk.pattern.slot, before);
            if flow? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        if length >= walk.most {
            return Ok(Flow::More);
        }
        let mut edges = Vec::new();
        self.graph().edges(node, walk.filter, &mut edges);
        for edge in edges {
            self.evaluator.meter.step(1)?;
            if self.used.contains(&edge) || !self.fits(walk.pattern, edge, row)? {
                continue;
            }
            self.used.push(edge);
            let flow = self.walk(walk, Graph::other_end(&edge, node), row);
            self.used.pop();
            if flow? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::More)
    }

    fn fits(&self, pattern: &'q EdgePattern, edge: Edge, row: &mut Row) -> Result<bool, GraphError> {
        for (property, expr) in &pattern.properties {
            let wanted = self.evaluator.eval(expr, row)?;
            let found = self.evaluator.property(&Value::Edge(edge), *property)?;
            if super::compare::equal(&found, &wanted, self.evaluator.meter)? != Some(true) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The nodes and relationships of a path, in the order of the pattern.
    fn path(&self, path: usize, row: &Row) -> Result<Value, GraphError> {
        let Some(pattern) = self.clause.patterns.get(path) else { return Ok(Value::Null) };
        let start = pattern.nodes.first().and_then(|node| get(row, node.slot).as_node());
        let mut found = Path { nodes: start.into_iter().collect(), edges: Vec::new() };
        for edge in &pattern.edges {
            let value = get(row, edge.slot);
            let edges = value.as_list().unwrap_or(std::slice::from_ref(value));
            for edge in edges {
                let (Value::Edge(edge), Some(node)) = (edge, found.nodes.last().copied()) else { continue };
                found.edges.push(*edge);
                found.nodes.push(Graph::other_end(edge, node));
            }
        }
        self.evaluator.meter.allocate(found.edges.len() * size_of::<Edge>() * 2)?;
        Ok(Value::Path(Rc::new(found)))
    }
}

const fn turned(direction: Direction) -> Direction {
    match direction {
        Direction::Out => Direction::In,
        Direction::In => Direction::Out,
        Direction::Both => Direction::Both,
    }
}
