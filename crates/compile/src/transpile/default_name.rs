//! Names an anonymous default export `default`, as in a module: in `name` and in stacks. The CommonJS transform would name it
//! after its own variable.

use swc_core::common::util::take::Take;
use swc_core::common::{DUMMY_SP, Mark, SyntaxContext};
use swc_core::ecma::ast::{
    CallExpr, Callee, ClassExpr, DefaultDecl, ExportDefaultExpr, Expr, ExprStmt, Ident, IdentName, KeyValueProp, Lit,
    MemberExpr, MemberProp, ModuleDecl, ModuleItem, ObjectLit, Program, Prop, PropName, PropOrSpread, Stmt,
};

use super::import_assignments::is_directive;
use crate::imports::module_exports::DEFAULT;

/// Must run before the CommonJS transform. `unresolved` is the syntax context of globals.
pub(super) fn name_default_export(program: &mut Program, unresolved: SyntaxContext) {
    let Program::Module(module) = program else { return };
    let mut naming = None;
    for item in &mut module.body {
        let ModuleItem::ModuleDecl(declaration) = item else { continue };
        if let ModuleDecl::ExportDefaultExpr(export) = declaration
            && is_anonymous(&export.expr)
        {
            *export.expr = named(export.expr.take());
        } else if let ModuleDecl::ExportDefaultDecl(export) = declaration {
            match &mut export.decl {
                DefaultDecl::Class(class) if class.ident.is_none() => {
                    let class = Expr::Class(ClassExpr { ident: None, class: class.class.take() });
                    let expr = Box::new(named(Box::new(class)));
                    *declaration = ModuleDecl::ExportDefaultExpr(ExportDefaultExpr { span: export.span, expr });
                }
                // It stays a declaration, because it is hoisted.
                DefaultDecl::Fn(function) if function.ident.is_none() => {
                    let generated = SyntaxContext::empty().apply_mark(Mark::new());
                    let name = Ident::new("_default".into(), DUMMY_SP, generated);
                    naming = Some(naming_statement(name.clone(), unresolved));
                    function.ident = Some(name);
                }
                DefaultDecl::Class(_) | DefaultDecl::Fn(_) | DefaultDecl::TsInterfaceDecl(_) => {}
            }
        }
    }
    if let Some(statement) = naming {
        let place = module.body.iter().take_while(|item| is_directive(item)).count();
        module.body.insert(place, ModuleItem::Stmt(statement));
    }
}

fn is_anonymous(expr: &Expr) -> bool {
    if let Expr::Paren(inner) = expr {
        return is_anonymous(&inner.expr);
    }
    expr.is_arrow()
        || expr.as_fn_expr().is_some_and(|function| function.ident.is_none())
        || expr.as_class().is_some_and(|class| class.ident.is_none())
}

/// `{ default: value }.default`
fn named(value: Box<Expr>) -> Expr {
    let key = PropName::Ident(IdentName::new(DEFAULT.into(), DUMMY_SP));
    let prop = PropOrSpread::Prop(Box::new(Prop::KeyValue(KeyValueProp { key, value })));
    let obj = Box::new(Expr::Object(ObjectLit { span: DUMMY_SP, props: vec![prop] }));
    member(obj, DEFAULT)
}

/// `Object.defineProperty(name, "name", { value: "default", configurable: true })`
fn naming_statement(name: Ident, unresolved: SyntaxContext) -> Stmt {
    let object = Box::new(Expr::Ident(Ident::new("Object".into(), DUMMY_SP, unresolved)));
    let property = |key: &str, value: Lit| {
        let key = PropName::Ident(IdentName::new(key.into(), DUMMY_SP));
        PropOrSpread::Prop(Box::new(Prop::KeyValue(KeyValueProp { key, value: Box::new(Expr::Lit(value)) })))
    };
    let props = vec![property("value", Lit::Str(DEFAULT.into())), property("configurable", Lit::Bool(true.into()))];
    let descriptor = Expr::Object(ObjectLit { span: DUMMY_SP, props });
    let args = [Expr::Ident(name), Expr::Lit(Lit::Str("name".into())), descriptor];
    let call = CallExpr {
        callee: Callee::Expr(Box::new(member(object, "defineProperty"))),
        args: args.into_iter().map(|expr| Box::new(expr).into()).collect(),
        ..CallExpr::default()
    };
    Stmt::Expr(ExprStmt { span: DUMMY_SP, expr: Box::new(Expr::Call(call)) })
}

fn member(obj: Box<Expr>, name: &str) -> Expr {
    let prop = MemberProp::Ident(IdentName::new(name.into(), DUMMY_SP));
    Expr::Member(MemberExpr { span: DUMMY_SP, obj, prop })
}
