/**
 * A table in Markdown whose columns are as wide as their cells.
 * @param {string[]} head
 * @param {string[][]} rows
 */
export function table(head, rows) {
  const widths = head.map((cell, at) => Math.max(3, cell.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const lineOf = (/** @type {string[]} */ cells) =>
    `| ${widths.map((width, at) => (cells[at] ?? '').padEnd(width)).join(' | ')} |`;
  return [lineOf(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(lineOf)].join('\n');
}
