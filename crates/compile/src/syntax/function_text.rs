//! The source text of a function or class. V8 has only the compiled text.

use swc_core::common::{BytePos, Span};
use swc_core::ecma::ast::{ArrowExpr, Class, ClassMethod, Function, GetterProp, Module, PrivateMethod, SetterProp};
use swc_core::ecma::visit::{Visit, VisitWith, noop_visit_type};

use crate::positions::source_index::FIRST_POS;

/// The kind of definition to find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Callable {
    Function,
    Class,
}

/// The text of the innermost definition of the wanted kind around a position.
pub(crate) fn enclosing_text(module: &Module, source: &str, at: BytePos, wanted: Callable) -> Option<String> {
    let mut visitor = EnclosingFinder { at, wanted, found: None };
    module.visit_with(&mut visitor);
    let Enclosing { span, start, is_static } = visitor.found?;
    let start = start.0.checked_sub(FIRST_POS.0)? as usize;
    let end = span.hi.0.checked_sub(FIRST_POS.0)? as usize;
    let text = source.get(start..end)?.trim_start();
    let text = if is_static { text.strip_prefix("static").map_or(text, str::trim_start) } else { text };
    Some(text.to_owned())
}

struct EnclosingFinder {
    at: BytePos,
    wanted: Callable,
    found: Option<Enclosing>,
}

/// A definition around the position, and the start of its text: decorators and `static` do not belong to a method.
#[derive(Clone, Copy)]
struct Enclosing {
    span: Span,
    start: BytePos,
    is_static: bool,
}

impl EnclosingFinder {
    fn note(&mut self, span: Span, is: Callable) {
        self.take(Enclosing { span, start: span.lo, is_static: false }, is);
    }

    fn note_method(&mut self, span: Span, function: &Function, is_static: bool) {
        let start = function.decorators.last().map_or(span.lo, |decorator| decorator.span.hi);
        self.take(Enclosing { span, start, is_static }, Callable::Function);
    }

    fn take(&mut self, outer: Enclosing, is: Callable) {
        let span = outer.span;
        let is_around = span.lo <= self.at && self.at < span.hi;
        let is_inner =
            self.found.is_none_or(|Enclosing { span: found, .. }| found.lo <= span.lo && span.hi <= found.hi);
        if is == self.wanted && is_around && is_inner {
            self.found = Some(outer);
        }
    }
}

impl Visit for EnclosingFinder {
    noop_visit_type!();

    fn visit_function(&mut self, node: &Function) {
        self.note(node.span, Callable::Function);
        node.visit_children_with(self);
    }

    fn visit_arrow_expr(&mut self, node: &ArrowExpr) {
        self.note(node.span, Callable::Function);
        node.visit_children_with(self);
    }

    fn visit_class_method(&mut self, node: &ClassMethod) {
        self.note_method(node.span, &node.function, node.is_static);
        // The span of `function` is not the whole method, so only its children are visited.
        node.key.visit_with(self);
        node.function.visit_children_with(self);
    }

    fn visit_private_method(&mut self, node: &PrivateMethod) {
        self.note_method(node.span, &node.function, node.is_static);
        // The span of `function` is not the whole method, so only its children are visited.
        node.key.visit_with(self);
        node.function.visit_children_with(self);
    }

    fn visit_getter_prop(&mut self, node: &GetterProp) {
        self.note(node.span, Callable::Function);
        node.key.visit_with(self);
        node.function.visit_children_with(self);
    }

    fn visit_setter_prop(&mut self, node: &SetterProp) {
        self.note(node.span, Callable::Function);
        node.key.visit_with(self);
        node.function.visit_children_with(self);
    }

    fn visit_class(&mut self, node: &Class) {
        self.note(node.span, Callable::Class);
        node.visit_children_with(self);
    }
}

#[cfg(test)]
mod tests {
    use super::Callable;
    use crate::Compiler;

    #[test]
    fn finds_the_innermost_definition_around_a_position() {
        let source = "export default function  f ( a: number ) { return [ x=>x, class  A { static async  m ( ) { } get y ( ) { return 1 } } ] }\nconst o = { * g ( ) { } , k : async  function ( ) { } , static (w) { } };\nclass B { @d(1) @e static\n  n ( ) { } }";
        let compiler = Compiler::new();
        let text = |sign: &str, wanted| {
            let (line, column) =
                source.lines().enumerate().find_map(|(line, text)| Some((line, text.find(sign)?))).unwrap();
            let at = (u32::try_from(line).unwrap() + 1, u32::try_from(column).unwrap() + 1);
            compiler.function_text("a.ts", source, at, wanted)
        };
        for (sign, wanted, expected) in [
            (
                "f (",
                Callable::Function,
                "function  f ( a: number ) { return [ x=>x, class  A { static async  m ( ) { } get y ( ) { return 1 } } ] }",
            ),
            ("x=>x", Callable::Function, "x=>x"),
            ("m (", Callable::Function, "async  m ( ) { }"),
            ("y (", Callable::Function, "get y ( ) { return 1 }"),
            ("m (", Callable::Class, "class  A { static async  m ( ) { } get y ( ) { return 1 } }"),
            ("g (", Callable::Function, "* g ( ) { }"),
            ("static (w", Callable::Function, "static (w) { }"),
            ("n ( ) { } }", Callable::Function, "n ( ) { }"),
            ("async  function", Callable::Function, "async  function ( ) { }"),
        ] {
            assert_eq!(text(sign, wanted).as_deref(), Some(expected), "{sign}");
        }
        assert_eq!(text("const o", Callable::Function), None);
    }
}
