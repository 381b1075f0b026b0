//! The completion value of a script: its last expression.

use swc_core::ecma::ast::{BlockStmt, Decl, ExprStmt, Module, ModuleDecl, ModuleItem, Stmt, SwitchCase};

use super::function_facts::is_nothing;

/// The expression statements that may be the last one evaluated, and so give the script's value. Empty when the script ends
/// with a declaration, a loop or similar.
pub(crate) fn last_values(module: &Module) -> Vec<&ExprStmt> {
    let mut found = Vec::new();
    for item in module.body.iter().rev() {
        match item {
            ModuleItem::Stmt(statement) if is_passed_over(statement) => {}
            ModuleItem::Stmt(statement) => {
                collect(statement, &mut found);
                break;
            }
            // Imports are evaluated before the first statement.
            ModuleItem::ModuleDecl(ModuleDecl::Import(_) | ModuleDecl::TsImportEquals(_)) => {}
            ModuleItem::ModuleDecl(_) => break,
        }
    }
    found
}

/// Whether a statement has no effect at its position: functions and types are declared before the script runs.
fn is_passed_over(statement: &Stmt) -> bool {
    matches!(statement, Stmt::Empty(_) | Stmt::Decl(Decl::Fn(_) | Decl::TsInterface(_) | Decl::TsTypeAlias(_)))
}

fn collect<'a>(statement: &'a Stmt, found: &mut Vec<&'a ExprStmt>) {
    match statement {
        Stmt::Expr(expression) => found.push(expression),
        Stmt::Block(block) => collect_last(&block.stmts, found),
        Stmt::Labeled(labelled) => collect(&labelled.body, found),
        Stmt::With(with) => collect(&with.body, found),
        Stmt::If(choice) => {
            collect(&choice.cons, found);
            if let Some(otherwise) = &choice.alt {
                collect(otherwise, found);
            }
        }
        Stmt::Try(attempt) => {
            collect_last(&attempt.block.stmts, found);
            if let Some(handler) = &attempt.handler {
                collect_last(&handler.body.stmts, found);
            }
        }
        Stmt::Switch(switch) => {
            let last = switch.cases.len().saturating_sub(1);
            for (index, case) in switch.cases.iter().enumerate() {
                collect_case(case, index == last, found);
            }
        }
        _ => {}
    }
}

fn collect_last<'a>(statements: &'a [Stmt], found: &mut Vec<&'a ExprStmt>) {
    if let Some(last) = statements.iter().rev().find(|statement| !is_passed_over(statement)) {
        collect(last, found);
    }
}

/// The last statement before the `break` of a case. A case without `break` falls through to the next.
fn collect_case<'a>(case: &'a SwitchCase, is_last: bool, found: &mut Vec<&'a ExprStmt>) {
    let statements = match case.cons.as_slice() {
        [Stmt::Block(BlockStmt { stmts, .. })] => stmts.as_slice(),
        statements => statements,
    };
    match statements.split_last() {
        Some((Stmt::Break(end), before)) if end.label.is_none() => collect_last(before, found),
        _ if is_last => collect_last(statements, found),
        _ => {}
    }
}

/// Whether any of them has a useful value: `console.log(…)` and similar calls have none.
pub(crate) fn gives_value(values: &[&ExprStmt]) -> bool {
    values.iter().any(|statement| !is_nothing(&statement.expr))
}
