//! Expressions.

use super::ast::{Expr, ExprKind, Operator};
use super::fault::Fault;
use super::lexer::Token;
use super::operators::Level;
use super::parser::Parser;
use super::scope::Kind;

impl Parser<'_> {
    pub fn expression(&mut self) -> Result<Expr, Fault> {
        self.nested(Self::or)
    }

    /// The operands of `AND` of a condition.
    pub fn conjuncts(&mut self) -> Result<Vec<Expr>, Fault> {
        let condition = self.expression()?;
        if let ExprKind::And(all) = condition.kind { Ok(all) } else { Ok(vec![condition]) }
    }

    fn or(&mut self) -> Result<Expr, Fault> {
        let at = self.at();
        let mut operands = vec![self.xor()?];
        while self.take_words(&["OR"]) {
            operands.push(self.xor()?);
        }
        self.joined(at, operands, ExprKind::Or)
    }

    fn xor(&mut self) -> Result<Expr, Fault> {
        let at = self.at();
        let mut left = self.and()?;
        while self.take_words(&["XOR"]) {
            let right = self.and()?;
            left = self.expr_of(at, ExprKind::Binary(Operator::Xor, Box::new(left), Box::new(right)))?;
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Expr, Fault> {
        let at = self.at();
        let mut operands = vec![self.not()?];
        while self.take_words(&["AND"]) {
            operands.push(self.not()?);
        }
        self.joined(at, operands, ExprKind::And)
    }

    fn joined(&self, at: usize, operands: Vec<Expr>, kind: fn(Vec<Expr>) -> ExprKind) -> Result<Expr, Fault> {
        match <[Expr; 1]>::try_from(operands) {
            Ok([only]) => Ok(only),
            Err(several) => self.expr_of(at, kind(several)),
        }
    }

    fn not(&mut self) -> Result<Expr, Fault> {
        let at = self.at();
        let mut count = 0_usize;
        while self.take_words(&["NOT"]) {
            count += 1;
        }
        let mut operand = self.binary(Level::Comparison)?;
        // Two negations are not the operand itself: it must be a boolean.
        let wrappers = if count > 1 { 2 - count % 2 } else { count };
        for _ in 0..wrappers {
            operand = self.expr_of(at, ExprKind::Not(Box::new(operand)))?;
        }
        Ok(operand)
    }

    fn binary(&mut self, level: Level) -> Result<Expr, Fault> {
        let operand = |parser: &mut Self| match level.stronger() {
            Some(stronger) => parser.binary(stronger),
            None => parser.negative(),
        };
        let at = self.at();
        let mut left = operand(self)?;
        let mut compared = false;
        loop {
            let operator_at = self.at();
            if level == Level::Comparison && self.take_words(&["IS", "NULL"]) {
                left = self.expr_of(at, ExprKind::IsNull(Box::new(left)))?;
            } else if level == Level::Comparison && self.take_words(&["IS", "NOT", "NULL"]) {
                let is_null = self.expr_of(at, ExprKind::IsNull(Box::new(left)))?;
                left = self.expr_of(at, ExprKind::Not(Box::new(is_null)))?;
            } else if let Some(operator) = self.take_operator(level) {
                if compared {
                    return Err(Fault::new(operator_at, "Comparisons cannot be chained. Join them with AND."));
                }
                compared = level == Level::Comparison;
                let right = operand(self)?;
                left = self.expr_of(operator_at, ExprKind::Binary(operator, Box::new(left), Box::new(right)))?;
            } else {
                return Ok(left);
            }
        }
    }

    fn negative(&mut self) -> Result<Expr, Fault> {
        let at = self.at();
        let mut is_negative = false;
        while self.is_symbol(0, "-") || self.is_symbol(0, "+") {
            is_negative ^= self.is_symbol(0, "-");
            self.advance();
        }
        let operand = self.postfix()?;
        if is_negative { self.expr_of(at, ExprKind::Negative(Box::new(operand))) } else { Ok(operand) }
    }

    fn postfix(&mut self) -> Result<Expr, Fault> {
        let mut of = self.primary()?;
        loop {
            let at = self.at();
            if self.take_symbol(".") {
                let at = self.at();
                let name = self.name("a property")?;
                let kind = if let ExprKind::Variable(slot) = &of.kind { self.scope.kind(*slot) } else { None };
                let property = match kind.unwrap_or(Kind::Value) {
                    Kind::Value => super::names::Property::parse(&name),
                    known @ (Kind::Node | Kind::Edge) => Some(self.property(at, &name, known)?),
                };
                of = self.expr_of(at, ExprKind::Property(Box::new(of), property, name))?;
            } else if self.take_symbol("[") {
                of = self.index(at, of)?;
            } else if self.is_symbol(0, ":") {
                let labels = self.labels()?;
                of = self.expr_of(at, ExprKind::HasLabels(Box::new(of), labels))?;
            } else {
                return Ok(of);
            }
        }
    }

    fn index(&mut self, at: usize, of: Expr) -> Result<Expr, Fault> {
        let from = if self.is_symbol(0, "..") { None } else { Some(Box::new(self.expression()?)) };
        let kind = if self.take_symbol("..") {
            let to = if self.is_symbol(0, "]") { None } else { Some(Box::new(self.expression()?)) };
            ExprKind::Slice(Box::new(of), from, to)
        } else if let Some(index) = from {
            ExprKind::Index(Box::new(of), index)
        } else {
            return Err(self.unexpected("an index"));
        };
        self.expect_symbol("]")?;
        self.expr_of(at, kind)
    }

    fn primary(&mut self) -> Result<Expr, Fault> {
        let at = self.at();
        if self.is_symbol(0, "(") {
            if self.is_pattern() {
                let pattern = self.nested(Self::pattern_predicate)?;
                return self.expr_of(at, ExprKind::Exists(Box::new(pattern)));
            }
            self.advance();
            let inner = self.expression()?;
            self.expect_symbol(")")?;
            return Ok(inner);
        }
        if self.is_symbol(0, "[") {
            return self.list(at);
        }
        if self.is_symbol(0, "{") {
            return self.map(at);
        }
        let kind = match self.peek().clone() {
            Token::Integer(number) => ExprKind::Integer(number),
            Token::Float(number) => ExprKind::Float(number),
            Token::Text(text) => ExprKind::Text(text),
            Token::Parameter(name) => {
                self.parameters.push(name.clone());
                ExprKind::Parameter(name)
            }
            Token::Word { text, quoted } => return self.word(at, &text, quoted),
            Token::Symbol(_) | Token::End => return Err(self.unexpected("an expression")),
        };
        self.advance();
        self.expr_of(at, kind)
    }

    fn word(&mut self, at: usize, text: &str, quoted: bool) -> Result<Expr, Fault> {
        let is_call = self.is_symbol(1, "(");
        if !quoted {
            if self.is_word(0, "CASE") {
                return self.case(at);
            }
            if self.is_word(0, "EXISTS") && self.is_symbol(1, "{") {
                self.advance();
                let inner = self.nested(Self::exists_block)?;
                return self.expr_of(at, ExprKind::Exists(Box::new(inner)));
            }
            if is_call {
                return self.call(at, text);
            }
            let literal = match text.to_ascii_lowercase().as_str() {
                "null" => Some(ExprKind::Null),
                "true" => Some(ExprKind::Bool(true)),
                "false" => Some(ExprKind::Bool(false)),
                _ => None,
            };
            if let Some(literal) = literal {
                self.advance();
                return self.expr_of(at, literal);
            }
        }
        if self.scope.find(text).is_none() && (self.unexpected("").problem.contains("read-only")) {
            return Err(self.unexpected("an expression"));
        }
        let (slot, _) = self.existing(at, text)?;
        self.advance();
        self.expr_of(at, ExprKind::Variable(slot))
    }

    fn map(&mut self, at: usize) -> Result<Expr, Fault> {
        self.advance();
        let mut entries: Vec<(String, Expr)> = Vec::new();
        while !self.take_symbol("}") {
            if !entries.is_empty() {
                self.expect_symbol(",")?;
            }
            let key = self.name("a key")?;
            self.expect_symbol(":")?;
            entries.push((key, self.expression()?));
        }
        self.expr_of(at, ExprKind::Map(entries))
    }

    fn list(&mut self, at: usize) -> Result<Expr, Fault> {
        self.advance();
        if matches!(self.peek(), Token::Word { .. }) && self.is_word(1, "IN") {
            let name = self.name("a name")?;
            self.advance();
            return self.comprehension(at, &name);
        }
        let mut items = Vec::new();
        while !self.take_symbol("]") {
            if !items.is_empty() {
                self.expect_symbol(",")?;
            }
            items.push(self.expression()?);
        }
        self.expr_of(at, ExprKind::List(items))
    }

    fn comprehension(&mut self, at: usize, name: &str) -> Result<Expr, Fault> {
        let list = Box::new(self.expression()?);
        let saved = self.scope.save();
        let slot = self.slot(at, Some(name))?;
        self.scope.define(slot, Some(Kind::Value));
        let condition = if self.take_words(&["WHERE"]) { Some(Box::new(self.expression()?)) } else { None };
        let result = if self.take_symbol("|") { Some(Box::new(self.expression()?)) } else { None };
        self.scope.restore(saved);
        self.expect_symbol("]")?;
        self.expr_of(at, ExprKind::Comprehension { slot, list, condition, result })
    }

    /// Whether the next tokens are a node of a pattern and the beginning of a relationship, not an expression in parentheses.
    fn is_pattern(&self) -> bool {
        let mut depth = 0_usize;
        let mut by = 0;
        loop {
            let Token::Symbol(symbol) = self.ahead(by) else {
                if matches!(self.ahead(by), Token::End) {
                    return false;
                }
                by += 1;
                continue;
            };
            depth = match *symbol {
                "(" => depth + 1,
                ")" => depth.saturating_sub(1),
                _ => depth,
            };
            by += 1;
            if depth == 0 {
                break;
            }
        }
        let symbols =
            |expected: &[&str]| expected.iter().enumerate().all(|(at, symbol)| self.is_symbol(by + at, symbol));
        // A node has at most a name, labels and properties.
        let is_node = matches!(self.ahead(1), Token::Word { .. })
            && (by == 3 || self.is_symbol(2, ":") || self.is_symbol(2, "{"));
        let is_node = is_node || by == 2 || self.is_symbol(1, ":") || self.is_symbol(1, "{");
        let begins = [&["-", "["][..], &["-", "-", "("], &["-", "-", ">"], &["<", "-", "["], &["<", "-", "-"]];
        is_node && begins.into_iter().any(symbols)
    }
}
