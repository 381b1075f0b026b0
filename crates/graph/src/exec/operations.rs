//! Binary operators.

use super::arithmetic::arithmetic;
use super::compare::{equal, ordered};
use super::eval::Evaluator;
use super::value::Value;
use crate::cypher::ast::Operator;
use crate::graph_error::GraphError;
use std::cmp::Ordering;

/// The most bytes of a compiled regular expression.
const MAX_REGEX: usize = 128 * 1024;

impl Evaluator<'_> {
    pub fn binary(&self, at: usize, operator: Operator, left: &Value, right: &Value) -> Result<Value, GraphError> {
        let bool = |yes: Option<bool>| yes.map_or(Value::Null, Value::Bool);
        let compared = |fits: fn(Ordering) -> bool| Ok(bool(ordered(left, right, self.meter)?.map(fits)));
        let texts = |fits: fn(&str, &str) -> bool| {
            let texts = left.as_text().zip(right.as_text());
            self.meter.step(texts.map_or(0, |(left, _)| left.len() as u64 / 64))?;
            Ok(bool(texts.map(|(left, right)| fits(left, right))))
        };
        match operator {
            Operator::Equal => Ok(bool(equal(left, right, self.meter)?)),
            Operator::Different => Ok(bool(equal(left, right, self.meter)?.map(|yes| !yes))),
            Operator::Less => compared(Ordering::is_lt),
            Operator::LessOrEqual => compared(Ordering::is_le),
            Operator::Greater => compared(Ordering::is_gt),
            Operator::GreaterOrEqual => compared(Ordering::is_ge),
            Operator::StartsWith => texts(|left, right| left.starts_with(right)),
            Operator::EndsWith => texts(|left, right| left.ends_with(right)),
            Operator::Contains => texts(|left, right| left.contains(right)),
            Operator::Matches => Ok(bool(self.regex_matches(at, left, right)?)),
            Operator::In => Ok(bool(self.contained(at, left, right)?)),
            // `eval` answers it.
            Operator::Xor => Ok(Value::Null),
            Operator::Add
            | Operator::Subtract
            | Operator::Multiply
            | Operator::Divide
            | Operator::Modulo
            | Operator::Power => {
                arithmetic(operator, left, right, self.meter)?.map_err(|problem| self.fault(at, problem))
            }
        }
    }

    fn contained(&self, at: usize, item: &Value, list: &Value) -> Result<Option<bool>, GraphError> {
        let Some(items) = self.items(at, list)? else { return Ok(None) };
        let mut result = Some(false);
        for other in items {
            match equal(item, other, self.meter)? {
                Some(true) => return Ok(Some(true)),
                Some(false) => {}
                None => result = None,
            }
        }
        Ok(result)
    }

    /// Whether the whole text matches. The time is linear in the text.
    fn regex_matches(&self, at: usize, text: &Value, pattern: &Value) -> Result<Option<bool>, GraphError> {
        let Some((text, pattern)) = text.as_text().zip(pattern.as_text()) else { return Ok(None) };
        let mut cached = self.regex.borrow_mut();
        if cached.as_ref().is_none_or(|(known, _)| known != pattern) {
            // Compiling costs much more than matching.
            self.meter.step(10_000)?;
            let compiled = regex::RegexBuilder::new(&format!("^(?s:{pattern})$"))
                .size_limit(MAX_REGEX)
                .dfa_size_limit(MAX_REGEX * 4)
                .nest_limit(32)
                .build();
            let invalid = |_| self.fault(at, "This regular expression is not valid, or too large.");
            *cached = Some((pattern.to_owned(), compiled.map_err(invalid)?));
        }
        self.meter.step(text.len() as u64 / 4)?;
        Ok(cached.as_ref().map(|(_, regex)| regex.is_match(text)))
    }
}
