/** `benches/history.json`: key figures of releases, as ratios of one run. */

import { execFile } from 'node:child_process';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { historyChart, keyFigures, readHistory, withEntry, withHistory } from '../../benches/history.mjs';
import { tempRoot } from '../helpers/temp_root.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const exec = promisify(execFile);

/** @param {number} ours @param {boolean} [failed] */
const results = (ours, failed = false) => ({
  quick: false,
  machine: { cpu: 'A processor', cores: 2, memoryGb: 8, system: 'Linux 6' },
  versions: { tgp: '1', node: '20', v8: '11', git: '2', commit: 'abc' },
  benches: {
    warm_exec: {
      date: '2026-11-16T12:00:00Z',
      seconds: 3,
      load: '0.10',
      failed,
      measures: [
        { name: '@tgp/core, process', group: 'turns of 25', median: ours },
        { name: 'quickjs-emscripten', group: 'turns of 25', median: 2 },
        { name: '@tgp/core, process', group: 'turns of 1000', median: 9 },
      ],
    },
  },
});

describe('the history', () => {
  it('has ratios to peers of the same run, without failed benchmarks', () => {
    expect(keyFigures(results(1))).toEqual({ 'warm run / quickjs-emscripten': 0.5 });
    expect(keyFigures(results(1, true))).toEqual({});
  });

  it('appends a release, or replaces the entry of the same version', () => {
    const once = withEntry([], '1.0.0', results(1));
    const twice = withEntry(once, '1.1.0', results(2));
    expect(once).toMatchObject([{ version: '1.0.0', commit: 'abc', date: '2026-11-16', node: '20' }]);
    expect(twice.map(({ version }) => version)).toEqual(['1.0.0', '1.1.0']);
    const again = withEntry(twice, '1.0.0', results(4));
    expect(again.map(({ figures }) => Object.values(figures))).toEqual([[2], [1]]);
  });

  it('is drawn, and written to the page with the same result each time', () => {
    const entries = withEntry(withEntry([], '1.0.0', results(1)), '1.1.0', results(2));
    expect(historyChart(entries)).toContain('>1.1.0<');
    expect(historyChart(entries)).not.toMatch(/NaN|undefined|Infinity/);
    const place = '<!-- history: written by npm run bench record -->\n\n<!-- end of history -->\n\nAfter.\n';
    const page = withHistory(place, entries);
    expect(page).toMatch(/\| warm run \/ quickjs-emscripten +\| 0\.5 +\| 1 +\|/);
    expect(withHistory(page, entries)).toBe(page);
    expect(withHistory('No place.', entries)).toBe('No place.');
  });

  it('of the repository matches its page and its chart', async () => {
    const entries = readHistory(ROOT);
    const page = await readFile(join(ROOT, 'docs', 'benchmarks.md'), 'utf8');
    expect(entries.length).toBeGreaterThan(0);
    expect(withHistory(page, entries)).toBe(page);
    expect(await readFile(join(ROOT, 'docs', 'charts', 'history.svg'), 'utf8')).toBe(historyChart(entries));
  });

  it('is recorded by a command that takes a version', async () => {
    const folder = await tempRoot();
    for (const name of ['scripts', 'benches', 'tools', 'package.json', 'docs/benchmarks.md']) {
      await cp(join(ROOT, name), join(folder, name), { recursive: true });
    }
    const record = (/** @type {string[]} */ ...args) =>
      exec(process.execPath, ['benches/run.mjs', 'record', ...args], { cwd: folder });
    await expect(record('one')).rejects.toMatchObject({ code: 2 });
    await expect(record()).rejects.toMatchObject({ code: 2 });
    await record('9.9.9');
    expect(readHistory(folder).at(-1)?.version).toBe('9.9.9');
    expect(await readFile(join(folder, 'docs', 'charts', 'history.svg'), 'utf8')).toContain('>9.9.9<');
    expect(await readFile(join(folder, 'docs', 'benchmarks.md'), 'utf8')).toContain('| 9.9.9');
  });
});
