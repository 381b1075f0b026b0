/** The commands `tgp graph query`, `impact`, `history` and `picture`. */

import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { harmless } from '../../boundary/harmless.js';
import type { TGP } from '../../kernel/tgp.js';
import type { GraphScope } from '../../types/graph.js';
import { readArguments } from '../commands/tool_commands.js';
import type { Format } from '../terminal/screen.js';
import { field, json, line, styled } from '../terminal/screen.js';
import { candidates, withWorkspace } from '../workspace/workspace.js';

type Options = { config?: string; format: Format; commit?: string; root?: string };

const SHORT_HASH = 7;
const MINUTES = 'YYYY-MM-DDThh:mm'.length;

/** @param cypher a query that only reads */
export async function query(cypher: string, { args, format, ...options }: Options & { args?: string }) {
  const params = await readArguments(args);
  const { results } = await onGraph(options, (kernel, scope) => kernel.graph.query(cypher, params, scope));
  if (format === 'json') {
    json(results);
    return 0;
  }
  for (const row of results) {
    line(
      Object.entries(row)
        .map(([name, value]) => `${styled('dim', `${field(name)}:`)} ${shown(value)}`)
        .join('  '),
    );
  }
  line(styled('dim', results.length === 1 ? '1 row' : `${results.length} rows`));
  return 0;
}

/** @param name a tool or file */
export async function impact(name: string, { format, ...options }: Options) {
  const found = await onGraph(options, async (kernel, scope) =>
    kernel.graph.impact(await pathOf(kernel, name, scope), scope),
  );
  if (format === 'json') {
    json(found);
    return 0;
  }
  const { path, exists, importers, callers, tests, runs, truncated } = found;
  line(`${field(path)}${exists ? '' : styled('yellow', '  does not exist in this commit')}`);
  list('imported by', importers.map(distant));
  list('called by', callers.map(distant));
  list('tests', tests.map(field));
  list(
    'recent runs',
    runs.map(
      (run) => `${time(run.date)}  ${field(run.path)}  ${run.ok === false ? field(run.code ?? 'failed') : 'ok'}`,
    ),
  );
  if (importers.length + callers.length === 0) line('No other file depends on it.');
  if (truncated) line(styled('yellow', 'There is more than is shown.'));
  return 0;
}

/** @param name a tool or file, also one that was removed */
export async function history(name: string, { format, ...options }: Options) {
  const changes = await onGraph(options, async (kernel, scope) =>
    kernel.graph.history(await pathOf(kernel, name, scope), scope),
  );
  if (format === 'json') {
    json(changes);
    return 0;
  }
  for (const { commit, date, author, subject, status, path, from, similarity } of changes) {
    const renamed = from === undefined ? '' : ` from ${field(from)} (${similarity} %)`;
    line(
      `${styled('yellow', commit.slice(0, SHORT_HASH))}  ${time(date)}  ${status.padEnd('modified'.length)}  ${field(path)}${renamed}  ${field(subject)}  ${styled('dim', field(author))}`,
    );
  }
  return 0;
}

/** @param name a tool or file; all tools if undefined */
export async function picture(
  name: string | undefined,
  { format, as: kind, output, ...options }: Options & { as?: 'mermaid' | 'dot' | 'svg'; output?: string },
) {
  const text = await onGraph(options, async (kernel, scope) =>
    kernel.graph.picture({
      ...scope,
      ...(kind !== undefined && { format: kind }),
      ...(name !== undefined && { path: await pathOf(kernel, name, scope) }),
    }),
  );
  if (output !== undefined) await writeFile(resolve(output), text);
  else if (format === 'json') json({ format: kind, picture: text });
  else for (const each of text.trimEnd().split('\n')) line(field(each));
  return 0;
}

/** Asks the graph of a workspace, or of another repository, which is ingested first. */
async function onGraph<Answer>(
  { config, commit, root }: Omit<Options, 'format'>,
  ask: (kernel: TGP, scope: GraphScope) => Promise<Answer>,
) {
  return withWorkspace({ config }, async (kernel) => {
    const named = commit === undefined ? {} : { commit };
    if (root === undefined) return ask(kernel, named);
    const added = await kernel.graph.ingest({
      projectPath: resolve(root),
      ...(commit !== undefined && { commitHash: commit }),
    });
    return ask(kernel, { ...named, root: added.root });
  });
}

/** The path of a file by a short form of its name; the name itself if the graph has none of these. */
async function pathOf(kernel: TGP, name: string, scope: GraphScope) {
  const paths = candidates(name);
  const { results } = await kernel.graph.query(
    'MATCH (f:File) WHERE f.path IN $paths RETURN f.path AS path',
    { paths },
    scope,
  );
  const known = new Set(results.map(({ path }) => path));
  return paths.find((path) => known.has(path)) ?? name;
}

function list(title: string, entries: string[]) {
  if (entries.length === 0) return;
  line(styled('dim', title));
  for (const entry of entries) line(`  ${entry}`);
}

function distant({ path, distance }: { path: string; distance: number }) {
  return distance === 1 ? field(path) : `${field(path)}${styled('dim', `  through ${distance - 1} other`)}`;
}

function time(date: string) {
  return styled('dim', date.slice(0, MINUTES).replace('T', ' '));
}

/** A value of a row on one line. */
function shown(value: unknown) {
  return typeof value === 'string' ? field(value) : harmless(JSON.stringify(value), Number.POSITIVE_INFINITY);
}
