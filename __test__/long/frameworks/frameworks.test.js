/**
 * The packed packages in frameworks and runtimes, with the resource usage of each application before and after use. A few of
 * them with `npm run test:long`; all of them with `npm run test:frameworks`, which writes `docs/frameworks.md`. `npm test` runs
 * `__test__/package/serving.test.js` instead.
 */

import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { packedApplication } from '../../helpers/packed_application.js';
import {
  atRest,
  env,
  expectNoMore,
  installed,
  manifest,
  orphansOf,
  outlived,
  serveMany,
} from '../../helpers/served_application.js';
import { CONTAINER, canMountReadOnly, LONG, RUNNERS, SHORT } from './applications.js';
import { EDITED, writeUsage } from './frameworks_page.js';

const exec = promisify(execFile);
const ALL = process.env.TGP_FRAMEWORKS === 'all';
const MINUTES = 60_000;
const REQUESTS = ALL ? 400 : 80;
/** A development server remembers its requests and compilations. */
const MORE_MB_IN_DEVELOPMENT = 300;

/** @typedef {import('../../../tools/process_counts.mjs').Counts} Counts */
/** @type {import('./frameworks_page.js').Row[]} */
const rows = [];
const applications = ALL ? [...SHORT, ...LONG, ...(canMountReadOnly() ? [CONTAINER] : [])] : SHORT;

describe.runIf(process.platform === 'linux')('the packed packages serve in', () => {
  it.for(applications)(
    '$name',
    async (application) => {
      const { name, runtime, edits } = application;
      const { app, served } = await installed(application);
      const more = edits ? { memoryMb: MORE_MB_IN_DEVELOPMENT } : {};
      const { pid, get, stop, counts } = await serveMany(application, served, REQUESTS, more);
      const { first, before, after } = counts;
      const version = await versionOf(app, runtime);
      const row = { name, version, counts: [first, before, after] };

      /** @type {Counts | undefined} */
      let edited;
      for (let edition = 1; edition <= (edits?.times ?? 0); edition++) {
        await edit(join(app, edits?.file ?? ''), edition);
        await vi.waitFor(async () => expect(await get(edition, 'edition')).toBe(edition), {
          timeout: 30_000,
          interval: 100,
        });
      }
      if (edits) {
        edited = await atRest(pid, after);
        expectNoMore(after, edited, more);
      }
      const left = await stop();
      expect(left, 'processes that outlive the application').toEqual([]);
      const orphans = await orphansOf(application, served);
      expect(orphans, 'processes that outlive a killed application').toEqual([]);
      rows.push({ ...row, left: left.length + orphans.length });
      if (edited) rows.push({ name: EDITED, version, counts: [after, edited], left: left.length });
    },
    8 * MINUTES,
  );

  it.for(RUNNERS)(
    '$name, whose process ends by itself',
    async (runner) => {
      const app = await packedApplication({
        files: { ...runner.files, 'package.json': manifest(runner.dependencies) },
      });
      await exec(join(app, 'node_modules', '.bin', runner.command[0] ?? ''), runner.command.slice(1), {
        cwd: app,
        env: { ...env, ...runner.env },
        timeout: MINUTES,
      });
      const left = await outlived(app);
      const { before, during, after } = JSON.parse(await readFile(join(app, 'counts.json'), 'utf8'));
      expect(left, 'processes that outlive the test runner').toEqual([]);
      expect(during.workers).toBeGreaterThan(0);
      expect(after.processes).toBe(before.processes);
      expect(after.workers).toBe(0);
      expectNoMore(before, after, { files: 12, threads: 12 });
      const version = await versionOf(app, runner.name);
      rows.push({ name: runner.name, version, counts: [before, during, after], left: left.length });
    },
    8 * MINUTES,
  );

  afterAll(async () => {
    // A partial run must not replace the page of a full run.
    const wanted = [...applications, ...RUNNERS].length + applications.filter(({ edits }) => edits).length;
    if (!ALL || rows.length < wanted) return;
    await writeUsage(rows);
  });
});

/**
 * The version of the runtime of an application.
 * @param {string} app
 * @param {string} [name] a package; default: Node
 */
async function versionOf(app, name) {
  if (name === undefined) return process.versions.node;
  return JSON.parse(await readFile(join(app, 'node_modules', name, 'package.json'), 'utf8')).version;
}

/**
 * @param {string} file
 * @param {number} edition
 */
async function edit(file, edition) {
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(/edition: \d+/, `edition: ${edition}`));
}
