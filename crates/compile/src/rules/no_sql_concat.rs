//! SQL injection: values belong in parameters, not in the text of a query. A query may be built only from text in the source:
//! literals, constants, placeholders for a list, a choice between literals.

use std::sync::LazyLock;

use regex::Regex;
use swc_core::common::Spanned;
use swc_core::ecma::ast::{
    BinExpr, BinaryOp, Expr, ExprOrSpread, Id, Ident, MemberExpr, ObjectLit, Pat, Prop, PropOrSpread, Tpl, UnaryOp,
};
use swc_core::ecma::visit::{Visit, VisitWith, noop_visit_type};

use super::rule::{Findings, Guards, Rule};
use crate::diagnostics::diagnostic::Severity;
use crate::rule_context::identifier_words::is_constant_case;
use crate::rule_context::rule_context::RuleContext;
use crate::syntax::expr::{
    arrow_value, call_of, global_name, is_literal, last_name, member_name, member_of, plain, text_of,
};
use crate::syntax::names::{BindingKind, Names};

pub(crate) const RULE: Rule =
    Rule { id: "no-sql-concat", standard: None, severity: Severity::Error, guards: Guards::Quality, check };

const MESSAGE: &str = "The query is put together from values";
const HELP: &str = "Write placeholders and pass the values: `tgp.exec_sql('SELECT * FROM users WHERE name = ?', [args.name])`; for a list make one placeholder per value with `ids.map(() => '?').join(', ')`. A column or direction that varies is chosen from a constant object of literals.";

static QUERY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    // All capitals or none: a sentence that begins with "Select" is not a query.
    Regex::new(r"(?s)^\s*(?:SELECT\s.*\sFROM\s|select\s.*\sfrom\s|(?:INSERT|insert)\s+(?:INTO|into)\s|UPDATE\s+\S+\s+SET\s|update\s+\S+\s+set\s|(?:DELETE|delete)\s+(?:FROM|from)\s|(?:WITH|with)\s+\w+\s+(?:AS|as)\s*\()").ok()
});

/// Chains of variables longer than this are not followed.
const MAX_STEPS: u32 = 24;

fn check(context: &RuleContext<'_>, findings: &mut Findings) {
    context.module.visit_with(&mut Visitor { context, findings });
}

/// Where the text of an expression comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// Only from the source.
    Source,
    /// Only from outside.
    Outside,
    /// From both.
    Mixed,
}

struct Visitor<'a> {
    context: &'a RuleContext<'a>,
    findings: &'a mut Findings,
}

impl Visitor<'_> {
    fn check_query(&mut self, expr: &Expr) {
        let origins = Origins { names: self.context.names, numbers: Vec::new() };
        if origins.of(expr, 0) == Origin::Mixed {
            self.findings.add(expr.span(), MESSAGE, HELP);
        }
    }
}

impl Visit for Visitor<'_> {
    noop_visit_type!();

    fn visit_expr(&mut self, node: &Expr) {
        if is_query(node) {
            self.check_query(node);
            return;
        }
        if let Some((callee, args)) = call_of(node)
            && last_name(callee).is_some_and(|name| name == "exec_sql")
            && let Some(query) = args.first()
        {
            self.check_query(&query.expr);
        }
        node.visit_children_with(self);
    }
}

/// Whether the literal parts of a template or a sum of texts read as a query, with `_` for what is put between them.
fn is_query(expr: &Expr) -> bool {
    let text = match expr {
        Expr::Tpl(template) => template_text(template),
        Expr::Bin(bin) if bin.op == BinaryOp::Add => sum_text(bin),
        _ => return false,
    };
    QUERY.as_ref().is_some_and(|pattern| pattern.is_match(&text))
}

fn template_text(template: &Tpl) -> String {
    let parts = template.quasis.iter().filter_map(|part| part.cooked.as_ref()).map(|text| text.to_string_lossy());
    parts.collect::<Vec<_>>().join("_")
}

