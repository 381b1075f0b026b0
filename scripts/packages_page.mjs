/** The text of docs/packages.md. */

import { table } from '../tools/markdown_table.mjs';

/** @typedef {import('./package_runs.mjs').Row} Row */

const MAX_REASON = 80;

const INTRODUCTION = `# Packages in the sandbox

Written by \`npm run packages\`, which installs the newest version of each package, runs a small job with it in a tool, and
compares the result with Node's: in the first run of a root, in the second run and after a restart, under the default limits and
under raised ones. [sandbox.md](sandbox.md#imports) describes how packages get into the sandbox, and their environment there.

"Load" is the CPU time in which a new kernel loaded the package, from its bundle and bytecode; it is charged to
\`sandbox.packageLoadMs\` and not to the tool. The first load on a machine, before there is bytecode, takes two to three times as
long. "CPU" is the part of \`sandbox.timeoutMs\` that the job used, which includes functions of the package that are compiled when
they are first called. Bundling, once per version, takes about a second and is not charged. The figures are from one busy machine
and small jobs.`;

/** @param {Row[]} rows */
export function packagesPage(rows) {
  const working = rows.filter(({ failure }) => failure === undefined);
  const limited = rows.filter(({ failure, raised }) => failure !== undefined && raised === undefined);
  const others = rows.filter(({ raised }) => raised !== undefined);
  const sections = [
    INTRODUCTION,
    `${working.length} of ${rows.length} work by default, ${working.length + limited.length} with raised limits.`,
    '## Supported packages',
    table(['package', 'version', 'bundle', 'load', 'CPU'], working.map(workingCells)),
    ...(limited.length === 0 ? [] : ['## Packages that need raised limits', limitedTable(limited)]),
    '## Unsupported packages and alternatives',
    table(['package', 'version', 'why', 'instead'], others.map(otherCells)),
  ];
  return `${sections.join('\n\n')}\n`;
}

/** @param {Row} row */
const workingCells = ({ name, version, kilobytes, loadMs, cpuMs }) => [
  `\`${name}\``,
  version,
  `${kilobytes} kB`,
  `${loadMs} ms`,
  `${cpuMs} ms`,
];

/** @param {Row[]} rows */
const limitedTable = (rows) =>
  table(
    ['package', 'version', 'bundle', 'load', 'CPU', 'by default'],
    rows.map((row) => [...workingCells(row), reason(row.failure ?? '')]),
  );

/** @param {Row} row */
const otherCells = ({ name, version, raised = '', instead = '' }) => [`\`${name}\``, version, reason(raised), instead];

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
