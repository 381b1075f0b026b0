/**
 * Draws `docs/trace.svg` from a real trace: a `generateText` whose tool calls a database, a server and another tool.
 *
 * node scripts/trace_picture.mjs
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { generateText, stepCountIs } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import BetterSqlite3 from 'better-sqlite3';
import { TGP, tgpTools } from '../index.js';
import { ROOT } from '../tools/process.mjs';
import { HUE, PALETTE } from '../tools/svg.mjs';

/**
 * @typedef {import('@opentelemetry/sdk-trace-base').ReadableSpan} ReadableSpan
 * @typedef {{ span: ReadableSpan, depth: number }} Row
 */

const TOOL = 'tools/shop/price_in.ts';
const RATE = 'tools/shop/rate.ts';
const MODEL_MS = 12;
const SERVER_MS = 6;
const STEPS = 3;

const WIDTH = 960;
const NAMES_WIDTH = 300;
const TIMES_WIDTH = 70;
const ROW = 26;
const HEAD = 40;
const BAR = 14;
const INDENT = 14;
const TICKS = 6;
/** Hues by kind of span, and their names in the legend. */
const KINDS = [
  { name: /^ai\./, hue: HUE.grey, label: 'AI SDK' },
  { name: /^execute_tool/, hue: HUE.blue, label: 'tool call' },
  { name: /^(?:compile|queue|run)$/, hue: HUE.cyan, label: 'phase of the call' },
  { name: /^host_call/, hue: HUE.amber, label: 'host call of the tool' },
];
const LEGEND_WIDTH = 170;

const exporter = new InMemorySpanExporter();
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));

const server = createServer((_, response) => {
  setTimeout(() => response.end(JSON.stringify({ rate: 0.9 })), SERVER_MS);
});
await new Promise((ready) => server.listen(0, '127.0.0.1', () => ready(undefined)));
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
const address = `http://127.0.0.1:${port}`;
const folder = await mkdtemp(join(tmpdir(), 'tgp-picture-'));
const database = new BetterSqlite3(join(folder, 'shop.db'));
database.exec('CREATE TABLE products (id INTEGER, price REAL); INSERT INTO products VALUES (1, 21)');

const kernel = new TGP({
  config: { rootDir: join(folder, 'root'), allowedFetchUrls: [address] },
  sql: database,
});
try {
  const tools = tgpTools(kernel);
  await tools.write_file.execute({ path: RATE, content: rateTool() });
  await tools.write_file.execute({ path: TOOL, content: priceTool() });
  // One run first, so that the picture shows a warm worker.
  await tools.exec_tool.execute({ path: TOOL, args: { id: 1, currency: 'CHF' } });
  exporter.reset();
  await generateText({
    model: scripted(),
    tools: /** @type {any} */ (tools),
    stopWhen: stepCountIs(STEPS),
    prompt: 'What does product 1 cost in CHF?',
    experimental_telemetry: { isEnabled: true },
  });
  await writeFile(join(ROOT, 'docs', 'trace.svg'), picture(rowsOf(exporter.getFinishedSpans())));
} finally {
  await kernel.shutdown();
  database.close();
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
}

function rateTool() {
  return `/** The rate of a currency. */
export default async (args: { currency: string }): Promise<number> => {
  const answer = await fetch('${address}/rates?of=' + args.currency);
  return (await answer.json()).rate;
};
`;
}

function priceTool() {
  return `/** What a product costs in another currency. */
export default async (args: { id: number; currency: string }): Promise<number> => {
  const [product] = await tgp.exec_sql<{ price: number }>('SELECT price FROM products WHERE id = ?', [args.id]);
  if (product === undefined) throw new Error('There is no such product.');
  const rate: number = await tgp.exec_tool('${RATE}', { currency: args.currency });
  await fetch('${address}/seen');
  return product.price * rate;
};
`;
}

