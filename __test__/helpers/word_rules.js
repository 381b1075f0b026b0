/** Words that messages, comments and documents must not use: CONTRIBUTING.md, section "Wording". */

import { isRustSource, isTestFile, withoutTests } from './rust_source.js';

/** Banned words, and replacements. @type {[RegExp, string][]} */
const BANNED = [
  [/\b(?:whoever|somebody|nobody)\b/i, 'name the actor: the caller, the owner, the approver, the worker'],
  [/\bmend(?:s|ed|ing)?\b/i, 'write "fix"'],
  [/\bpatience\b/i, 'write "timeout" or "deadline"'],
  [/\b(?:farewell|wish(?:es)?)\b/i, 'write "shutdown" or "request"'],
  [/\bcannot be meant\b/i, 'write "is not valid", and what is allowed'],
  [/\b(?:is|are) told\b/i, 'write "gets", "receives" or "is reported to"'],
  [/\b(?:is|are) no valid\b/i, 'write "is not valid"'],
];
/** The name of an algorithm, a value of the ledger's format, and an idiom. */
const ALLOWED = /\bpatience[ _]diff\b|(['"`])nobody\1|\btold apart\b/gi;
const PRODUCT = /^(?:src|crates|js|std|shims|sandbox|types|bin|examples)\/|^[^/]+$/;

/** Comments, and titles of tests; other texts of tests are data. */
const NARRATION = /^\s*(?:\/\/|\/?\*).*$|\b(?:describe|it|test)(?:\.\w+(?:\([^()]*\))?)*\(\s*(['"`]).*?\1/gm;

/** Text of Rust comments that may contain names of code: examples, code, links and quotations. */
const QUOTED = /```[\s\S]*?```|`[^`]*`|\[[^\]]*\](?:\([^)]*\))?|"[^"\n]*"|https?:\S+/g;
/** A name of code, `snake_case` or `CamelCase`. */
const NAME = /(?<![\w./@-])(?:[a-z]+(?:_[a-z0-9]+)+|(?:[A-Z][a-z]+){2,})(?!\w|[(/]|\.\w)/g;
const PROPER = /^(?:(?:Type|Java)Script|OpenTelemetry|Git(?:Hub|Lab)|DigitalOcean|RubyGems|WordPiece|ArrayBuffers)$/;

/**
 * The names of code in comments of Rust that are not in backticks: a rename has damaged the sentence.
 * @param {string} text
 */
function bareNames(text) {
  const comments = text.match(/^\s*\/\/.*$/gm)?.map((line) => line.replace(/^\s*\/\/[/!]?/, '')) ?? [];
  const names = comments.join('\n').replace(QUOTED, '').match(NAME) ?? [];
  return names.filter((name) => !PROPER.test(name)).map((name) => `"${name}": use a word, or backticks`);
}

/** @param {string} text of a test or its helper */
const narrationOf = (text) => text.match(NARRATION)?.join('\n') ?? '';

/**
 * @param {string} text
 * @returns {string[]} what to write in the place of each banned word
 */
export function bannedWords(text) {
  const rest = text.replace(ALLOWED, '');
  return BANNED.flatMap(([word, instead]) => {
    const found = word.exec(rest);
    return found === null ? [] : [`"${found[0]}": ${instead}`];
  });
}

/** @type {import('./architecture_rules.js').Rule[]} */
export const WORD_RULES = [
  {
    name: 'messages and comments of the product use the words of the field',
    check: ({ path, text }) => {
      if (/^(?:__test__\/.*\.js|tools\/.*)$/.test(path)) return bannedWords(narrationOf(text));
      if (!PRODUCT.test(path) || isTestFile(path)) return [];
      return bannedWords(isRustSource(path) ? withoutTests(text) : text);
    },
    broken: [
      { path: 'src/kernel/kernel.rs', text: '//! Whoever asks is told.' },
      { path: 'js/cli/main.ts', text: "throw new Error('--budget cannot be meant.');" },
      { path: 'crates/git/src/halt.rs', text: 'const PATIENCE: Duration = Duration::from_secs(5);' },
      { path: 'index.d.ts', text: '/** Refused unless mended. */' },
      { path: '__test__/agent/agent.test.js', text: '// Whoever asks.' },
      { path: 'tools/bombs.mjs', text: '/** Nobody waits for it. */' },
    ],
    kept: [
      { path: 'src/kernel/kernel.rs', text: '//! The caller receives an error.' },
      { path: 'crates/git/src/text_diff.rs', text: '// A patience diff.' },
      { path: 'js/kernel/approvals/gate.ts', text: "const by = 'nobody';" },
      { path: 'crates/git/src/halt.rs', text: '#[cfg(test)]\nmod tests {\n    // Nobody.\n}' },
      { path: '__test__/agent/agent.test.js', text: "const user = 'somebody-known';" },
    ],
  },
  {
    name: 'names of code in comments of Rust are in backticks',
    check: ({ path, text }) => (isRustSource(path) ? bareNames(text) : []),
    broken: [
      { path: 'src/kernel/kernel.rs', text: '//! Secrets that tools may use without with_visibility them.' },
      { path: 'crates/git/src/halt.rs', text: '    // CommittedContent-back files are not backed up.' },
    ],
    kept: [
      {
        path: 'src/kernel/kernel.rs',
        text: '//! [`Call`](tgp_base::call::Call) of `read_file`, see [`Self::set_dry_run`].',
      },
      { path: 'crates/git/src/halt.rs', text: '/// TypeScript of `a/b_c.rs`.\nlet last_run = LastRun::Ended;' },
      { path: 'js/kernel/tgp.ts', text: '// Throws a ConfigError.' },
    ],
  },
];
