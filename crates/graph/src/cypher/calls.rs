//! Calls of functions, aggregates and quantifiers, and `CASE`.

use super::ast::{Aggregate, AggregateKind, Expr, ExprKind, Quantifier};
use super::fault::Fault;
use super::functions::Function;
use super::parser::{Parser, shown};
use super::scope::Kind;
use tgp_base::spelling::nearest;

const AGGREGATES: [(&str, AggregateKind); 6] = [
    ("count", AggregateKind::Count),
    ("collect", AggregateKind::Collect),
    ("min", AggregateKind::Min),
    ("max", AggregateKind::Max),
    ("sum", AggregateKind::Sum),
    ("avg", AggregateKind::Avg),
];
const QUANTIFIERS: [(&str, Quantifier); 4] =
    [("all", Quantifier::All), ("any", Quantifier::Any), ("none", Quantifier::None), ("single", Quantifier::Single)];

impl Parser<'_> {
    pub fn call(&mut self, at: usize, name: &str) -> Result<Expr, Fault> {
        let lower = name.to_ascii_lowercase();
        if let Some((_, kind)) = AGGREGATES.into_iter().find(|(known, _)| *known == lower) {
            return self.aggregate(at, kind);
        }
        if let Some((_, kind)) = QUANTIFIERS.into_iter().find(|(known, _)| *known == lower) {
            return self.quantifier(at, kind);
        }
        self.advance();
        self.advance();
        let mut arguments = Vec::new();
        while !self.take_symbol(")") {
            if !arguments.is_empty() {
                self.expect_symbol(",")?;
            }
            arguments.push(self.expression()?);
        }
        if lower == "exists" {
            let missing = || Fault::new(at, "'exists' takes one property. Use it as in f.description IS NOT NULL.");
            let of = <[Expr; 1]>::try_from(arguments).map_err(|_| missing())?;
            let is_null = self.expr_of(at, ExprKind::IsNull(Box::new(first(of))))?;
            return self.expr_of(at, ExprKind::Not(Box::new(is_null)));
        }
        let unknown = || {
            let known = Function::names().chain(AGGREGATES.iter().map(|(known, _)| *known));
            Fault::new(at, format!("The function '{}' is unknown.", shown(name))).suggest(nearest(name, known))
        };
        let function = Function::parse(name).ok_or_else(unknown)?;
        let (least, most) = function.arguments();
        if arguments.len() < least || arguments.len() > most {
            let count = if least == most { least.to_string() } else { format!("{least} to {most}") };
            let problem = format!("'{}' takes {count} arguments, not {}.", function.text(), arguments.len());
            return Err(Fault::new(at, problem));
        }
        self.expr_of(at, ExprKind::Call(function, arguments))
    }

    fn aggregate(&mut self, at: usize, kind: AggregateKind) -> Result<Expr, Fault> {
        let Some(mut outer) = self.aggregates.take() else {
            return Err(Fault::new(at, "Aggregates are allowed in RETURN and WITH only, and not inside each other."));
        };
        self.advance();
        self.advance();
        let is_distinct = self.take_words(&["DISTINCT"]);
        let is_all = kind == AggregateKind::Count && !is_distinct && self.take_symbol("*");
        let argument = if is_all { None } else { Some(self.expression()?) };
        self.expect_symbol(")")?;
        outer.push(Aggregate { kind, is_distinct, argument, at });
        let index = outer.len() - 1;
        self.aggregates = Some(outer);
        self.expr_of(at, ExprKind::Aggregate(index))
    }

    pub fn case(&mut self, at: usize) -> Result<Expr, Fault> {
        self.advance();
        let subject = if self.is_word(0, "WHEN") { None } else { Some(Box::new(self.expression()?)) };
        let mut arms = Vec::new();
        while self.take_words(&["WHEN"]) {
            let when = self.expression()?;
            self.expect_word("THEN")?;
            arms.push((when, self.expression()?));
        }
        if arms.is_empty() {
            return Err(self.unexpected("WHEN"));
        }
        let otherwise = if self.take_words(&["ELSE"]) { Some(Box::new(self.expression()?)) } else { None };
        self.expect_word("END")?;
        self.expr_of(at, ExprKind::Case { subject, arms, otherwise })
    }

    fn quantifier(&mut self, at: usize, kind: Quantifier) -> Result<Expr, Fault> {
        self.advance();
        self.advance();
        let name = self.name("a variable")?;
        self.expect_word("IN")?;
        let list = Box::new(self.expression()?);
        let saved = self.scope.save();
        let slot = self.slot(at, Some(&name))?;
        self.scope.define(slot, Some(Kind::Value));
        self.expect_word("WHERE")?;
        let condition = Box::new(self.expression()?);
        self.scope.restore(saved);
        self.expect_symbol(")")?;
        self.expr_of(at, ExprKind::Quantifier { kind, slot, list, condition })
    }
}

fn first([only]: [Expr; 1]) -> Expr {
    only
}