/** A model that runs the tool and then answers. */
function scripted() {
  const usage = /** @type {any} */ ({ inputTokens: {}, outputTokens: {} });
  return new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      await new Promise((later) => setTimeout(later, MODEL_MS));
      const isDone = prompt.some(({ role }) => role === 'tool');
      const input = JSON.stringify({ path: TOOL, args: { id: 1, currency: 'CHF' } });
      return {
        content: isDone
          ? [{ type: 'text', text: 'It costs 18.90 francs.' }]
          : [{ type: 'tool-call', toolCallId: 'call-1', toolName: 'exec_tool', input }],
        finishReason: { unified: isDone ? 'stop' : 'tool-calls', raw: undefined },
        usage,
        warnings: [],
      };
    },
  });
}

/**
 * Spans in tree order, by start time.
 * @param {ReadableSpan[]} spans
 * @returns {Row[]}
 */
function rowsOf(spans) {
  const ids = new Set(spans.map((span) => span.spanContext().spanId));
  /** @type {(above: string | undefined, depth: number) => Row[]} */
  const below = (above, depth) =>
    spans
      .filter(
        ({ parentSpanContext: parent }) => (parent && ids.has(parent.spanId) ? parent.spanId : undefined) === above,
      )
      .sort((a, b) => msOf(a.startTime) - msOf(b.startTime))
      .flatMap((span) => [{ span, depth }, ...below(span.spanContext().spanId, depth + 1)]);
  return below(undefined, 0);
}

/** @param {Row[]} rows */
function picture(rows) {
  const first = Math.min(...rows.map(({ span }) => msOf(span.startTime)));
  const last = Math.max(...rows.map(({ span }) => msOf(span.endTime)));
  const scale = (WIDTH - NAMES_WIDTH - TIMES_WIDTH) / (last - first);
  const bottom = HEAD + rows.length * ROW + ROW / 2;
  const height = bottom + ROW;
  const at = (/** @type {number} */ ms) => NAMES_WIDTH + (ms - first) * scale;
  const ticks = Array.from({ length: TICKS }, (_, tick) => {
    const ms = ((last - first) * tick) / (TICKS - 1);
    const x = at(first + ms).toFixed(1);
    return `<line x1="${x}" y1="${HEAD - 8}" x2="${x}" y2="${bottom}" class="grid"/><text x="${x}" y="${HEAD - 14}" class="small">${ms.toFixed(0)} ms</text>`;
  });
  const bars = rows.map(({ span, depth }, row) => {
    const [start, end] = [msOf(span.startTime), msOf(span.endTime)];
    const y = HEAD + row * ROW;
    const width = Math.max(1.5, (end - start) * scale);
    const { hue } = KINDS.find(({ name }) => name.test(span.name)) ?? { hue: HUE.grey };
    return [
      `<text x="${10 + depth * INDENT}" y="${y + BAR}" class="name">${span.name}</text>`,
      `<rect x="${at(start).toFixed(1)}" y="${y + 3}" width="${width.toFixed(1)}" height="${BAR}" rx="2" class="f${hue}"/>`,
      `<text x="${(at(end) + 6).toFixed(1)}" y="${y + BAR}" class="small">${(end - start).toFixed(2)} ms</text>`,
    ].join('');
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="A trace of one generateText">`,
    `<style>${PALETTE}text{font-family:ui-monospace,Menlo,Consolas,monospace}.name{font-size:12px}.small{font-size:10px}</style>`,
    `<rect class="paper" width="${WIDTH}" height="${height}" rx="6"/>`,
    ...ticks,
    ...bars,
    ...KINDS.map(({ hue, label }, at) => {
      const x = 10 + at * LEGEND_WIDTH;
      const y = bottom + 4;
      return `<rect x="${x}" y="${y}" width="10" height="10" rx="2" class="f${hue}"/><text x="${x + 16}" y="${y + 9}" class="small">${label}</text>`;
    }),
    '</svg>',
    '',
  ].join('\n');
}

/** @param {import('@opentelemetry/api').HrTime} time */
function msOf([seconds, nanos]) {
  return seconds * 1_000 + nanos / 1_000_000;
}
