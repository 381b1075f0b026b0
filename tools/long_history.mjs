/**
 * A bare repository with a long history, made by Git itself: the tools of an application, of which each commit changes one.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';

const TOOLS = 300;
const FOLDERS = 12;
/** Lines of a tool, some 4.5 KB. */
const LINES = 75;

/**
 * @param {string} path where it will be
 * @param {number} commits
 */
export async function longHistory(path, commits) {
  mkdirSync(path, { recursive: true });
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', path]);
  const importer = spawn('git', ['-C', path, 'fast-import', '--quiet'], { stdio: ['pipe', 'ignore', 'inherit'] });
  const exited = once(importer, 'exit');
  /** How often each line of each tool was changed. */
  const changes = Array.from({ length: TOOLS }, () => new Uint16Array(LINES));
  for (let at = 0; at < commits; at++) {
    const tool = at < TOOLS ? at : (at * 7919) % TOOLS;
    const lines = changes[tool] ?? new Uint16Array();
    const line = (at * 31) % LINES;
    lines[line] = (lines[line] ?? 0) + 1;
    const file = `M 100644 inline ${pathOf(tool)}\n${data(sourceOf(tool, lines))}`;
    const person = `Load <load@localhost> ${1_700_000_000 + at} +0000\n`;
    const commit = `commit refs/heads/main\nauthor ${person}committer ${person}${data(`Change tool ${tool}`)}${file}`;
    if (!importer.stdin.write(commit)) await once(importer.stdin, 'drain');
  }
  importer.stdin.end('done\n');
  const [code] = await exited;
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
  execFileSync('git', ['-C', path, 'repack', '-q', '-a', '-d', '-f']);
}

/** @param {string} text */
const data = (text) => `data ${Buffer.byteLength(text)}\n${text}\n`;

/** @param {number} tool */
const pathOf = (tool) => `tools/group_${tool % FOLDERS}/tool_${tool}.ts`;

/**
 * @param {number} tool
 * @param {Uint16Array} changes
 */
function sourceOf(tool, changes) {
  const lines = Array.from(
    changes,
    (count, line) => `  total += args.factor * ${line} + ${tool} - ${count}; // step ${line} of it`,
  );
  return `/** Adds the parts of report ${tool}. */\nexport default (args: { factor: number }): number => {\n  let total = 0;\n${lines.join('\n')}\n  return total;\n};\n`;
}
