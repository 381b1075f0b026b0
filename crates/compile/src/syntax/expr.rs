//! Helpers to inspect expressions.

use std::borrow::Cow;

use swc_core::common::SyntaxContext;
use swc_core::ecma::ast::{
    ArrowFunctionBody, Callee, Expr, ExprOrSpread, Ident, Lit, MemberExpr, MemberProp, OptChainBase, PropName, UnaryOp,
};

/// The expression inside parentheses and type assertions.
pub(crate) fn plain(expr: &Expr) -> &Expr {
    let mut current = expr;
    loop {
        current = match current {
            Expr::Paren(inner) => &inner.expr,
            Expr::TsAs(inner) => &inner.expr,
            Expr::TsConstAssertion(inner) => &inner.expr,
            Expr::TsNonNull(inner) => &inner.expr,
            Expr::TsSatisfies(inner) => &inner.expr,
            Expr::TsTypeAssertion(inner) => &inner.expr,
            other => return other,
        };
    }
}

/// The text of a string literal, or of a template without expressions.
pub(crate) fn text_of(expr: &Expr) -> Option<Cow<'_, str>> {
    match plain(expr) {
        Expr::Lit(Lit::Str(text)) => Some(text.value.to_string_lossy()),
        Expr::Tpl(template) if template.exprs.is_empty() => {
            template.quasis.first().and_then(|part| part.cooked.as_ref()).map(|text| text.to_string_lossy())
        }
        _ => None,
    }
}

/// The value of a number literal, with its sign.
pub(crate) fn number_of(expr: &Expr) -> Option<f64> {
    match plain(expr) {
        Expr::Lit(Lit::Num(number)) => Some(number.value),
        Expr::Unary(unary) if unary.op == UnaryOp::Minus => match plain(&unary.arg) {
            Expr::Lit(Lit::Num(number)) => Some(-number.value),
            _ => None,
        },
        _ => None,
    }
}

/// The name of a global variable, which the source does not declare.
pub(crate) fn global_name(expr: &Expr, unresolved: SyntaxContext) -> Option<&str> {
    match plain(expr) {
        Expr::Ident(name) if name.ctxt == unresolved => Some(&name.sym),
        _ => None,
    }
}

/// The property name of a member expression, if it is not computed at run time.
pub(crate) fn member_name(prop: &MemberProp) -> Option<Cow<'_, str>> {
    match prop {
        MemberProp::Ident(name) => Some(Cow::Borrowed(&name.sym)),
        MemberProp::Computed(computed) => text_of(&computed.expr),
        MemberProp::PrivateName(_) => None,
    }
}

pub(crate) fn key_name(key: &PropName) -> Option<Cow<'_, str>> {
    match key {
        PropName::Ident(name) => Some(Cow::Borrowed(&name.sym)),
        PropName::Str(text) => Some(text.value.to_string_lossy()),
        PropName::Computed(computed) => text_of(&computed.expr),
        PropName::Num(_) | PropName::BigInt(_) => None,
    }
}

/// The expression as a member expression, including in an optional chain.
pub(crate) fn member_of(expr: &Expr) -> Option<&MemberExpr> {
    match plain(expr) {
        Expr::Member(member) => Some(member),
        Expr::OptChain(chain) => match &*chain.base {
            OptChainBase::Member(member) => Some(member),
            OptChainBase::Call(_) => None,
        },
        _ => None,
    }
}

/// Callee and arguments of a call, including in an optional chain.
pub(crate) fn call_of(expr: &Expr) -> Option<(&Expr, &[ExprOrSpread])> {
    match plain(expr) {
        Expr::Call(call) => match &call.callee {
            Callee::Expr(callee) => Some((callee, &call.args)),
            Callee::Super(_) | Callee::Import(_) => None,
        },
        Expr::OptChain(chain) => match &*chain.base {
            OptChainBase::Call(call) => Some((&call.callee, &call.args)),
            OptChainBase::Member(_) => None,
        },
        _ => None,
    }
}

/// `('tgp', 'exec_sql')` for `tgp.exec_sql`, if `tgp` is the global variable.
pub(crate) fn global_member(expr: &Expr, unresolved: SyntaxContext) -> Option<(&str, Cow<'_, str>)> {
    let member = member_of(expr)?;
    Some((global_name(&member.obj, unresolved)?, member_name(&member.prop)?))
}

/// The last name of `a.b.c`, `a['c']` or `c`.
pub(crate) fn last_name(expr: &Expr) -> Option<Cow<'_, str>> {
    match plain(expr) {
        Expr::Ident(name) => Some(Cow::Borrowed(&name.sym)),
        other => match member_of(other) {
            Some(member) => member_name(&member.prop),
            None => {
                call_of(other).and_then(|(callee, _)| member_of(callee)).and_then(|member| member_name(&member.prop))
            }
        },
    }
}

/// The root variable of a member chain: `a` in `a.b[c].d`.
pub(crate) fn root_ident(expr: &Expr) -> Option<&Ident> {
    let mut current = plain(expr);
    loop {
        match current {
            Expr::Ident(name) => return Some(name),
            other => current = plain(&member_of(other)?.obj),
        }
    }
}

/// Whether an expression is a literal, or a template without expressions.
pub(crate) fn is_literal(expr: &Expr) -> bool {
    number_of(expr).is_some() || text_of(expr).is_some() || matches!(plain(expr), Expr::Lit(_))
}

/// The expression that an arrow function without braces returns.
pub(crate) fn arrow_value(body: &ArrowFunctionBody) -> Option<&Expr> {
    match body {
        ArrowFunctionBody::Expr(value) => Some(value),
        ArrowFunctionBody::FunctionBody(_) => None,
    }
}
