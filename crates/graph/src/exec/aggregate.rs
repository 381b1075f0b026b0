//! Aggregates of one group of rows.

use super::arithmetic::arithmetic;
use super::compare::{key, total};
use super::eval::Evaluator;
use super::value::{Row, Value};
use crate::cypher::ast::{Aggregate, AggregateKind, Operator};
use crate::graph_error::GraphError;
use std::collections::HashSet;

/// What a group has of an aggregate so far.
#[derive(Default)]
pub struct Accumulator {
    count: i64,
    /// The sum, or the smallest or largest value.
    value: Option<Value>,
    items: Vec<Value>,
    seen: HashSet<Vec<u8>>,
}

impl Accumulator {
    pub fn add<'q>(
        &mut self,
        evaluator: &Evaluator<'q>,
        aggregate: &'q Aggregate,
        row: &mut Row,
    ) -> Result<(), GraphError> {
        let Some(argument) = &aggregate.argument else {
            self.count += 1;
            return evaluator.meter.step(1);
        };
        let value = evaluator.eval(argument, row)?;
        if value.is_null() {
            return Ok(());
        }
        if aggregate.is_distinct {
            let mut bytes = Vec::new();
            key(&value, &mut bytes, evaluator.meter)?;
            evaluator.meter.keep(bytes.len() + size_of::<Vec<u8>>())?;
            if !self.seen.insert(bytes) {
                return Ok(());
            }
        }
        self.count += 1;
        match aggregate.kind {
            AggregateKind::Count => {}
            AggregateKind::Collect => {
                evaluator.meter.keep(value.weight(evaluator.meter)?)?;
                self.items.push(value);
            }
            AggregateKind::Min | AggregateKind::Max => {
                let is_better = self.value.as_ref().is_none_or(|best| {
                    let order = total(&value, best);
                    if aggregate.kind == AggregateKind::Min { order.is_lt() } else { order.is_gt() }
                });
                if is_better {
                    self.value = Some(value);
                }
            }
            AggregateKind::Sum | AggregateKind::Avg => {
                if value.as_number().is_none() {
                    let problem = format!("A sum needs numbers, not {}.", value.type_name());
                    return Err(evaluator.fault(aggregate.at, problem));
                }
                let sum = self.value.take().unwrap_or(Value::Integer(0));
                let sum = arithmetic(Operator::Add, &sum, &value, evaluator.meter)?;
                self.value = Some(sum.map_err(|problem| evaluator.fault(aggregate.at, problem))?);
            }
        }
        Ok(())
    }

    pub fn result(&mut self, evaluator: &Evaluator<'_>, aggregate: &Aggregate) -> Result<Value, GraphError> {
        Ok(match aggregate.kind {
            AggregateKind::Count => Value::Integer(self.count),
            AggregateKind::Collect => Value::list(std::mem::take(&mut self.items), evaluator.meter)?,
            AggregateKind::Min | AggregateKind::Max => self.value.take().unwrap_or(Value::Null),
            AggregateKind::Sum => self.value.take().unwrap_or(Value::Integer(0)),
            AggregateKind::Avg => match self.value.take().as_ref().and_then(Value::as_number) {
                Some(sum) => Value::Float(sum / Value::Integer(self.count).as_number().unwrap_or(1.0)),
                None => Value::Null,
            },
        })
    }
}
