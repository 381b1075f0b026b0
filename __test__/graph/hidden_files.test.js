/** Rules about paths also hide rows of the graph. */

import { describe, expect, test } from 'vitest';
import { tgpTools } from '../../index.js';
import { git } from '../helpers/git_remote.js';
import { policyKernel } from '../helpers/policy_kernel.js';

const FILES = {
  'tools/payments/rate.ts': '/** Rates. */\nexport default () => 7;\n',
  'tools/payments/uses.ts': "import rate from './rate.ts';\n/** Uses. */\nexport default () => rate();\n",
  'tools/open.ts': "import rate from './payments/rate.ts';\n/** Open. */\nexport default () => rate();\n",
};
const NO_READ = 'default: allow\nrules:\n  - { id: secret, deny: [read], paths: ["tools/payments/**"] }\n';
const SAFE = 'safe';

/** @param {import('../../index.js').PolicyInput} policy */
async function committed(policy) {
  const made = await policyKernel(policy, { files: FILES });
  await made.kernel.boot();
  git(made.rootDir, 'add', '-A');
  git(made.rootDir, 'commit', '-q', '-m', 'first');
  return made;
}

describe('rules that deny reading paths', () => {
  test('remove rows, relationships and pictures of these paths for agents', async () => {
    const { kernel } = await committed(NO_READ);
    const { query_graph } = tgpTools(kernel, { agent: 'gpt' });
    const ask = async (/** @type {Record<string, unknown>} */ args) => JSON.stringify(await query_graph.execute(args));
    for (const query of [
      'MATCH (f:File) RETURN f.path AS path',
      'MATCH (f) RETURN f',
      'MATCH (a)-[r]->(b) RETURN a, r, b',
      'MATCH (t:Tool) RETURN collect(t.path) AS paths',
      "MATCH (f:File) WHERE f.path CONTAINS 'payments' RETURN count(f) AS n",
      "MATCH (a:File {path: 'tools/open.ts'})-[:IMPORTS*1..3]->(b) RETURN b.path AS path",
      "MATCH (c:Commit)-[:CHANGED]->(f {path: 'tools/payments/rate.ts'}) RETURN c.hash AS hash",
    ]) {
      expect(await ask({ query }), query).not.toContain('payments');
    }
    expect(await ask({ query: "MATCH (f:File) WHERE f.name = 'rate.ts' RETURN count(f) AS n" })).toBe(
      '{"results":[{"n":0}]}',
    );
    expect(await ask({ ask: 'history', path: 'tools/open.ts' })).not.toContain('payments');
    for (const kind of ['impact', 'history']) {
      await expect(query_graph.execute({ ask: kind, path: 'tools/payments/rate.ts' })).rejects.toMatchObject({
        code: 'ERR_DENIED',
      });
    }
    // The rules hold for the application as well.
    expect(await kernel.graph.picture()).not.toContain('payments');
  });

  test('a rule about read_file of a path hides it too', async () => {
    const { kernel } = await committed(
      'default: allow\nrules:\n  - { id: secret, deny: [read_file], paths: ["tools/payments/**"] }\n',
    );
    const { query_graph } = tgpTools(kernel);
    expect(JSON.stringify(await query_graph.execute({ query: 'MATCH (f) RETURN f' }))).not.toContain('payments');
  });

  test("'safe' allows the tool, and everything is visible", async () => {
    const { kernel } = await committed(SAFE);
    const { query_graph } = tgpTools(kernel);
    const { results } = await query_graph.execute({ query: 'MATCH (t:Tool) RETURN t.path AS path' });
    expect(results).toContainEqual({ path: 'tools/payments/rate.ts' });
  });

  test('a policy that denies reads denies the tool', async () => {
    const { kernel } = await policyKernel('default: allow\nrules:\n  - { id: closed, deny: [read] }\n');
    await expect(tgpTools(kernel).query_graph.execute({ query: 'RETURN 1 AS one' })).rejects.toMatchObject({
      code: 'ERR_DENIED',
    });
  });
});
