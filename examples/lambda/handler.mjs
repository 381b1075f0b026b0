import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TGP, tgpTools } from '@tgp/core';
import { generateText, stepCountIs } from 'ai';

/** Outside the handler: an instance that is warm answers with what it has. */
const kernel = new TGP({
  config: {
    // The one place that can be written. It is empty after a cold start: the tools come from the remote.
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
  // A write is at the remote before its tool call returns, so the instance may be frozen or thrown away now.
  return { statusCode: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ text }) };
}
