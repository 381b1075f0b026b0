//! Evaluates expressions. The recursion is bounded by the depth that the parser allows.

use super::arithmetic::arithmetic;
use super::compare::equal;
use super::list_slice::slice;
use super::meter::Meter;
use super::plan::Step;
use super::quantified::quantified;
use super::value::{Row, Value, get, set};
use crate::cypher::Fault;
use crate::cypher::ast::{Expr, ExprKind, Match, Operator, Slot};
use crate::cypher::names::Property;
use crate::graph_error::GraphError;
use crate::model::graph::Graph;
use regex::Regex;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

pub struct Evaluator<'q> {
    pub graph: &'q Graph<'q>,
    pub meter: &'q Meter<'q>,
    /// The query, for positions of errors.
    pub text: &'q str,
    pub parameters: BTreeMap<String, Value>,
    /// Where the results of aggregates begin in a row.
    pub aggregates_from: Slot,
    /// The values of a row.
    pub row_length: usize,
    /// The orders of matching that are known, by clause.
    pub plans: RefCell<HashMap<*const Match, Rc<Vec<Step<'q>>>>>,
    /// The regular expression that was used last.
    pub regex: RefCell<Option<(String, Regex)>>,
}

impl<'q> Evaluator<'q> {
    pub fn new(
        graph: &'q Graph<'q>,
        meter: &'q Meter<'q>,
        text: &'q str,
        parameters: BTreeMap<String, Value>,
        (aggregates_from, row_length): (Slot, usize),
    ) -> Self {
        Self {
            graph,
            meter,
            text,
            parameters,
            aggregates_from,
            row_length,
            plans: RefCell::default(),
            regex: RefCell::default(),
        }
    }

    pub fn fault(&self, at: usize, problem: impl Into<String>) -> GraphError {
        Fault::new(at, problem).in_text(self.text)
    }

    /// Whether a condition is true; null is not.
    pub fn holds(&self, expr: &'q Expr, row: &mut Row) -> Result<bool, GraphError> {
        Ok(self.boolean(expr, row)? == Some(true))
    }

    fn boolean(&self, expr: &'q Expr, row: &mut Row) -> Result<Option<bool>, GraphError> {
        let value = self.eval(expr, row)?;
        if value.is_null() {
            return Ok(None);
        }
        let wrong = || self.fault(expr.at, format!("A condition must be a boolean, not {}.", value.type_name()));
        value.as_bool().map(Some).ok_or_else(wrong)
    }

    pub fn eval(&self, expr: &'q Expr, row: &mut Row) -> Result<Value, GraphError> {
        self.meter.step(1)?;
        let bool = |yes: Option<bool>| yes.map_or(Value::Null, Value::Bool);
        match &expr.kind {
            ExprKind::Null => Ok(Value::Null),
            ExprKind::Bool(yes) => Ok(Value::Bool(*yes)),
            ExprKind::Integer(number) => Ok(Value::Integer(*number)),
            ExprKind::Float(number) => Ok(Value::Float(*number)),
            ExprKind::Text(text) => Value::text(text, self.meter),
            ExprKind::Parameter(name) => Ok(self.parameters.get(name).cloned().unwrap_or(Value::Null)),
            ExprKind::Variable(slot) => Ok(get(row, *slot).clone()),
            ExprKind::Aggregate(number) => Ok(get(row, self.aggregates_from + number).clone()),
            ExprKind::Property(of, property, name) => {
                let of = self.eval(of, row)?;
                if let Value::Map(map) = &of {
                    return Ok(map.entries.get(name).cloned().unwrap_or(Value::Null));
                }
                if of.as_node().is_none() && !matches!(of, Value::Edge(_) | Value::Null) {
                    return Err(self.fault(expr.at, format!("A property of {} does not exist.", of.type_name())));
                }
                property.map_or(Ok(Value::Null), |property| self.property(&of, property))
            }
            ExprKind::List(items) => Value::list(self.all(items, row)?, self.meter),
            ExprKind::Map(entries) => {
                let values = entries.iter().map(|(key, value)| Ok((key.clone(), self.eval(value, row)?)));
                Value::map(values.collect::<Result<_, GraphError>>()?, self.meter)
            }
            ExprKind::Index(of, index) => {
                let (of, index) = (self.eval(of, row)?, self.eval(index, row)?);
                self.index(expr.at, &of, &index)
            }
            ExprKind::Slice(of, from, to) => {
                let of = self.eval(of, row)?;
                let mut bound =
                    |bound: Option<&'q Expr>| bound.map_or(Ok(None), |bound| self.eval(bound, row).map(Some));
                let (from, to) = (bound(from.as_deref())?, bound(to.as_deref())?);
                slice(&of, from.as_ref(), to.as_ref(), self.meter)
            }
            ExprKind::Not(of) => Ok(bool(self.boolean(of, row)?.map(|yes| !yes))),
            ExprKind::Negative(of) => {
                let value = self.eval(of, row)?;
                let negative = arithmetic(Operator::Subtract, &Value::Integer(0), &value, self.meter)?;
                negative.map_err(|problem| self.fault(expr.at, problem))
            }
            ExprKind::And(operands) => Ok(bool(self.joined(operands, false, row)?)),
            ExprKind::Or(operands) => Ok(bool(self.joined(operands, true, row)?)),
            ExprKind::Binary(operator, left, right) => {
                if *operator == Operator::Xor {
                    let (left, right) = (self.boolean(left, row)?, self.boolean(right, row)?);
                    return Ok(bool(left.zip(right).map(|(left, right)| left != right)));
                }
                let (left, right) = (self.eval(left, row)?, self.eval(right, row)?);
                self.binary(expr.at, *operator, &left, &right)
            }
            ExprKind::IsNull(of) => Ok(Value::Bool(self.eval(of, row)?.is_null())),
            ExprKind::HasLabels(of, labels) => {
                let node = self.eval(of, row)?.as_node();
                Ok(bool(node.map(|node| labels.iter().all(|label| self.graph.has_label(node, *label)))))
            }
            ExprKind::Case { subject, arms, otherwise } => {
                let subject = subject.as_deref().map(|subject| self.eval(subject, row)).transpose()?;
                for (when, then) in arms {
                    let fits = match &subject {
                        Some(subject) => equal(subject, &self.eval(when, row)?, self.meter)? == Some(true),
                        None => self.holds(when, row)?,
                    };
                    if fits {
                        return self.eval(then, row);
                    }
                }
                otherwise.as_deref().map_or(Ok(Value::Null), |otherwise| self.eval(otherwise, row))
            }
            ExprKind::Call(function, arguments) => {
                let arguments = self.all(arguments, row)?;
                self.call(expr.at, *function, &arguments)
            }
            ExprKind::Exists(clause) => self.exists(clause, row).map(Value::Bool),
            ExprKind::Comprehension { slot, list, condition, result } => {
                let list = self.eval(list, row)?;
                let Some(items) = self.items(expr.at, &list)? else { return Ok(Value::Null) };
                let mut results = Vec::new();
                let before = get(row, *slot).clone();
                for item in items {
                    set(row, *slot, item.clone());
                    let keeps = condition.as_deref().map_or(Ok(true), |condition| self.holds(condition, row))?;
                    if keeps {
                        results.push(result.as_deref().map_or(Ok(item.clone()), |result| self.eval(result, row))?);
                    }
                }
                set(row, *slot, before);
                Value::list(results, self.meter)
            }
            ExprKind::Quantifier { kind, slot, list, condition } => {
                let list = self.eval(list, row)?;
                let Some(items) = self.items(expr.at, &list)? else { return Ok(Value::Null) };
                let before = get(row, *slot).clone();
                let (mut yes, mut unknown) = (0_usize, 0_usize);
                for item in items {
                    set(row, *slot, item.clone());
                    match self.boolean(condition, row)? {
                        Some(true) => yes += 1,
                        Some(false) => {}
                        None => unknown += 1,
                    }
                }
                set(row, *slot, before);
                Ok(bool(quantified(*kind, yes, unknown, items.len())))
            }
        }
    }

