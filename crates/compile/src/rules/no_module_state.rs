//! Standard 4: nothing is kept between runs, so state at module level is either useless or a result that depends on what ran
//! before in the same load. Constants are fine; so is everything at the top level of a script body, which runs once per call.

use swc_core::common::Span;
use swc_core::ecma::ast::{Expr, Module, ModuleItem, Stmt, VarDecl, VarDeclKind, VarDeclarator};

use super::rule::{Edit, Findings, Guards, Rule};
use crate::diagnostics::diagnostic::Severity;
use crate::rule_context::entry::Entry;
use crate::rule_context::rule_context::RuleContext;
use crate::syntax::expr::plain;
use crate::syntax::names::{Binding, BindingKind, ChangeKind, Scope};

pub(crate) const RULE: Rule =
    Rule { id: "no-module-state", standard: Some(4), severity: Severity::Error, guards: Guards::Quality, check };

const HELP: &str = "Move it into the function, or take it as an argument and return the new value. Nothing at module level survives to the next run.";

fn check(context: &RuleContext<'_>, findings: &mut Findings) {
    for (name, change) in &context.names.global_changes {
        let is_commonjs = matches!(name.as_str(), "module" | "exports");
        let is_own = change.kind != ChangeKind::Assigned && name == "args";
        if !is_commonjs && !is_own && change.kind != ChangeKind::Called {
            let message = format!("'{name}' is global and is changed here");
            findings.add(change.span, message, HELP);
        }
    }
    if matches!(context.entry, Entry::Script | Entry::Nothing) {
        return;
    }
    let mut states: Vec<(Span, String)> = Vec::new();
    for (name, binding) in context.names.iter() {
        if let Some(span) = state_of(binding) {
            states.push((span, format!("'{name}' is state at module level")));
        }
    }
    states.sort_by_key(|(span, _)| span.lo);
    for (span, message) in states {
        findings.add(span, message, HELP);
    }
    for declaration in top_level_lets(context.module) {
        suggest_const(context, declaration, findings);
    }
}

/// The span to report if a top-level binding is state: its declaration for a variable that changes, else the change.
fn state_of(binding: &Binding) -> Option<Span> {
    if binding.scope != Scope::TopLevel {
        return None;
    }
    match binding.kind {
        BindingKind::Let | BindingKind::Var => {
            let changed = binding.changes.iter().any(|change| match change.kind {
                ChangeKind::Assigned => true,
                ChangeKind::Mutated => change.scope == Scope::Function,
                ChangeKind::Called => change.scope == Scope::Function && holds_collection(binding),
            });
            changed.then_some(binding.span)
        }
        BindingKind::Const | BindingKind::Import | BindingKind::Class | BindingKind::Function | BindingKind::Enum => {
            let counts = |kind: ChangeKind| kind != ChangeKind::Called || holds_collection(binding);
            let state = binding.changes.iter().find(|change| change.scope == Scope::Function && counts(change.kind));
            state.map(|change| change.span)
        }
        BindingKind::Parameter => None,
    }
}

/// Whether a method named `set` or `add` changes this value. A method of an imported module does not.
fn holds_collection(binding: &Binding) -> bool {
    binding
        .init
        .as_deref()
        .map(plain)
        .is_some_and(|init| matches!(init, Expr::New(_) | Expr::Array(_) | Expr::Object(_)))
}

fn top_level_lets(module: &Module) -> impl Iterator<Item = &VarDecl> {
    module.body.iter().filter_map(|item| match item {
        ModuleItem::Stmt(Stmt::Decl(declaration)) => declaration.as_var().map(|variables| &**variables),
        ModuleItem::Stmt(_) | ModuleItem::ModuleDecl(_) => None,
    })
}

/// Suggests `const`, with a fix, for a `let` or `var` that never changes.
fn suggest_const(context: &RuleContext<'_>, declaration: &VarDecl, findings: &mut Findings) {
    let word = match declaration.kind {
        VarDeclKind::Let | VarDeclKind::Var => declaration.kind.as_str(),
        VarDeclKind::Const => return,
    };
    let is_constant = |variable: &VarDeclarator| {
        variable.init.is_some()
            && variable
                .name
                .as_ident()
                .and_then(|name| context.names.get(&name.id))
                .is_some_and(|binding| binding.changes.is_empty())
    };
    if declaration.declare || !declaration.decls.iter().all(is_constant) {
        return;
    }
    let length = u32::try_from(word.len()).unwrap_or(0);
    let span = Span::new(declaration.span.lo, declaration.span.lo + swc_core::common::BytePos(length));
    findings.add_fixable(
        span,
        format!("A variable at module level is declared with '{word}'"),
        "It never changes: write `const`.",
        Edit { span, text: "const".to_owned() },
    );
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::table::{check, run};

    #[test]
    fn table() {
        check(
            &RULE,
            &[
                "const UNITS = { km: 1000 }; export default (n: number) => n * UNITS.km",
                "export default (n: number[]) => { let sum = 0; n.forEach((x) => { sum += x }); return sum }",
                "export default (n: number[]) => { const seen = new Map<number, number>(); n.forEach((x) => seen.set(x, x)); return seen.size }",
                "let total = 0; total += args.n; return total",
                "const list = [1, 2]; list.push(3); export default () => list",
                "module.exports = (n: number) => n",
                "exports.a = 1; exports.b = 2",
                "const cache = 1; export default (cache: number[]) => { cache.push(1); return cache }",
                "enum Color { Red } export default () => Color.Red",
                "import * as math from './math'; export default (n: number) => math.add(n, n)",
                "const math = require('./math'); export default (n: number) => math.set(n)",
            ],
            &[
                ("let counter = 0; export default () => { counter += 1; return counter }", "counter"),
                (
                    "var last: string; export default (s: string) => { const before = last; last = s; return before }",
                    "last",
                ),
                (
                    "const cache = new Map<string, number>(); export default (k: string) => { cache.set(k, 1); return cache.get(k) }",
                    "cache.set",
                ),
                ("const seen: string[] = []; export default (k: string) => { seen.push(k); return seen }", "seen.push"),
                (
                    "const memo: Record<string, number> = {}; export default (k: string) => { memo[k] = 1; return memo[k] }",
                    "memo[k]",
                ),
                ("export default (n: number) => { globalThis.last = n; return n }", "globalThis.last"),
                (
                    "Array.prototype.sum = function () { return 1 }; export default () => [1].length",
                    "Array.prototype.sum",
                ),
                ("class C { static n = 0 } export default () => { C.n++; return C.n }", "C.n++"),
                (
                    "import config from './config'; export default (n: number) => { config.n = n; return config }",
                    "config.n",
                ),
                ("const state = { n: 0 }; export default () => Object.assign(state, { n: 1 })", "Object.assign"),
                ("const s = { n: 0 }; export default () => { delete s.n; return s }", "delete s.n"),
            ],
        );
    }

    #[test]
    fn a_let_that_never_changes_becomes_a_const() {
        let found = run(&RULE, "let size = 10; export default (n: number) => n * size");
        assert_eq!(found[0].0, "let");
        assert_eq!(found[0].1.edit.as_ref().map(|edit| edit.text.as_str()), Some("const"));
    }
}