fn sum_text(bin: &BinExpr) -> String {
    let part = |expr: &Expr| match plain(expr) {
        Expr::Tpl(template) => template_text(template),
        other => text_of(other).map_or_else(|| "_".to_owned(), std::borrow::Cow::into_owned),
    };
    let mut parts = vec![part(&bin.right)];
    let mut left = plain(&bin.left);
    while let Expr::Bin(inner) = left
        && inner.op == BinaryOp::Add
    {
        parts.push(part(&inner.right));
        left = plain(&inner.left);
    }
    parts.push(part(left));
    parts.reverse();
    parts.concat()
}

struct Origins<'a> {
    names: &'a Names,
    /// Callback parameters that are list positions, and so numbers.
    numbers: Vec<Id>,
}

impl Origins<'_> {
    fn of(&self, expr: &Expr, steps: u32) -> Origin {
        if steps > MAX_STEPS {
            return Origin::Mixed;
        }
        let expr = plain(expr);
        if is_literal(expr) {
            return Origin::Source;
        }
        match expr {
            Expr::Tpl(template) => self.of_template(template, steps),
            Expr::Bin(bin) => self.of_sum(bin, steps),
            Expr::Cond(choice) => either(self.of(&choice.cons, steps + 1), self.of(&choice.alt, steps + 1)),
            Expr::Array(list) => together(list.elems.iter().flatten().map(|element| self.of(&element.expr, steps + 1))),
            Expr::Ident(name) => self.of_name(name, steps),
            Expr::Unary(unary) if matches!(unary.op, UnaryOp::Plus | UnaryOp::Minus | UnaryOp::TypeOf) => {
                Origin::Source
            }
            other => match (member_of(other), call_of(other)) {
                (Some(member), _) => self.of_member(member, steps),
                (None, Some((callee, args))) => self.of_call(callee, args, steps),
                (None, None) => Origin::Outside,
            },
        }
    }

    fn of_template(&self, template: &Tpl, steps: u32) -> Origin {
        let is_bare = template.quasis.iter().all(|part| part.raw.is_empty());
        let parts = template.exprs.iter().map(|part| self.of(part, steps + 1));
        if is_bare && template.exprs.len() == 1 { together(parts) } else { together(parts.chain([Origin::Source])) }
    }

    /// Sums may have thousands of terms, so the left side is iterated, not recursed.
    fn of_sum(&self, bin: &BinExpr, steps: u32) -> Origin {
        match bin.op {
            BinaryOp::Add => {
                let mut origin = self.of(&bin.right, steps + 1);
                let mut left = plain(&bin.left);
                while let Expr::Bin(inner) = left
                    && inner.op == BinaryOp::Add
                {
                    origin = both(origin, self.of(&inner.right, steps + 1));
                    left = plain(&inner.left);
                }
                both(origin, self.of(left, steps + 1))
            }
            BinaryOp::LogicalOr | BinaryOp::NullishCoalescing => {
                either(self.of(&bin.left, steps + 1), self.of(&bin.right, steps + 1))
            }
            BinaryOp::LogicalAnd => self.of(&bin.right, steps + 1),
            // Numbers and truth values cannot carry text.
            _ => Origin::Source,
        }
    }

    fn of_name(&self, name: &Ident, steps: u32) -> Origin {
        if self.numbers.contains(&name.to_id()) || self.names.is_global(name) && name.sym == "undefined" {
            return Origin::Source;
        }
        let Some(binding) = self.names.get(name) else { return Origin::Outside };
        match binding.kind {
            BindingKind::Enum => Origin::Source,
            BindingKind::Import if is_constant_case(&name.sym) => Origin::Source,
            BindingKind::Import | BindingKind::Parameter | BindingKind::Function | BindingKind::Class => {
                Origin::Outside
            }
            BindingKind::Const | BindingKind::Let | BindingKind::Var => {
                let start = binding.init.as_deref().map(|init| self.of(init, steps + 1));
                let changes = binding
                    .changes
                    .iter()
                    .map(|change| change.value.as_deref().map_or(Origin::Outside, |value| self.of(value, steps + 1)));
                let all: Vec<Origin> = start.into_iter().chain(changes).collect();
                if all.is_empty() { Origin::Outside } else { together(all.into_iter()) }
            }
        }
    }

    fn of_member(&self, member: &MemberExpr, steps: u32) -> Origin {
        if member_name(&member.prop).is_some_and(|name| name == "length" || name == "size") {
            return Origin::Source;
        }
        match plain(&member.obj) {
            // One of the literals of a table, whichever the arguments choose.
            Expr::Ident(name) => match self.names.fixed_value(name).map(plain) {
                Some(Expr::Object(table)) if is_literal_table(table) => Origin::Source,
                Some(Expr::Array(list)) => {
                    together(list.elems.iter().flatten().map(|element| self.of(&element.expr, steps + 1)))
                }
                _ if self.names.get(name).is_some_and(|binding| binding.kind == BindingKind::Enum) => Origin::Source,
                _ => Origin::Outside,
            },
            Expr::Object(table) if is_literal_table(table) => Origin::Source,
            _ => Origin::Outside,
        }
    }

    fn of_call(&self, callee: &Expr, args: &[ExprOrSpread], steps: u32) -> Origin {
        if matches!(
            global_name(callee, self.names.unresolved),
            Some("Number" | "parseInt" | "parseFloat" | "BigInt" | "Boolean")
        ) {
            return Origin::Source;
        }
        let Some(member) = member_of(callee) else { return Origin::Outside };
        let object = global_name(&member.obj, self.names.unresolved);
        let method = member_name(&member.prop).unwrap_or_default();
        let values = || together(args.iter().map(|arg| self.of(&arg.expr, steps + 1)));
        match (&*method, object) {
            (_, Some("Math" | "Number")) => Origin::Source,
            ("from", Some("Array")) => args.get(1).map_or(Origin::Outside, |make| self.of_callback(&make.expr, steps)),
            ("fill", _) => values(),
            ("map" | "flatMap", _) => args.first().map_or(Origin::Outside, |make| self.of_callback(&make.expr, steps)),
            ("join" | "repeat" | "trim" | "slice" | "toUpperCase" | "toLowerCase" | "filter" | "concat", _) => {
                let base = self.of(&member.obj, steps + 1);
                if matches!(&*method, "join" | "concat") { both_or(base, values()) } else { base }
            }
            ("toFixed" | "indexOf", _) => Origin::Source,
            _ => Origin::Outside,
        }
    }

    /// The origin of the result of a callback; its second parameter is a position.
    fn of_callback(&self, callback: &Expr, steps: u32) -> Origin {
        let Expr::Arrow(arrow) = plain(callback) else { return Origin::Outside };
        let Some(value) = arrow_value(&arrow.body) else { return Origin::Outside };
        let mut numbers = self.numbers.clone();
        if let Some(Pat::Ident(position)) = arrow.params.get(1) {
            numbers.push(position.id.to_id());
        }
        Origins { names: self.names, numbers }.of(value, steps + 1)
    }
}