    fn all(&self, exprs: &'q [Expr], row: &mut Row) -> Result<Vec<Value>, GraphError> {
        exprs.iter().map(|expr| self.eval(expr, row)).collect()
    }

    /// The items of a list; `None` of null.
    pub fn items<'v>(&self, at: usize, list: &'v Value) -> Result<Option<&'v [Value]>, GraphError> {
        if list.is_null() {
            return Ok(None);
        }
        let wrong = || self.fault(at, format!("This needs a list, not {}.", list.type_name()));
        list.as_list().map(Some).ok_or_else(wrong)
    }

    pub fn property(&self, of: &Value, property: Property) -> Result<Value, GraphError> {
        let value = match of {
            Value::Node(node) => self.graph.node_property(*node, property),
            Value::Edge(edge) => self.graph.edge_property(edge, property),
            Value::Null
            | Value::Bool(_)
            | Value::Integer(_)
            | Value::Float(_)
            | Value::Text(_)
            | Value::List(_)
            | Value::Map(_)
            | Value::Path(_) => Value::Null,
        };
        self.meter.allocate(value.as_text().map_or(0, str::len))?;
        Ok(value)
    }

    /// `AND` with `decisive` false, `OR` with true.
    fn joined(&self, operands: &'q [Expr], decisive: bool, row: &mut Row) -> Result<Option<bool>, GraphError> {
        let mut result = Some(!decisive);
        for operand in operands {
            match self.boolean(operand, row)? {
                Some(yes) if yes == decisive => return Ok(Some(decisive)),
                Some(_) => {}
                None => result = None,
            }
        }
        Ok(result)
    }

    fn index(&self, at: usize, of: &Value, index: &Value) -> Result<Value, GraphError> {
        if of.is_null() || index.is_null() {
            return Ok(Value::Null);
        }
        if let (Some(items), Some(index)) = (of.as_list(), index.as_integer()) {
            let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
            let place = if index < 0 { index.saturating_add(length) } else { index };
            return Ok(usize::try_from(place).ok().and_then(|place| items.get(place)).cloned().unwrap_or(Value::Null));
        }
        if let Some(name) = index.as_text() {
            if let Value::Map(map) = of {
                return Ok(map.entries.get(name).cloned().unwrap_or(Value::Null));
            }
            if matches!(of, Value::Node(_) | Value::Edge(_)) {
                return Property::parse(name).map_or(Ok(Value::Null), |property| self.property(of, property));
            }
        }
        Err(self.fault(at, format!("{} has no entry for {}.", of.type_name(), index.type_name())))
    }
}
