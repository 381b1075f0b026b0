//! The order in which the parts of a pattern are matched: from the most selective node outwards.

use crate::cypher::ast::{Expr, ExprKind, Match, NodePattern, Operator, Slot};
use crate::cypher::names::{Label, Property};

/// A step of matching, and the checks that can be made after it.
pub struct Step<'q> {
    pub kind: StepKind<'q>,
    pub checks: Vec<Check<'q>>,
}

pub enum StepKind<'q> {
    /// Begins with a node of a path.
    Start { path: usize, node: usize, anchor: Anchor<'q> },
    /// Follows a relationship; `from` and `to` are the positions of its nodes.
    Expand { path: usize, edge: usize, from: usize, to: usize },
    /// Binds the variable of a path.
    Path { path: usize },
}

/// How the first node is found.
#[derive(Clone, Copy)]
pub enum Anchor<'q> {
    Bound,
    /// By the value of a property that an index has.
    Index(Property, &'q Expr),
    /// By a list of such values.
    IndexIn(Property, &'q Expr),
    Scan(Option<Label>),
}

/// A condition, or a property that must have a value.
#[derive(Clone, Copy)]
pub struct Check<'q> {
    pub property: Option<(Slot, Property)>,
    pub expr: &'q Expr,
}

struct Pending<'q> {
    check: Check<'q>,
    needs: Vec<Slot>,
}

/// Properties with an index.
const INDEXED: [Property; 3] = [Property::Path, Property::Hash, Property::Id];
/// Properties that few nodes share.
const SELECTIVE: [Property; 2] = [Property::Name, Property::Short];

pub fn plan(clause: &Match) -> Vec<Step<'_>> {
    let mut planner =
        Planner { clause, bound: clause.bound_before.clone(), pending: pending(clause), steps: Vec::new() };
    let mut left: Vec<usize> = (0..clause.patterns.len()).collect();
    while !left.is_empty() {
        let starts = left.iter().flat_map(|path| planner.starts(*path));
        let Some((_, path, node, anchor)) = starts.min_by_key(|(rank, path, node, _)| (*rank, *path, *node)) else {
            break;
        };
        left.retain(|other| *other != path);
        planner.add_path(path, node, anchor);
    }
    planner.steps
}

/// All checks, with the variables of this clause that they use.
fn pending(clause: &Match) -> Vec<Pending<'_>> {
    let mut checks: Vec<Check<'_>> = clause.conditions.iter().map(|expr| Check { property: None, expr }).collect();
    for path in &clause.patterns {
        for node in &path.nodes {
            checks
                .extend(node.properties.iter().map(|(name, expr)| Check { property: Some((node.slot, *name)), expr }));
        }
        for edge in path.edges.iter().filter(|edge| edge.length.is_none()) {
            checks
                .extend(edge.properties.iter().map(|(name, expr)| Check { property: Some((edge.slot, *name)), expr }));
        }
    }
    let needs = |check: &Check<'_>| {
        let mut needs: Vec<Slot> = check.property.iter().map(|(slot, _)| *slot).collect();
        check.expr.variables(&mut needs);
        // Variables of comprehensions are not of this clause.
        needs.retain(|slot| clause.introduced.contains(slot));
        needs
    };
    checks.into_iter().map(|check| Pending { needs: needs(&check), check }).collect()
}

struct Planner<'q> {
    clause: &'q Match,
    bound: Vec<Slot>,
    pending: Vec<Pending<'q>>,
    steps: Vec<Step<'q>>,
}

impl<'q> Planner<'q> {
    /// The ways to begin with a path, each with its rank: smaller is more selective.
    fn starts(&self, path: usize) -> Vec<(u8, usize, usize, Anchor<'q>)> {
        let Some(pattern) = self.clause.patterns.get(path) else { return Vec::new() };
        let nodes = pattern.nodes.iter().enumerate();
        nodes
            .map(|(at, node)| {
                let (rank, anchor) = self.anchor(node);
                (rank, path, at, anchor)
            })
            .collect()
    }

