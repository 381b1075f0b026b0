//! Detects declarations that clash with the parameters of the compiled function.

use swc_core::ecma::ast::{BindingIdent, Decl, Module, ModuleItem, Stmt, VarDeclKind};
use swc_core::ecma::visit::{Visit, VisitWith};

/// The parameters of every compiled body, in order.
const PARAMETERS: [&str; 5] = ["exports", "require", "module", "__filename", "__dirname"];

/// Whether the body must be wrapped in a block: `const module = 1` beside a parameter `module` is an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyScope {
    Function,
    Block,
}

impl BodyScope {
    /// Determines the scope. All names of the tree must be final.
    pub(crate) fn of(module: &Module) -> Self {
        let clashes = module.body.iter().any(|item| match item {
            ModuleItem::Stmt(Stmt::Decl(declaration)) => declares_parameter(declaration),
            ModuleItem::Stmt(_) | ModuleItem::ModuleDecl(_) => false,
        });
        if clashes { Self::Block } else { Self::Function }
    }
}

fn declares_parameter(declaration: &Decl) -> bool {
    match declaration {
        Decl::Class(class) => PARAMETERS.contains(&&*class.ident.sym),
        Decl::Var(variables) => match variables.kind {
            VarDeclKind::Let | VarDeclKind::Const => {
                variables.decls.iter().any(|variable| binds_parameter(&variable.name))
            }
            VarDeclKind::Var => false,
        },
        Decl::Using(using) => using.decls.iter().any(|variable| binds_parameter(&variable.name)),
        Decl::Fn(_) | Decl::TsInterface(_) | Decl::TsTypeAlias(_) | Decl::TsEnum(_) | Decl::TsModule(_) => false,
    }
}

fn binds_parameter<N: VisitWith<Bindings>>(pattern: &N) -> bool {
    let mut bindings = Bindings { clash: false };
    pattern.visit_with(&mut bindings);
    bindings.clash
}

struct Bindings {
    clash: bool,
}

impl Visit for Bindings {
    fn visit_binding_ident(&mut self, node: &BindingIdent) {
        self.clash |= PARAMETERS.contains(&&*node.id.sym);
    }
}
