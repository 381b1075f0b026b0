/** The graph API of a kernel. */

import type { Caller } from '../../boundary/caller.js';
import type { GraphAnswer, GraphQuestion } from '../../boundary/crossing.js';
import { TGPError, ValidationError } from '../../boundary/errors.js';
import { parseForeignJson } from '../../boundary/foreign_json.js';
import { toJsonText } from '../../boundary/json_text.js';
import { parseArguments, requireString, requireText } from '../../boundary/validation.js';
import type { GraphChange, GraphImpact, KernelGraph } from '../../types/graph.js';
import type { KernelCalls } from '../calls/kernel_calls.js';
import { GraphIngestSchema, GraphPictureSchema, GraphScopeSchema } from './graph_schemas.js';

/** What a question is answered with. */
export type GraphReply = {
  query: { results: Record<string, unknown>[] };
  impact: GraphImpact;
  history: GraphChange[];
  picture: string;
};

/**
 * Implements `kernel.graph`.
 * @param caller owns the kernel
 */
export function kernelGraph(calls: KernelCalls, caller: Caller | undefined): KernelGraph {
  const asking = (question: GraphQuestion, signal: AbortSignal | undefined) =>
    calls.readTool('query_graph', question, caller, signal);
  return {
    query: async (cypher, params = {}, options = {}) => {
      requireString(cypher, 'cypher');
      const { signal, ...scope } = parseArguments(GraphScopeSchema, options, 'graph options');
      const checked = checkedParams(params);
      return reply('query', await asking({ query: cypher, params: checked, ...scope }, signal));
    },
    ingest: async (options = {}) => {
      const { signal, ...request } = parseArguments(GraphIngestSchema, options, 'graph ingest options');
      const text = JSON.stringify(request);
      return calls.read((kernel) => kernel.ingestGraph(text), signal);
    },
    impact: async (path, options = {}) => {
      requireText(path, 'path');
      const { signal, ...scope } = parseArguments(GraphScopeSchema, options, 'graph options');
      return reply('impact', await asking({ ask: 'impact', path, ...scope }, signal));
    },
    history: async (path, options = {}) => {
      requireText(path, 'path');
      const { signal, ...scope } = parseArguments(GraphScopeSchema, options, 'graph options');
      return reply('history', await asking({ ask: 'history', path, ...scope }, signal));
    },
    picture: async (options = {}) => {
      const { signal, ...question } = parseArguments(GraphPictureSchema, options, 'graph picture options');
      return reply('picture', await asking({ ask: 'picture', ...question }, signal));
    },
  };
}

/** The public form of an answer. */
export function reply<Kind extends keyof GraphReply>(kind: Kind, answer: GraphAnswer): GraphReply[Kind];
export function reply(kind: keyof GraphReply, answer: GraphAnswer): GraphReply[keyof GraphReply] {
  if (kind === 'query' && 'results' in answer) return answer;
  if (kind === 'history' && 'history' in answer) {
    return answer.history.map(({ time, status, ...entry }) => ({
      ...entry,
      status: status as GraphChange['status'],
      date: new Date(time * 1000).toISOString(),
    }));
  }
  if (kind === 'picture' && 'picture' in answer) return answer.picture;
  if (kind === 'impact' && 'importers' in answer) {
    const runs = answer.runs.map(({ time, ...run }) => ({ ...run, date: new Date(time).toISOString() }));
    return { ...answer, runs };
  }
  throw new TGPError('ERR_INTERNAL', `The graph did not answer the question for ${kind}.`);
}

/** The parameters as JSON has them, so that dates become text. */
function checkedParams(params: unknown): Record<string, unknown> {
  if (typeof params !== 'object' || params === null || Array.isArray(params)) {
    throw new ValidationError('"params" must be an object with the values of the parameters by name.', {
      details: { field: 'params' },
    });
  }
  return parseForeignJson(toJsonText(params, 'params')) as Record<string, unknown>;
}
