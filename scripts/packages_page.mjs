/** The text of docs/packages.md. */

import { table } from '../tools/markdown_table.mjs';

/** @typedef {import('./packages_table.mjs').Row} Row */

/** The default CPU time limit of a run. */
const DEFAULT_CPU_MS = 50;
const MAX_REASON = 80;

const INTRODUCTION = `# Packages in the sandbox

Written by \`node scripts/packages_table.mjs\`, which installs the newest version of each package, runs a small job with it in a
kernel, and compares the result with Node's. [sandbox.md](sandbox.md#imports) describes how packages get into the sandbox, and
their environment there.

"First run" is the time of the first run in a new kernel with a cached bundle: reading and checking it, and the run itself.
Bundling, once per version, takes about a second. "CPU" is the part of \`sandbox.timeoutMs\` (${DEFAULT_CPU_MS} ms by default) that this run used:
if it is more, raise the limit in the configuration (\`sandbox: { timeoutMs: … }\`) or import a smaller part of the package. The
figures are from one machine and small jobs; most of the time is the package's own startup. The very first run, before there is
bytecode, uses two to three times as much, and may use up to 250 ms in addition to its limit.`;

/** @param {Row[]} rows */
export function packagesPage(rows) {
  const working = rows.filter(({ failure }) => failure === undefined);
  const others = rows.filter(({ failure }) => failure !== undefined);
  const sections = [
    INTRODUCTION,
    `${working.length} of ${rows.length} work.`,
    '## Supported packages',
    table(['package', 'version', 'bundle', 'first run', 'CPU'], working.map(workingCells)),
    '## Unsupported packages and alternatives',
    table(['package', 'version', 'why', 'instead'], others.map(otherCells)),
  ];
  return `${sections.join('\n\n')}\n`;
}

/** @param {Row} row */
const workingCells = ({ name, version, kilobytes, firstMs, cpuMs = 0 }) => [
  `\`${name}\``,
  version,
  `${kilobytes} kB`,
  `${firstMs} ms`,
  cpuMs > DEFAULT_CPU_MS ? `**${cpuMs} ms**` : `${cpuMs} ms`,
];

/** @param {Row} row */
const otherCells = ({ name, version, failure = '', instead = '' }) => [
  `\`${name}\``,
  version,
  reason(failure),
  instead,
];

/** The beginning of an error message as a table cell. @param {string} failure */
function reason(failure) {
  const line = failure
    .replace(/^ERR_\w+ /, '')
    .replace(/^Failed to bundle allowed module '[^']+' for the sandbox: /, '')
    .replace(/\s+/g, ' ')
    .replace(/[.,] .*$/, '')
    .replace(/\.$/, '')
    .replaceAll('|', '\\|');
  return line.length > MAX_REASON ? `${line.slice(0, MAX_REASON)}…` : line;
}
