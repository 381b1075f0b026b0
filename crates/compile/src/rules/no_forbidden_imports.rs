//! A tool may import other tools, JSON files and the packages that the configuration allows; nothing else exists in the
//! sandbox. Imports of types count: the type checker would open the file.

use super::rule::{Findings, Guards, Rule};
use crate::diagnostics::diagnostic::Severity;
use crate::imports::import_target::ImportTarget;
use crate::imports::restricted_import::restricted_import;
use crate::imports::specifiers::{directives, specifiers};
use crate::rule_context::rule_context::RuleContext;

pub(crate) const RULE: Rule =
    Rule { id: "no-forbidden-imports", standard: None, severity: Severity::Error, guards: Guards::Safety, check };

fn check(context: &RuleContext<'_>, findings: &mut Findings) {
    for (specifier, span) in specifiers(context.module, context.names.unresolved) {
        if ImportTarget::new(context.path, &specifier, context.allowed_imports).is_none() {
            let refusal = restricted_import(context.path, &specifier, context.allowed_imports);
            findings.add(span, refusal.message, refusal.help);
        }
    }
    for (name, span) in directives(&context.comments) {
        findings.add(span, format!("The reference to '{name}' is forbidden"), "Remove it and import what is needed.");
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
                "import { sum } from './lib/sum'; export default (n: number[]) => sum(n)",
                "import up from '../../data.json'; export default () => up",
                "import rates from '../rates.json'; import x from '/lib/x'; export default () => [rates, x]",
                "import { z } from 'zod'; import m from 'zod/mini'; import k from '@scope/kit'; export default () => [z, m, k]",
                "import { parse } from '@tgp/std/csv'; import std from '@tgp/std'; export default () => [parse, std]",
                "const require = (name: string) => name; export default () => require('fs')",
                "export default () => 'import fs from \"fs\"'",
            ],
            &[
                ("import fs from 'fs'; export default () => fs", "fs"),
                ("import fs from 'node:fs/promises'; export default () => fs", "node:fs/promises"),
                ("const cp = require('child_process'); export default () => cp", "child_process"),
                ("export default async () => import('axios')", "axios"),
                ("export * from 'lodash'", "lodash"),
                ("export { a } from 'zodiac'", "zodiac"),
                ("import x from '@scope/kit-other'; export default () => x", "@scope/kit-other"),
                ("import type { A } from 'secret-types'; export default (a: A) => a", "secret-types"),
                ("type K = import('/etc/key').K; export default (a: K) => a", "/etc/key"),
                ("import x from 'zod/../fs'; export default () => x", "zod/../fs"),
                ("import x from 'zod/node_modules/fs'; export default () => x", "zod/node_modules/fs"),
                ("import x from '@tgp/std/none'; export default () => x", "@tgp/std/none"),
                ("import fs = require('fs'); export default () => fs", "fs"),
                ("/// <reference path=\"../../../app/secret.ts\" />\nexport default () => 1", "../../../app/secret.ts"),
                ("import x from 'https://evil.example/x.js'; export default () => x", "https://evil.example"),
                ("import x from 'file:///etc/passwd'; export default () => x", "file:"),
                ("import x from '../../../app/secret'; export default () => x", "../../../app/secret"),
                ("import x from '/lib/../../app/secret'; export default () => x", "/lib/../../app/secret"),
                ("type K = typeof import('../../../app/secret').K; export default (a: K) => a", "../../../app/secret"),
            ],
        );
    }
}
