/** Exported names of js/ have comments. */

import { withoutTemplates } from './js_source.js';

/** An exported declaration at the beginning of a line. */
const EXPORT =
  /^export (?:declare )?(?:default )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|type|interface|enum) (\w+)/;
/** Between a comment and what it describes. */
const BETWEEN = /^\s*(?:\/\/ biome-ignore|@\w)/;
/** Written by scripts, and by the tests of Rust. */
const GENERATED = /^\/\*\*? Made (?:by scripts\/|from the Rust types )/;

/** @param {string} name of a file or of an export */
const lettersOf = (name) => name.replaceAll('_', '').toLowerCase();

/**
 * The exported names without a comment. The comment at the top of a file describes its main item, which is its only export or the
 * one that the file is named for.
 * @param {import('./source_tree.js').SourceFile} file
 */
export function bareExports({ path, text }) {
  const lines = withoutTemplates(text).split('\n');
  const found = lines.flatMap((line, number) => {
    const name = EXPORT.exec(line)?.[1];
    return name === undefined ? [] : [{ name, number }];
  });
  // Of overloads, the first one has the comment.
  const exports = found.filter(({ name }, index) => name !== found[index - 1]?.name);
  const fileName = lettersOf(path.replace(/^.*\/|\.ts$/g, ''));
  return exports
    .filter(({ name, number }) => {
      let above = number - 1;
      while (BETWEEN.test(lines[above] ?? '')) above -= 1;
      const hasOwn = /\*\/\s*$/.test(lines[above] ?? '');
      return !hasOwn && (!text.startsWith('/**') || (exports.length > 1 && lettersOf(name) !== fileName));
    })
    .map(({ name }) => name);
}

/** @type {import('./architecture_rules.js').Rule[]} */
export const EXPORT_RULES = [
  {
    name: 'exported names of js/ have a comment',
    check: ({ path, text }) =>
      /^js\/.*\.ts$/.test(path) && !GENERATED.test(text)
        ? bareExports({ path, text }).map((name) => `${name} has no comment`)
        : [],
    broken: [
      { path: 'js/sql/rules.ts', text: "import { z } from 'zod';\n\nexport class SqlRules {}" },
      { path: 'js/sql/rules.ts', text: '/** The rules. */\n\nexport const A = 1;\n\nexport async function of() {}' },
      { path: 'js/sql/rules.ts', text: '/** The rules. */\n\nexport const A = 1;\nexport type Rules = string;' },
      { path: 'js/sql/rules.ts', text: '/** Rules. */\n\n/** A. */\nexport const A = 1;\nexport const B = 2;' },
    ],
    kept: [
      { path: 'js/sql/rules.ts', text: '/** The rules. */\n\nexport class SqlRules {}' },
      {
        path: 'js/sql/sql_rules.ts',
        text: '/** The rules. */\n\n/** A. */\nexport const A = 1;\nexport class SqlRules {}',
      },
      {
        path: 'js/sql/a.ts',
        text: '/** A. */\n\n/** B. */\n// biome-ignore lint/a: b\nexport let b = 1;\nexport { c };',
      },
      { path: 'js/cli/a.ts', text: '/** A. */\n\nconst text = `\nexport const a = 1;\nexport const b = 2;\n`;' },
      {
        path: 'js/boundary/limits.ts',
        text: '/** Made by scripts/limits.mjs. */\n\nexport const A = 1;\nexport const B = 2;',
      },
    ],
  },
];
