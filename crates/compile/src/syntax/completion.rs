//! The value that a script ends with, as a console would show it.

use swc_core::ecma::ast::{BlockStmt, Decl, ExprStmt, Module, ModuleDecl, ModuleItem, Stmt, SwitchCase};

use super::function_facts::is_nothing;

/// The statements one of which is the last that the script evaluates: each is an expression whose value is the script's. None
/// when it ends with a declaration, a loop or the like.
pub(crate) fn last_values(module: &Module) -> Vec<&ExprStmt> {
    let mut found = Vec::new();
    for item in module.body.iter().rev() {
        match item {
            ModuleItem::Stmt(statement) if is_passed_over(statement) => {}
            ModuleItem::Stmt(statement) => {
                collect(statement, &mut found);
                break;
            }
            // They are there before the first statement, wherever they stand.
            ModuleItem::ModuleDecl(ModuleDecl::Import(_) | ModuleDecl::TsImportEquals(_)) => {}
            ModuleItem::ModuleDecl(_) => break,
        }
    }
    found
}

/// Functions and types are declared before anything runs: below the last expression they stand in nobody's way.
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

/// What stands before the `break` of a case; a case without one goes on to the next.
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

/// Whether one of them has a value that a caller can use: `console.log(…)` and the like have none.
pub(crate) fn gives_value(values: &[&ExprStmt]) -> bool {
    values.iter().any(|statement| !is_nothing(&statement.expr))
}
