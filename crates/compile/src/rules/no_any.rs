//! `any` switches the type checker off exactly where a tool meets foreign data. `Promise.any`, a property called `any` and the
//! word in a comment are not types and are accepted.

use swc_core::common::Span;
use swc_core::ecma::ast::{CatchClause, Pat, TsKeywordType, TsKeywordTypeKind};
use swc_core::ecma::visit::{Visit, VisitWith};

use super::rule::{Edit, Findings, Guards, Rule};
use crate::diagnostics::diagnostic::Severity;
use crate::rule_context::rule_context::RuleContext;

pub(crate) const RULE: Rule =
    Rule { id: "no-any", standard: Some(3), severity: Severity::Error, guards: Guards::Quality, check };

const MESSAGE: &str = "Usage of 'any' is prohibited";
const HELP: &str = "Write the shape that you expect, such as `{ id: string; total: number }`; for data that you do not know yet write `unknown` and narrow it with typeof, Array.isArray or `in`.";

fn check(context: &RuleContext<'_>, findings: &mut Findings) {
    context.module.visit_with(&mut Visitor { findings, caught: Vec::new() });
}

struct Visitor<'a> {
    findings: &'a mut Findings,
    /// Types of caught values, for which `unknown` is always right.
    caught: Vec<Span>,
}

impl Visit for Visitor<'_> {
    fn visit_catch_clause(&mut self, node: &CatchClause) {
        if let Some(Pat::Ident(name)) = &node.param
            && let Some(annotation) = &name.type_ann
        {
            use swc_core::common::Spanned;
            self.caught.push(annotation.type_ann.span());
        }
        node.visit_children_with(self);
    }

    fn visit_ts_keyword_type(&mut self, node: &TsKeywordType) {
        if node.kind != TsKeywordTypeKind::TsAnyKeyword {
            return;
        }
        if self.caught.contains(&node.span) {
            self.findings.add_fixable(node.span, MESSAGE, HELP, Edit { span: node.span, text: "unknown".to_owned() });
        } else {
            self.findings.add(node.span, MESSAGE, HELP);
        }
    }
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
                "export default (a: { any: number }) => a.any",
                "// any\nexport default (jobs: Promise<number>[]) => Promise.any(jobs)",
                "const any = 1; export default () => any",
                "export default (text: string) => text + ' any '",
                "export default (value: unknown) => typeof value",
            ],
            &[
                ("export default (a: any) => a", "any"),
                ("export default (a: unknown) => (a as any).b", "any"),
                ("type Row = Record<string, any>; export default (r: Row) => r", "any"),
                ("export default (a: Array<any>[]): Promise<number> => Promise.resolve(a.length)", "any"),
                ("function f<T = any>(x: T) { return x } export default f", "any"),
                ("const rows = <any>args; return rows", "any"),
            ],
        );
    }

    #[test]
    fn any_in_a_catch_clause_has_a_fix() {
        let found = run(&RULE, "export default () => { try { return 1 } catch (e: any) { return String(e) } }");
        assert_eq!(found[0].1.edit.as_ref().map(|edit| edit.text.as_str()), Some("unknown"));
    }
}
