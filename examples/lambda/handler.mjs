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

/** @param {{ body: string }} event as API Gateway and function URLs send it */
export async function handler(event) {
  const { question } = JSON.parse(event.body);
  const { text } = await generateText({
    model: 'openai/gpt-5', // any model of the AI SDK
    tools: tgpTools(kernel),
    system: kernel.getSystemPrompt(),
    stopWhen: stepCountIs(20),
    prompt: question,
  });
  // A write has reached the remote before its tool call returns, so the instance may be frozen or discarded now.
  return { statusCode: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ text }) };
}
