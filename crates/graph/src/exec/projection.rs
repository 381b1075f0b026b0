//! The state of a `WITH` or `RETURN`: groups, sorted rows, and rows that were seen.

use super::aggregate::Accumulator;
use super::compare::{key, total};
use super::eval::Evaluator;
use super::value::{Row, Value, set};
use crate::cypher::ast::{Expr, Projection, SortOrder};
use crate::graph_error::GraphError;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

/// Rows beyond `SKIP` and `LIMIT` that are kept before they are sorted away.
const SPARE_ROWS: usize = 1024;

pub struct ProjectionState<'q> {
    projection: &'q Projection,
    groups: Vec<Group>,
    by_key: HashMap<Vec<u8>, usize>,
    seen: HashSet<Vec<u8>>,
    sorted: Vec<SortedRow>,
    skip: usize,
    limit: Option<usize>,
    skipped: usize,
    passed: usize,
}

struct Group {
    /// The first row of the group.
    row: Row,
    accumulators: Vec<Accumulator>,
}

struct SortedRow {
    keys: Vec<Value>,
    row: Row,
    /// Where it arrived: rows with equal keys keep their order.
    arrival: usize,
    weight: usize,
}

/// What becomes of a row.
pub enum Accepted {
    /// It is passed on.
    Row(Row),
    /// It is kept until the end, or dropped.
    Nothing,
    /// It was the last one that is needed.
    Done,
}

impl<'q> ProjectionState<'q> {
    pub fn new(projection: &'q Projection, evaluator: &Evaluator<'q>) -> Result<Self, GraphError> {
        let count = |expr: Option<&'q Expr>| expr.map(|expr| natural(evaluator, expr)).transpose();
        Ok(Self {
            projection,
            groups: Vec::new(),
            by_key: HashMap::new(),
            seen: HashSet::new(),
            sorted: Vec::new(),
            skip: count(projection.skip.as_ref())?.unwrap_or_default(),
            limit: count(projection.limit.as_ref())?,
            skipped: 0,
            passed: 0,
        })
    }

    pub fn accept(&mut self, evaluator: &Evaluator<'q>, row: &mut Row) -> Result<Accepted, GraphError> {
        if self.limit.is_some_and(|limit| self.passed >= limit) {
            return Ok(Accepted::Done);
        }
        if self.projection.aggregates.is_empty() {
            return self.project(evaluator, row);
        }
        let mut bytes = Vec::new();
        for item in self.projection.items.iter().filter(|item| !has_aggregate(&item.expr)) {
            key(&evaluator.eval(&item.expr, row)?, &mut bytes, evaluator.meter)?;
        }
        self.add_to_group(evaluator, bytes, row)?;
        Ok(Accepted::Nothing)
    }

    fn add_to_group(&mut self, evaluator: &Evaluator<'q>, bytes: Vec<u8>, row: &mut Row) -> Result<(), GraphError> {
        let aggregates = &self.projection.aggregates;
        let next = self.groups.len();
        let number = match self.by_key.get(&bytes) {
            Some(number) => *number,
            None => {
                let size = size_of::<Accumulator>() * aggregates.len() + bytes.len() + size_of::<Group>() * 2;
                evaluator.meter.keep(size + weight(row, evaluator)?)?;
                self.by_key.insert(bytes, next);
                let accumulators = aggregates.iter().map(|_| Accumulator::default()).collect();
                self.groups.push(Group { row: row.clone(), accumulators });
                next
            }
        };
        let Some(group) = self.groups.get_mut(number) else { return Ok(()) };
        for (aggregate, accumulator) in aggregates.iter().zip(&mut group.accumulators) {
            accumulator.add(evaluator, aggregate, row)?;
        }
        Ok(())
    }

    /// Makes the row of the next clause.
    fn project(&mut self, evaluator: &Evaluator<'q>, row: &mut Row) -> Result<Accepted, GraphError> {
        let projection = self.projection;
        let values = projection.items.iter().map(|item| evaluator.eval(&item.expr, row));
        let values = values.collect::<Result<Vec<_>, _>>()?;
        if projection.is_distinct {
            let mut bytes = Vec::new();
            for value in &values {
                key(value, &mut bytes, evaluator.meter)?;
            }
            let size = bytes.len() + size_of::<Vec<u8>>() * 2;
            if !self.seen.insert(bytes) {
                return Ok(Accepted::Nothing);
            }
            evaluator.meter.keep(size)?;
        }
        let mut next = vec![Value::Null; row.len()];
        evaluator.meter.step(row.len() as u64 / 8)?;
        for (item, value) in projection.items.iter().zip(&values) {
            set(&mut next, item.slot, value.clone());
        }
        if projection.order.is_empty() {
            return self.pass(evaluator, next);
        }
        // Keys see the old variables and the new names.
        for (item, value) in projection.items.iter().zip(values) {
            set(row, item.slot, value);
        }
        let keys = projection.order.iter().map(|(expr, _)| evaluator.eval(expr, row)).collect::<Result<Vec<_>, _>>()?;
        let weight = weight(&next, evaluator)? + weight(&keys, evaluator)? + size_of::<SortedRow>();
        evaluator.meter.keep(weight)?;
        self.sorted.push(SortedRow { keys, row: next, arrival: self.skipped, weight });
        self.skipped += 1;
        let needed = self.limit.map(|limit| limit.saturating_add(self.skip));
        if let Some(needed) =
            needed.filter(|needed| self.sorted.len() > needed.saturating_mul(2).saturating_add(SPARE_ROWS))
        {
            self.sort(evaluator)?;
            let dropped = self.sorted.split_off(needed);
            evaluator.meter.release(dropped.iter().map(|row| row.weight).sum());
        }
        Ok(Accepted::Nothing)
    }

