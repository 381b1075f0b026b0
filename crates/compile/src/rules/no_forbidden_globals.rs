//! Globals that the sandbox does not have. The list is an allow-list, as the sandbox's own is: a name that neither the
//! source nor the sandbox declares is reported before a run finds out.

use swc_core::common::{Span, Spanned};
use swc_core::ecma::ast::{Expr, Id, Ident, MemberExpr, Prop, SimpleAssignTarget, TsEnumDecl};
use swc_core::ecma::visit::{Visit, VisitWith, noop_visit_type};

use super::rule::{Findings, Guards, Rule};
use crate::diagnostics::diagnostic::Severity;
use crate::imports::import_target::ImportTarget;
use crate::rule_context::rule_context::RuleContext;
use crate::syntax::expr::{global_name, member_name};

pub(crate) const RULE: Rule =
    Rule { id: "no-forbidden-globals", standard: Some(4), severity: Severity::Error, guards: Guards::Quality, check };

/// Globals of the sandbox, apart from the ECMAScript library below.
const SANDBOX: [&str; 61] = [
    "args",
    "tgp",
    "console",
    "require",
    "module",
    "exports",
    "__filename",
    "__dirname",
    "URL",
    "URLPattern",
    "URLSearchParams",
    "TextEncoder",
    "TextDecoder",
    "atob",
    "btoa",
    "structuredClone",
    "queueMicrotask",
    "setTimeout",
    "clearTimeout",
    "setInterval",
    "clearInterval",
    "AbortController",
    "AbortSignal",
    "crypto",
    "fetch",
    "globalThis",
    "Blob",
    "ByteLengthQueuingStrategy",
    "CompressionStream",
    "CountQueuingStrategy",
    "Crypto",
    "CryptoKey",
    "CustomEvent",
    "DOMException",
    "DecompressionStream",
    "Event",
    "EventTarget",
    "File",
    "FormData",
    "Headers",
    "Performance",
    "PerformanceEntry",
    "PerformanceMark",
    "PerformanceMeasure",
    "ReadableByteStreamController",
    "ReadableStream",
    "ReadableStreamBYOBReader",
    "ReadableStreamBYOBRequest",
    "ReadableStreamDefaultController",
    "ReadableStreamDefaultReader",
    "Request",
    "Response",
    "SubtleCrypto",
    "TextDecoderStream",
    "TextEncoderStream",
    "TransformStream",
    "TransformStreamDefaultController",
    "WritableStream",
    "WritableStreamDefaultController",
    "WritableStreamDefaultWriter",
    "performance",
];

const LIBRARY: [&str; 63] = [
    "AggregateError",
    "Array",
    "ArrayBuffer",
    "AsyncDisposableStack",
    "AsyncIterator",
    "BigInt",
    "BigInt64Array",
    "BigUint64Array",
    "Boolean",
    "DataView",
    "Date",
    "DisposableStack",
    "Error",
    "EvalError",
    "FinalizationRegistry",
    "Float16Array",
    "Float32Array",
    "Float64Array",
    "Infinity",
    "Int16Array",
    "Int32Array",
    "Int8Array",
    "Intl",
    "Iterator",
    "JSON",
    "Map",
    "Math",
    "NaN",
    "Number",
    "Object",
    "Promise",
    "Proxy",
    "RangeError",
    "ReferenceError",
    "Reflect",
    "RegExp",
    "Set",
    "String",
    "SuppressedError",
    "Symbol",
    "SyntaxError",
    "Temporal",
    "TypeError",
    "URIError",
    "Uint16Array",
    "Uint32Array",
    "Uint8Array",
    "Uint8ClampedArray",
    "WeakMap",
    "WeakRef",
    "WeakSet",
    "arguments",
    "decodeURI",
    "decodeURIComponent",
    "encodeURI",
    "encodeURIComponent",
    "escape",
    "isFinite",
    "isNaN",
    "parseFloat",
    "parseInt",
    "undefined",
    "unescape",
];

/// Reported by `no-dynamic-code`.
const DYNAMIC: [&str; 2] = ["eval", "Function"];

