/** What docs/packages.md says. */

/** @typedef {import('./packages_table.mjs').Row} Row */

/** CPU time that a run has unless the configuration says otherwise. */
const DEFAULT_CPU_MS = 50;
const MAX_REASON = 80;

const INTRODUCTION = `# Packages in the sandbox

Written by \`node scripts/packages_table.mjs\`, which installs the newest version of each package, has a kernel run a small job with it,
and holds the result against Node's own. How packages get into the sandbox, and what they find there, is in
[sandbox.md](sandbox.md#imports).

"First run" is the time of the first run in a new kernel that finds the bundle in its place: reading and checking it, and the run itself.
Making the bundle, once for each version, takes about a second. "CPU" is what that run used of \`sandbox.timeoutMs\`, which is
${DEFAULT_CPU_MS} ms by default: where it is more, raise it in the configuration (\`sandbox: { timeoutMs: … }\`) or import a smaller part of the
package. Figures are of one machine and of jobs that do little; most of the time is the package's own start. The first
run of all, before there is bytecode, uses two to three times as much, and has up to 250 ms for that beside its own.`;

/** @param {Row[]} rows */
export function packagesPage(rows) {
  const working = rows.filter(({ failure }) => failure === undefined);
  const others = rows.filter(({ failure }) => failure !== undefined);
  const sections = [
    INTRODUCTION,
    `${working.length} of ${rows.length} work.`,
    '## What works',
    table(['package', 'version', 'bundle', 'first run', 'CPU'], working.map(workingCells)),
    '## What does not, and what instead',
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

/** The beginning of a complaint as a cell of a table. @param {string} failure */
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

/**
 * @param {string[]} heads
 * @param {string[][]} rows
 */
function table(heads, rows) {
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => (row[column] ?? '').length)));
  const line = (/** @type {string[]} */ cells) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(heads), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
