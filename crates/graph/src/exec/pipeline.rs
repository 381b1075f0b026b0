//! Passes rows from clause to clause. Only projections keep rows.

use super::eval::Evaluator;
use super::matcher::{Emit, Flow};
use super::projection::{Accepted, ProjectionState};
use super::value::{Row, Value, set};
use crate::cypher::ast::Clause;
use crate::graph_error::GraphError;

pub struct Pipeline<'e, 'q, 'f> {
    evaluator: &'e Evaluator<'q>,
    clauses: &'q [Clause],
    /// By clause; `None` of clauses that keep nothing.
    states: Vec<Option<ProjectionState<'q>>>,
    emit: Emit<'f>,
}

impl<'e, 'q, 'f> Pipeline<'e, 'q, 'f> {
    pub fn new(evaluator: &'e Evaluator<'q>, clauses: &'q [Clause], emit: Emit<'f>) -> Result<Self, GraphError> {
        let states = clauses.iter().map(|clause| match clause {
            Clause::Project(projection) => ProjectionState::new(projection, evaluator).map(Some),
            Clause::Match(_) | Clause::Unwind { .. } => Ok(None),
        });
        Ok(Self { evaluator, clauses, states: states.collect::<Result<_, _>>()?, emit })
    }

    pub fn run(&mut self, row: &mut Row) -> Result<(), GraphError> {
        self.push(0, row)?;
        for at in 0..self.clauses.len() {
            let kept = match self.states.get_mut(at).and_then(Option::as_mut) {
                Some(state) => state.finish(self.evaluator)?,
                None => Vec::new(),
            };
            for mut row in kept {
                if self.push(at + 1, &mut row)? == Flow::Stop {
                    break;
                }
            }
        }
        Ok(())
    }

    fn push(&mut self, at: usize, row: &mut Row) -> Result<Flow, GraphError> {
        self.evaluator.meter.step(1)?;
        let evaluator = self.evaluator;
        match self.clauses.get(at) {
            None => (self.emit)(row),
            Some(Clause::Match(clause)) => {
                let mut has_match = false;
                let flow = evaluator.matches(clause, row, &mut |row| {
                    has_match = true;
                    self.push(at + 1, row)
                })?;
                if has_match || !clause.is_optional {
                    return Ok(flow);
                }
                for slot in &clause.introduced {
                    set(row, *slot, Value::Null);
                }
                self.push(at + 1, row)
            }
            Some(Clause::Unwind { list, slot }) => {
                let list = evaluator.eval(list, row)?;
                // Anything but a list is a list of one value.
                let items = list.as_list().unwrap_or(std::slice::from_ref(&list));
                for item in items.iter().filter(|item| list.as_list().is_some() || !item.is_null()) {
                    set(row, *slot, item.clone());
                    if self.push(at + 1, row)? == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                }
                set(row, *slot, Value::Null);
                Ok(Flow::More)
            }
            Some(Clause::Project(_)) => {
                let Some(Some(state)) = self.states.get_mut(at) else { return Ok(Flow::More) };
                // Sorting puts new names into the row, which the clauses before still use.
                let accepted = state.accept(evaluator, &mut row.clone())?;
                match accepted {
                    Accepted::Row(mut next) => self.push(at + 1, &mut next),
                    Accepted::Nothing => Ok(Flow::More),
                    Accepted::Done => Ok(Flow::Stop),
                }
            }
        }
    }
}
