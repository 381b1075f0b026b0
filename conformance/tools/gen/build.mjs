// Builds ../tools.json from the *.txt files next to this one.
// A file is one area; each tool starts with a line "@@ id compare argsJSON", then its TypeScript.
import fs from 'node:fs';
import path from 'node:path';
const dir = import.meta.dirname;
const tools = [];
const seen = new Set();
for (const file of fs.readdirSync(dir).filter((f) => f.endsWith('.txt')).sort()) {
  const area = file.replace(/^\d+-/, '').replace(/\.txt$/, '');
  for (const part of fs.readFileSync(path.join(dir, file), 'utf8').split(/^@@ /m).slice(1)) {
    const nl = part.indexOf('\n');
    const m = /^(\S+) (result|print|error)(?: (.*))?$/.exec(part.slice(0, nl));
    if (!m) throw new Error(`${file}: bad head: ${part.slice(0, nl)}`);
    const id = m[1];
    if (seen.has(id)) throw new Error('twice: ' + id);
    seen.add(id);
    const source = part.slice(nl + 1).trimEnd() + '\n';
    const lines = source.split('\n').length - 1;
    if (lines > 45) console.error(`${id}: ${lines} lines`);
    if (!/export default async function/.test(source)) throw new Error('no default export: ' + id);
    tools.push({ id, area, compare: m[2], source, args: m[3] ? JSON.parse(m[3]) : {} });
  }
}
fs.writeFileSync(path.join(dir, '..', 'tools.json'), JSON.stringify(tools, null, 1) + '\n');
const by = {};
for (const t of tools) (by[t.area] ??= { result: 0, print: 0, error: 0 })[t.compare]++;
console.table(by);
console.log(tools.length, 'tools', tools.filter((t) => t.compare === 'print').length, 'print');