/// Globals of other environments that the sandbox omits, and their replacement.
const ABSENT: [(&str, &str); 25] = [
    (
        "process",
        "A tool has no environment, and ends by returning or throwing. Take settings as arguments; for a key or password write {{secret:NAME}} where it belongs in the request, with a NAME that the application has bound (`secrets: { NAME: { hosts } }` in its config).",
    ),
    ("Buffer", "Use Uint8Array with TextEncoder and TextDecoder, or atob and btoa."),
    ("global", "Use arguments and return values; nothing is kept between runs."),
    ("window", "There is no browser; take what is needed from the arguments."),
    ("self", "There is no worker; take what is needed from the arguments."),
    ("document", "There is no DOM; parse text with string functions."),
    ("navigator", "There is no browser; take what is needed from the arguments."),
    ("location", "There is no page; take the address as an argument."),
    ("localStorage", "Nothing is kept between runs; return the value instead."),
    ("sessionStorage", "Nothing is kept between runs; return the value instead."),
    ("indexedDB", "Use tgp.exec_sql(sql, params)."),
    ("XMLHttpRequest", "Use tgp.fetch(url, init)."),
    ("WebSocket", "Use tgp.fetch(url, init)."),
    ("EventSource", "Use tgp.fetch(url, init)."),
    ("Worker", "Use Promise.all with tgp.exec_tool(path, args)."),
    ("importScripts", "Import another tool by a relative path."),
    ("WebAssembly", "Write the computation in TypeScript."),
    ("SharedArrayBuffer", "Use an ArrayBuffer; a run has one thread."),
    ("Atomics", "A run has one thread; plain variables are enough."),
    ("setImmediate", "Use queueMicrotask or setTimeout(f, 0)."),
    ("fs", "Use tgp.read_file(path) and tgp.list_files(dir)."),
    ("Deno", "Use the functions of `tgp`."),
    ("Bun", "Use the functions of `tgp`."),
    ("alert", "Return the text, or log it with console.log."),
    ("prompt", "Take the value as an argument."),
];

const DECLARE: &str = "Declare or import it, or correct its spelling. The sandbox has the ECMAScript library, `args`, `tgp`, `console`, `fetch`, URL, timers and little else.";

/// Functions of tests that other runners have as globals.
const TEST_FUNCTIONS: [&str; 11] = [
    "describe",
    "test",
    "it",
    "expect",
    "beforeAll",
    "afterAll",
    "beforeEach",
    "afterEach",
    "mockHost",
    "setNow",
    "setSeed",
];
const IMPORT_TEST_FUNCTIONS: &str =
    "Tests import their functions: `import { describe, test, expect } from '@tgp/std/test';`.";
/// The objects of vitest and jest.
const RUNNERS: [&str; 2] = ["vi", "jest"];
const IMPORT_FAKES: &str = "Tests import their fakes: `import { fn, spyOn, mockHost } from '@tgp/std/test';`.";

/// Functions of `tgp` that are called as if they were globals.
const OF_TGP: [(&str, &str); 6] = [
    ("exec_sql", "It is a function of tgp: call tgp.exec_sql(sql, params)."),
    ("exec_tool", "It is a function of tgp: call tgp.exec_tool(path, args)."),
    ("read_file", "It is a function of tgp: call tgp.read_file(path)."),
    ("list_files", "It is a function of tgp: call tgp.list_files(dir)."),
    ("write_file", "It is a function of tgp: call tgp.write_file(path, text)."),
    ("log", "It is a function of tgp: call tgp.log(…), or console.log(…)."),
];

/// What to use instead of a global that tools do not have.
pub fn instead_of_global(name: &str) -> Option<&'static str> {
    if TEST_FUNCTIONS.contains(&name) {
        return Some(IMPORT_TEST_FUNCTIONS);
    }
    if RUNNERS.contains(&name) {
        return Some(IMPORT_FAKES);
    }
    absent_global(name).or_else(|| OF_TGP.iter().find(|(member, _)| *member == name).map(|(_, help)| *help))
}

fn absent_global(name: &str) -> Option<&'static str> {
    ABSENT.iter().find(|(absent, _)| *absent == name).map(|(_, help)| *help)
}

fn check(context: &RuleContext<'_>, findings: &mut Findings) {
    context.module.visit_with(&mut Visitor { context, findings, enclosing_enum: None });
}

struct Visitor<'a> {
    context: &'a RuleContext<'a>,
    findings: &'a mut Findings,
    enclosing_enum: Option<Id>,
}

impl Visitor<'_> {
    fn check_global(&mut self, name: &str, span: Span) {
        if name == "Buffer" && ImportTarget::new(self.context.path, "buffer", self.context.allowed_imports).is_some() {
            return;
        }
        if let Some(help) = absent_global(name) {
            let also = if name == "process" { ": Direct access to 'process' is prohibited" } else { "" };
            self.findings.add(span, format!("Global '{name}' is forbidden{also}"), help);
        } else if !SANDBOX.contains(&name) && !LIBRARY.contains(&name) && !DYNAMIC.contains(&name) {
            let help = instead_of_global(name).unwrap_or(DECLARE);
            self.findings.add(span, format!("'{name}' is not defined"), help);
        }
    }

    /// Whether the name is a member of the enum whose initial values are being checked.
    fn is_enum_member(&self, name: &Ident) -> bool {
        let members = self.enclosing_enum.as_ref().and_then(|enclosing| self.context.names.enum_members.get(enclosing));
        members.is_some_and(|members| members.contains(&name.sym))
    }

    fn check_name(&mut self, name: &Ident) {
        if self.context.names.is_global(name) && !self.is_enum_member(name) {
            self.check_global(&name.sym, name.span);
        }
    }
}