    /// Applies `SKIP` and `LIMIT`, and the condition of `WITH`.
    fn pass(&mut self, evaluator: &Evaluator<'q>, mut row: Row) -> Result<Accepted, GraphError> {
        if self.limit.is_some_and(|limit| self.passed >= limit) {
            return Ok(Accepted::Done);
        }
        if self.skipped < self.skip {
            self.skipped += 1;
            return Ok(Accepted::Nothing);
        }
        self.passed += 1;
        let holds =
            self.projection.condition.as_ref().map_or(Ok(true), |condition| evaluator.holds(condition, &mut row))?;
        Ok(if holds { Accepted::Row(row) } else { Accepted::Nothing })
    }

    fn sort(&mut self, evaluator: &Evaluator<'q>) -> Result<(), GraphError> {
        let rows = self.sorted.len() as u64;
        evaluator.meter.step(rows.saturating_mul(u64::from(rows.max(2).ilog2())) / 4)?;
        let order = &self.projection.order;
        self.sorted.sort_unstable_by(|one, other| {
            let keys = one.keys.iter().zip(&other.keys).zip(order);
            let mut orders = keys.map(|((one, other), (_, order))| match order {
                SortOrder::Ascending => total(one, other),
                SortOrder::Descending => total(other, one),
            });
            orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal).then(one.arrival.cmp(&other.arrival))
        });
        Ok(())
    }

    /// The rows that were kept, when there are no more.
    pub fn finish(&mut self, evaluator: &Evaluator<'q>) -> Result<Vec<Row>, GraphError> {
        let mut ready = Vec::new();
        let aggregates = &self.projection.aggregates;
        let is_global = self.projection.items.iter().all(|item| has_aggregate(&item.expr));
        if !aggregates.is_empty() && self.groups.is_empty() && is_global {
            // Without groups, aggregates of no rows are one row.
            let row = vec![Value::Null; evaluator.row_length];
            let accumulators = aggregates.iter().map(|_| Accumulator::default()).collect();
            self.groups.push(Group { row, accumulators });
        }
        for mut group in std::mem::take(&mut self.groups) {
            for (at, (aggregate, accumulator)) in aggregates.iter().zip(&mut group.accumulators).enumerate() {
                let result = accumulator.result(evaluator, aggregate)?;
                set(&mut group.row, evaluator.aggregates_from + at, result);
            }
            match self.project(evaluator, &mut group.row)? {
                Accepted::Row(row) => ready.push(row),
                Accepted::Nothing => {}
                Accepted::Done => break,
            }
        }
        if !self.sorted.is_empty() {
            self.sort(evaluator)?;
            self.skipped = 0;
            for sorted in std::mem::take(&mut self.sorted) {
                match self.pass(evaluator, sorted.row)? {
                    Accepted::Row(row) => ready.push(row),
                    Accepted::Nothing => {}
                    Accepted::Done => break,
                }
            }
        }
        Ok(ready)
    }
}

fn weight(row: &Row, evaluator: &Evaluator<'_>) -> Result<usize, GraphError> {
    row.iter().map(|value| value.weight(evaluator.meter)).sum()
}

fn has_aggregate(expr: &Expr) -> bool {
    matches!(expr.kind, crate::cypher::ast::ExprKind::Aggregate(_))
        || expr.kind.children().into_iter().any(has_aggregate)
}

/// The value of `SKIP` or `LIMIT`.
fn natural<'q>(evaluator: &Evaluator<'q>, expr: &'q Expr) -> Result<usize, GraphError> {
    let value = evaluator.eval(expr, &mut Row::new())?;
    let number = value.as_integer().and_then(|number| usize::try_from(number).ok());
    number.ok_or_else(|| evaluator.fault(expr.at, "SKIP and LIMIT need an integer that is not negative."))
}
