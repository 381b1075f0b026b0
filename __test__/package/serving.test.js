/** The packed packages in an application that serves requests; in frameworks: `__test__/long/frameworks/`. */

import { describe, expect, it } from 'vitest';
import { installed, orphansOf, PLAIN, serveMany } from '../helpers/served_application.js';

/** @type {import('../helpers/served_application.js').Application} */
const APPLICATION = {
  name: 'Node, frozen between requests',
  dependencies: {},
  files: PLAIN,
  command: () => [process.execPath, 'server.mjs'],
  frozen: true,
};

describe.runIf(process.platform === 'linux')('the packed packages serve in', () => {
  it('a server of Node: processes, threads, descriptors and memory do not grow, and no process remains', async () => {
    const { served } = await installed(APPLICATION);
    const { stop } = await serveMany(APPLICATION, served, 80);
    expect(await stop(), 'what outlives the application').toEqual([]);
    expect(await orphansOf(APPLICATION, served), 'what outlives an application that was killed').toEqual([]);
  });
});