fn is_literal_table(table: &ObjectLit) -> bool {
    table.props.iter().all(|member| match member {
        PropOrSpread::Prop(prop) => matches!(&**prop, Prop::KeyValue(pair) if is_literal(&pair.value)),
        PropOrSpread::Spread(_) => false,
    })
}

fn both(left: Origin, right: Origin) -> Origin {
    if left == Origin::Source && right == Origin::Source { Origin::Source } else { Origin::Mixed }
}

/// Joining text from the source keeps the origin of `left`.
fn both_or(left: Origin, right: Origin) -> Origin {
    if right == Origin::Source { left } else { both(left, right) }
}

fn either(left: Origin, right: Origin) -> Origin {
    match (left, right) {
        (Origin::Mixed, _) | (_, Origin::Mixed) => Origin::Mixed,
        (Origin::Outside, _) | (_, Origin::Outside) => Origin::Outside,
        (Origin::Source, Origin::Source) => Origin::Source,
    }
}

/// The origin of a concatenation; a single part keeps its own.
fn together(parts: impl Iterator<Item = Origin>) -> Origin {
    let parts: Vec<Origin> = parts.collect();
    match parts.as_slice() {
        [] => Origin::Source,
        [one] => *one,
        [first, rest @ ..] => rest.iter().fold(*first, |left, right| both(left, *right)),
    }
}

#[cfg(test)]
#[path = "no_sql_concat_tests.rs"]
mod tests;