impl Visit for Visitor<'_> {
    // A type does not exist at run time.
    noop_visit_type!();

    fn visit_expr(&mut self, node: &Expr) {
        if let Expr::Ident(name) = node {
            self.check_name(name);
        }
        node.visit_children_with(self);
    }

    fn visit_prop(&mut self, node: &Prop) {
        if let Prop::Shorthand(name) = node {
            self.check_name(name);
        }
        node.visit_children_with(self);
    }

    fn visit_simple_assign_target(&mut self, node: &SimpleAssignTarget) {
        if let SimpleAssignTarget::Ident(name) = node {
            self.check_name(&name.id);
        }
        node.visit_children_with(self);
    }

    fn visit_ts_enum_decl(&mut self, node: &TsEnumDecl) {
        let outer = self.enclosing_enum.replace(node.id.to_id());
        node.members.visit_with(self);
        self.enclosing_enum = outer;
    }

    fn visit_member_expr(&mut self, node: &MemberExpr) {
        if global_name(&node.obj, self.context.names.unresolved) == Some("globalThis")
            && let Some(name) = member_name(&node.prop)
            && ABSENT.iter().any(|(absent, _)| *absent == name)
        {
            // The same position as in the type checker, so that it is reported once.
            self.check_global(&name, node.prop.span());
        }
        node.visit_children_with(self);
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::table::check;

    #[test]
    fn table() {
        check(
            &RULE,
            &[
                "export default (process: { steps: string[] }) => process.steps",
                "const process = (n: number) => n; export default process",
                "export default (a: { process: number; window: number }) => a.process + a.window",
                "// process.exit()\nexport default () => 'process'",
                "type Partialish<T> = { [K in keyof T]?: T[K] }; export default (a: Partialish<{ b: number }>) => a.b",
                "export default (u: string) => new URL(u).searchParams.get('q')",
                "import Buffer from './buffer'; export default () => new Buffer()",
                "enum Level { Low } export default () => Level.Low",
                "return Object.keys(args).length",
                "export default function f(n: number): number { return n < 1 ? 0 : f(n - 1) }",
                "namespace N { export const a = 1 } export default () => N.a",
                "namespace N { export const a = 1 } namespace N { export const b = a } export default () => N.b",
                "import b = N.a; namespace N { export const a = 1 } export default () => b",
                "enum Flag { Read = 1, Write = Read << 1, 'All' = Read | Write } export default () => Flag.All",
                "enum E { A = 1 } enum E { B = A } export default () => E.B",
                "class Bag implements Iterable<number>, PromiseLike<Document> {} export default () => new Bag()",
                "interface Handle extends Disposable, globalThis.Disposable { close: typeof process } export default (h: Handle) => h.close",
            ],
            &[
                ("export default () => process.exit()", "Global 'process' is forbidden"),
                ("export default () => process.env.KEY", "Global 'process' is forbidden"),
                ("export default () => globalThis.process", "Global 'process' is forbidden"),
                ("export default () => globalThis.process.env.KEY", "process"),
                ("export default () => globalThis['process']", "Global 'process' is forbidden"),
                ("export default () => ({ process })", "Global 'process' is forbidden"),
                ("export default (t: string) => Buffer.from(t).toString('base64')", "Global 'Buffer' is forbidden"),
                ("export default () => new SharedArrayBuffer(1)", "Global 'SharedArrayBuffer' is forbidden"),
                ("export default () => window.location", "Global 'window' is forbidden"),
                ("export default () => lodash.sum([1])", "'lodash' is not defined"),
                ("export default (n: number) => nn + 1", "'nn' is not defined"),
                ("export default () => exec_sql('SELECT 1')", "'exec_sql' is not defined"),
                ("export default () => { total = 1; return total }", "'total' is not defined"),
                ("enum E { A = B } enum F { B = 1 } export default () => E.A + F.B", "'B' is not defined"),
                ("enum E { A } namespace E { export const b = A } export default () => E.b", "'A' is not defined"),
                (
                    "namespace N { const a = 1 } namespace N { export const b = a } export default () => N.b",
                    "'a' is not defined",
                ),
            ],
        );
    }
}