    fn anchor(&self, node: &'q NodePattern) -> (u8, Anchor<'q>) {
        if self.bound.contains(&node.slot) {
            return (0, Anchor::Bound);
        }
        let given = node.properties.iter().map(|(name, expr)| (*name, Operator::Equal, expr));
        let conditions = self.clause.conditions.iter().filter_map(|condition| compared(condition, node.slot));
        let known: Vec<_> = given.chain(conditions).filter(|(_, _, expr)| self.is_known(expr)).collect();
        let find = |operator: Operator, of: &[Property]| {
            known
                .iter()
                .find(|(name, found, _)| *found == operator && of.contains(name))
                .map(|(name, _, expr)| (*name, *expr))
        };
        if let Some((name, expr)) = find(Operator::Equal, &INDEXED) {
            return (1, Anchor::Index(name, expr));
        }
        if let Some((name, expr)) = find(Operator::In, &INDEXED) {
            return (2, Anchor::IndexIn(name, expr));
        }
        let is_selective = find(Operator::Equal, &SELECTIVE).is_some();
        let rank = |label: Option<Label>| match label {
            _ if is_selective => 3,
            Some(Label::Session) => 4,
            Some(Label::Tool) => 5,
            Some(Label::File) => 6,
            Some(Label::Run) => 7,
            Some(Label::Commit) => 8,
            None => 9,
        };
        let label = node.labels.iter().copied().min_by_key(|label| rank(Some(*label)));
        (rank(label), Anchor::Scan(label))
    }

    /// Whether a value can be computed now.
    fn is_known(&self, expr: &Expr) -> bool {
        let mut uses = Vec::new();
        expr.variables(&mut uses);
        uses.iter().all(|slot| self.bound.contains(slot))
    }

    fn add_path(&mut self, path: usize, start: usize, anchor: Anchor<'q>) {
        let Some(pattern) = self.clause.patterns.get(path) else { return };
        let slot_of = |node: usize| pattern.nodes.get(node).map(|node| node.slot);
        self.add(StepKind::Start { path, node: start, anchor }, slot_of(start));
        let right = (start..pattern.edges.len()).map(|edge| (edge, edge, edge + 1));
        let left = (0..start).rev().map(|edge| (edge, edge + 1, edge));
        for (edge, from, to) in right.chain(left) {
            let slots = pattern.edges.get(edge).map(|edge| edge.slot).into_iter().chain(slot_of(to));
            self.add(StepKind::Expand { path, edge, from, to }, slots);
        }
        if pattern.slot.is_some() {
            self.add(StepKind::Path { path }, pattern.slot);
        }
    }

    /// Adds a step that binds these variables, with the checks that become possible.
    fn add(&mut self, kind: StepKind<'q>, binds: impl IntoIterator<Item = Slot>) {
        self.bound.extend(binds);
        let bound = &self.bound;
        let is_ready = |pending: &Pending<'_>| pending.needs.iter().all(|slot| bound.contains(slot));
        let (ready, later) = std::mem::take(&mut self.pending).into_iter().partition(is_ready);
        self.pending = later;
        let ready: Vec<Pending<'q>> = ready;
        self.steps.push(Step { kind, checks: ready.into_iter().map(|pending| pending.check).collect() });
    }
}

/// The property of a variable that a condition compares with `=` or `IN`, and with what.
fn compared(condition: &Expr, slot: Slot) -> Option<(Property, Operator, &Expr)> {
    let ExprKind::Binary(operator, left, right) = &condition.kind else { return None };
    let property = |expr: &Expr| {
        let ExprKind::Property(of, Some(name), _) = &expr.kind else { return None };
        matches!(of.kind, ExprKind::Variable(found) if found == slot).then_some(*name)
    };
    match (*operator, property(left), property(right)) {
        (Operator::Equal | Operator::In, Some(name), _) => Some((name, *operator, right)),
        (Operator::Equal, None, Some(name)) => Some((name, Operator::Equal, left)),
        _ => None,
    }
}
