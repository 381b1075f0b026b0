//! The syntax tree of a query. Variables are numbers: positions in the row that the executor keeps.

use super::functions::Function;
use super::names::{EdgeType, Label, Property};

/// A variable of the query, named or not.
pub type Slot = usize;

#[derive(Debug)]
pub struct Query {
    /// Queries joined by `UNION`.
    pub parts: Vec<Vec<Clause>>,
    /// Whether rows that occur twice are kept.
    pub keeps_duplicates: bool,
    /// The number of variables.
    pub slots: usize,
    /// A label that only a ledger gives nodes, if the query names one.
    pub needs_ledger: Option<Label>,
    /// The names of its parameters.
    pub parameters: Vec<String>,
}

#[derive(Debug)]
pub enum Clause {
    Match(Match),
    Unwind {
        list: Expr,
        slot: Slot,
    },
    /// `WITH` or `RETURN`.
    Project(Projection),
}

#[derive(Debug)]
pub struct Match {
    pub is_optional: bool,
    pub patterns: Vec<PathPattern>,
    /// The conditions of `WHERE`, all of which must hold.
    pub conditions: Vec<Expr>,
    /// Variables that this clause introduces.
    pub introduced: Vec<Slot>,
    /// Variables that exist before it.
    pub bound_before: Vec<Slot>,
}

#[derive(Debug)]
pub struct PathPattern {
    pub slot: Option<Slot>,
    pub nodes: Vec<NodePattern>,
    /// One fewer than nodes.
    pub edges: Vec<EdgePattern>,
}

#[derive(Debug)]
pub struct NodePattern {
    pub slot: Slot,
    pub labels: Vec<Label>,
    pub properties: Vec<(Property, Expr)>,
}

#[derive(Debug)]
pub struct EdgePattern {
    pub slot: Slot,
    /// Empty: any type.
    pub types: Vec<EdgeType>,
    pub direction: Direction,
    pub properties: Vec<(Property, Expr)>,
    /// `*from..to`; `to` is `None` without an upper bound.
    pub length: Option<(usize, Option<usize>)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Out,
    In,
    Both,
}

#[derive(Debug)]
pub struct Projection {
    pub is_distinct: bool,
    pub items: Vec<Item>,
    pub aggregates: Vec<Aggregate>,
    pub order: Vec<(Expr, SortOrder)>,
    pub skip: Option<Expr>,
    pub limit: Option<Expr>,
    /// `WHERE` after `WITH`.
    pub condition: Option<Expr>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SortOrder {
    Ascending,
    Descending,
}

#[derive(Debug)]
pub struct Item {
    pub slot: Slot,
    pub column: String,
    pub expr: Expr,
}

#[derive(Debug)]
pub struct Aggregate {
    pub kind: AggregateKind,
    pub is_distinct: bool,
    /// `None`: `count(*)`.
    pub argument: Option<Expr>,
    pub at: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AggregateKind {
    Count,
    Collect,
    Min,
    Max,
    Sum,
    Avg,
}

#[derive(Debug)]
pub struct Expr {
    pub kind: ExprKind,
    /// Its offset in the text.
    pub at: usize,
    /// Levels of expressions below it.
    pub depth: usize,
}

#[derive(Debug)]
pub enum ExprKind {
    Null,
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(String),
    Parameter(String),
    Variable(Slot),
    /// A property; the second form is one that only maps have.
    Property(Box<Expr>, Option<Property>, String),
    List(Vec<Expr>),
    Map(Vec<(String, Expr)>),
    Index(Box<Expr>, Box<Expr>),
    Slice(Box<Expr>, Option<Box<Expr>>, Option<Box<Expr>>),
    Not(Box<Expr>),
    Negative(Box<Expr>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
    IsNull(Box<Expr>),
    HasLabels(Box<Expr>, Vec<Label>),
    Case {
        subject: Option<Box<Expr>>,
        arms: Vec<(Expr, Expr)>,
        otherwise: Option<Box<Expr>>,
    },
    Call(Function, Vec<Expr>),
    /// The result of an aggregate of the projection.
    Aggregate(usize),
    /// A pattern predicate, or `EXISTS { … }`.
    Exists(Box<Match>),
    Comprehension {
        slot: Slot,
        list: Box<Expr>,
        condition: Option<Box<Expr>>,
        result: Option<Box<Expr>>,
    },
    Quantifier {
        kind: Quantifier,
        slot: Slot,
        list: Box<Expr>,
        condition: Box<Expr>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantifier {
    All,
    Any,
    None,
    Single,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    Xor,
    Equal,
    Different,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    StartsWith,
    EndsWith,
    Contains,
    Matches,
    In,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Power,
}

impl ExprKind {
    /// The expressions directly below this one. Those of nested patterns are among them.
    pub fn children(&self) -> Vec<&Expr> {
        match self {
            Self::Null
            | Self::Bool(_)
            | Self::Integer(_)
            | Self::Float(_)
            | Self::Text(_)
            | Self::Parameter(_)
            | Self::Variable(_)
            | Self::Aggregate(_) => Vec::new(),
            Self::Property(of, _, _)
            | Self::Not(of)
            | Self::Negative(of)
            | Self::IsNull(of)
            | Self::HasLabels(of, _) => {
                vec![of]
            }
            Self::List(items) | Self::And(items) | Self::Or(items) | Self::Call(_, items) => items.iter().collect(),
            Self::Map(entries) => entries.iter().map(|(_, value)| value).collect(),
            Self::Index(left, right) | Self::Binary(_, left, right) => vec![left, right],
            Self::Slice(of, from, to) => {
                [Some(of), from.as_ref(), to.as_ref()].into_iter().flatten().map(Box::as_ref).collect()
            }
            Self::Case { subject, arms, otherwise } => {
                let ends = [subject, otherwise].into_iter().flatten().map(Box::as_ref);
                ends.chain(arms.iter().flat_map(|(when, then)| [when, then])).collect()
            }
            Self::Exists(inner) => inner.exprs(),
            Self::Comprehension { list, condition, result, .. } => {
                [Some(list), condition.as_ref(), result.as_ref()].into_iter().flatten().map(Box::as_ref).collect()
            }
            Self::Quantifier { list, condition, .. } => vec![list, condition],
        }
    }
}

impl Match {
    fn exprs(&self) -> Vec<&Expr> {
        let patterns = self.patterns.iter().flat_map(|path| {
            let nodes = path.nodes.iter().flat_map(|node| &node.properties);
            nodes.chain(path.edges.iter().flat_map(|edge| &edge.properties)).map(|(_, value)| value)
        });
        self.conditions.iter().chain(patterns).collect()
    }
}

impl Expr {
    /// Adds the variables that this expression uses.
    pub fn variables(&self, into: &mut Vec<Slot>) {
        if let ExprKind::Variable(slot) = &self.kind {
            into.push(*slot);
        } else if let ExprKind::Exists(inner) = &self.kind {
            into.extend(inner.patterns.iter().flat_map(|path| {
                let edges = path.edges.iter().map(|edge| edge.slot);
                edges.chain(path.nodes.iter().map(|node| node.slot)).filter(|slot| inner.bound_before.contains(slot))
            }));
        }
        for child in self.kind.children() {
            child.variables(into);
        }
    }
}
