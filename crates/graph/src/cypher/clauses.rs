//! Clauses: `MATCH`, `UNWIND`, `WITH`, `RETURN`, `UNION`.

use super::ast::{Clause, Expr, ExprKind, Item, Projection, Query, SortOrder};
use super::fault::Fault;
use super::lexer::Token;
use super::parser::{MAX_CLAUSES, Parser, shown};
use super::scope::Kind;

/// The keyword of a projection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keyword {
    With,
    Return,
}

impl Parser<'_> {
    pub fn query(&mut self) -> Result<Query, Fault> {
        let mut parts = vec![self.single_query()?];
        let mut keeps = None;
        while self.is_word(0, "UNION") {
            let at = self.at();
            self.advance();
            let all = self.take_words(&["ALL"]);
            if keeps.is_some_and(|keeps| keeps != all) {
                return Err(Fault::new(at, "UNION and UNION ALL cannot be mixed in one query."));
            }
            keeps = Some(all);
            self.scope.clear();
            let part = self.single_query()?;
            if columns(parts.first()) != columns(Some(&part)) {
                return Err(Fault::new(at, "The queries of a UNION must have the same columns. Name them with AS."));
            }
            parts.push(part);
        }
        self.take_symbol(";");
        if *self.peek() != Token::End {
            return Err(self.unexpected("the end of the query"));
        }
        let (slots, needs_ledger) = (self.scope.slots(), self.needs_ledger);
        let parameters = std::mem::take(&mut self.parameters);
        Ok(Query { parts, keeps_duplicates: keeps.unwrap_or(true), slots, needs_ledger, parameters })
    }

    fn single_query(&mut self) -> Result<Vec<Clause>, Fault> {
        let mut clauses = Vec::new();
        loop {
            self.clauses += 1;
            if self.clauses > MAX_CLAUSES {
                return Err(Fault::new(self.at(), format!("A query has at most {MAX_CLAUSES} clauses.")));
            }
            if self.take_words(&["MATCH"]) {
                clauses.push(Clause::Match(self.match_body(false)?));
            } else if self.take_words(&["OPTIONAL", "MATCH"]) {
                clauses.push(Clause::Match(self.match_body(true)?));
            } else if self.take_words(&["UNWIND"]) {
                clauses.push(self.unwind()?);
            } else if self.take_words(&["WITH"]) {
                clauses.push(Clause::Project(self.projection(Keyword::With)?));
            } else if self.take_words(&["RETURN"]) {
                clauses.push(Clause::Project(self.projection(Keyword::Return)?));
                return Ok(clauses);
            } else if matches!(self.peek(), Token::End) {
                return Err(Fault::new(self.at(), "The query has no RETURN. Add it, as in RETURN f.path."));
            } else {
                let expected =
                    if clauses.is_empty() { "MATCH, UNWIND, WITH or RETURN" } else { "another clause, such as RETURN" };
                return Err(self.unexpected(expected));
            }
        }
    }

    fn unwind(&mut self) -> Result<Clause, Fault> {
        let list = self.expression()?;
        self.expect_word("AS")?;
        let at = self.at();
        let name = self.name("a name")?;
        if self.scope.find(&name).is_some() {
            return Err(Fault::new(
                at,
                format!("The variable '{}' is already defined. Choose another name.", shown(&name)),
            ));
        }
        let slot = self.slot(at, Some(&name))?;
        self.scope.define(slot, Some(Kind::Value));
        Ok(Clause::Unwind { list, slot })
    }

    fn projection(&mut self, keyword: Keyword) -> Result<Projection, Fault> {
        let is_distinct = self.take_words(&["DISTINCT"]);
        self.aggregates = Some(Vec::new());
        let mut items = Vec::new();
        let mut kinds = Vec::new();
        let mut is_first = true;
        while is_first || self.take_symbol(",") {
            if is_first && self.is_symbol(0, "*") {
                let at = self.at();
                self.advance();
                let all: Vec<_> = self.scope.visible().map(|(slot, name)| (slot, name.to_owned())).collect();
                for (slot, column) in all {
                    kinds.push(self.scope.kind(slot).unwrap_or(Kind::Value));
                    items.push(Item { slot, column, expr: self.expr_of(at, ExprKind::Variable(slot))? });
                }
                if items.is_empty() {
                    return Err(Fault::new(at, "'*' stands for all variables, but none is defined."));
                }
            } else {
                let (item, kind) = self.item(keyword)?;
                if items.iter().any(|other: &Item| other.column == item.column) {
                    let problem =
                        format!("The column '{}' occurs twice. Name one of them with AS.", shown(&item.column));
                    return Err(Fault::new(item.expr.at, problem));
                }
                items.push(item);
                kinds.push(kind);
            }
            is_first = false;
        }
        // Until the rows are sorted, variables and new names both exist.
        for (item, kind) in items.iter().zip(&kinds) {
            if self.scope.kind(item.slot).is_none() {
                self.scope.define(item.slot, Some(*kind));
            }
        }
        let order = self.order()?;
        let aggregates = self.aggregates.take().unwrap_or_default();
        let skip = self.count_of("SKIP")?;
        let limit = self.count_of("LIMIT")?;
        self.scope.clear();
        for (item, kind) in items.iter().zip(kinds) {
            self.scope.define(item.slot, Some(kind));
        }
        let has_condition = keyword == Keyword::With && self.take_words(&["WHERE"]);
        let condition = if has_condition { Some(self.expression()?) } else { None };
        Ok(Projection { is_distinct, items, aggregates, order, skip, limit, condition })
    }

    fn item(&mut self, keyword: Keyword) -> Result<(Item, Kind), Fault> {
        let at = self.at();
        let expr = self.expression()?;
        let written = self.text_since(at);
        let variable = if let ExprKind::Variable(slot) = &expr.kind { Some(*slot) } else { None };
        let kind = variable.and_then(|slot| self.scope.kind(slot)).unwrap_or(Kind::Value);
        if self.take_words(&["AS"]) {
            let at = self.at();
            let column = self.name("a name")?;
            let slot = self.slot(at, Some(&column))?;
            return Ok((Item { slot, column, expr }, kind));
        }
        if let Some(slot) = variable {
            return Ok((Item { slot, column: written.trim_matches('`').to_owned(), expr }, kind));
        }
        if keyword == Keyword::With {
            return Err(self.unexpected("AS, because an expression in WITH needs a name"));
        }
        let slot = self.slot(at, None)?;
        Ok((Item { slot, column: written, expr }, kind))
    }

    fn order(&mut self) -> Result<Vec<(Expr, SortOrder)>, Fault> {
        let mut order = Vec::new();
        if !self.take_words(&["ORDER", "BY"]) {
            return Ok(order);
        }
        loop {
            let expr = self.expression()?;
            let descending = ["DESC", "DESCENDING"].into_iter().any(|word| self.take_words(&[word]));
            if !descending {
                let _ascending = ["ASC", "ASCENDING"].into_iter().any(|word| self.take_words(&[word]));
            }
            order.push((expr, if descending { SortOrder::Descending } else { SortOrder::Ascending }));
            if !self.take_symbol(",") {
                return Ok(order);
            }
        }
    }

    /// The number after `SKIP` or `LIMIT`, which no variable is part of.
    fn count_of(&mut self, word: &str) -> Result<Option<Expr>, Fault> {
        if !self.take_words(&[word]) {
            return Ok(None);
        }
        let saved = self.scope.save();
        self.scope.clear();
        let count = self.expression()?;
        self.scope.restore(saved);
        Ok(Some(count))
    }
}

fn columns(part: Option<&Vec<Clause>>) -> Vec<&str> {
    match part.and_then(|clauses| clauses.last()) {
        Some(Clause::Project(projection)) => projection.items.iter().map(|item| item.column.as_str()).collect(),
        Some(Clause::Match(_) | Clause::Unwind { .. }) | None => Vec::new(),
    }
}
