import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TGP, tgpTools } from '@tgp/core';
import { generateText, stepCountIs } from 'ai';

/** Outside the handler: a warm instance reuses its kernel. */
const kernel = new TGP({
  config: {
    // The only writable folder. It is empty after a cold start: the tools come from the remote.
    rootDir: join(tmpdir(), 'tgp'),
    git: { repo: process.env.TOOLS_REPO },
  },
});

/** @param {{ body?: string }} event as API Gateway and function URLs send it */
export async function handler(event) {
  const question = questionOf(event.body);
  if (question === undefined) return answer(400, { error: 'The body must be JSON such as { "question": "…" }.' });
  const { text } = await generateText({
    model: 'openai/gpt-5', // any model of the AI SDK
    tools: tgpTools(kernel),
    system: kernel.getSystemPrompt(),
    stopWhen: stepCountIs(20),
    prompt: question,
  });
  // A write has reached the remote before its tool call returns, so the instance may be frozen or discarded now.
  return answer(200, { text });
}

/**
 * @param {string | undefined} body
 * @returns {string | undefined} undefined if the body is not valid
 */
function questionOf(body) {
  try {
    const { question } = JSON.parse(body ?? '');
    return typeof question === 'string' && question !== '' ? question : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {number} statusCode
 * @param {object} body
 */
function answer(statusCode, body) {
  return { statusCode, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}
