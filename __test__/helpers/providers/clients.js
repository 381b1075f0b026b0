/** The real client packages, each with a server of its provider on the loopback. */

import { createOpenAI } from '@ai-sdk/openai';
import { onTestFinished, vi } from 'vitest';
import { resolveModel } from '../../../dist/agent/providers.js';
import { anthropicServer } from '../../../examples/demo/providers/anthropic_server.js';
import { openaiServer } from '../../../examples/demo/providers/openai_server.js';

/**
 * @typedef {import('../../../examples/demo/providers/scripted_server.js').Script} Script
 * @typedef {Awaited<ReturnType<typeof openaiServer>>} Server
 * @typedef {{ name: string, serve: (script: Script) => Promise<{ model: any, server: Server }> }} Client
 */

/** The key that the servers accept; it must not leak. */
export const KEY = 'sk-test-0123456789abcdef';

/**
 * @param {Promise<Server>} starting
 * @returns {Promise<Server>}
 */
async function started(starting) {
  const server = await starting;
  onTestFinished(async () => {
    await server.close();
  });
  return server;
}

/** @type {Client[]} */
export const CLIENTS = [
  {
    name: 'OpenAI, Responses',
    serve: async (script) => {
      const server = await started(openaiServer(script, { key: KEY }));
      vi.stubEnv('OPENAI_BASE_URL', `${server.url}/v1`);
      vi.stubEnv('OPENAI_API_KEY', KEY);
      return { server, model: await resolveModel('openai/gpt-5.4') };
    },
  },
  {
    name: 'OpenAI, Chat Completions',
    serve: async (script) => {
      const server = await started(openaiServer(script, { key: KEY }));
      return { server, model: createOpenAI({ baseURL: `${server.url}/v1`, apiKey: KEY }).chat('gpt-4.1') };
    },
  },
  {
    name: 'OpenAI compatible',
    serve: async (script) => {
      const server = await started(openaiServer(script, { key: KEY }));
      vi.stubEnv('COMPATIBLE_API_KEY', KEY);
      return { server, model: await resolveModel(`compatible:${server.url}/v1/meta/llama-4`) };
    },
  },
  {
    name: 'Anthropic',
    serve: async (script) => {
      const server = await started(anthropicServer(script, { key: KEY }));
      vi.stubEnv('ANTHROPIC_BASE_URL', `${server.url}/v1`);
      vi.stubEnv('ANTHROPIC_API_KEY', KEY);
      return { server, model: await resolveModel('anthropic/claude-sonnet-5') };
    },
  },
];
