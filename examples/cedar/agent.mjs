import { TGP, tgpTools } from '@tgp/core';
import { generateText, stepCountIs } from 'ai';
import { cedarPolicy } from './cedar_policy.mjs';

const kernel = new TGP({ config: { policy: cedarPolicy(new URL('./tools.cedar', import.meta.url)) } });
try {
  await kernel.boot();
  const { text } = await generateText({
    model: 'openai/gpt-5', // any model of the AI SDK
    tools: tgpTools(kernel),
    system: kernel.getSystemPrompt(),
    stopWhen: stepCountIs(20),
    prompt: process.argv[2] ?? 'What is the dimensional weight of a 40x40x50 box, divisor 139?',
  });
  console.log(text);
} finally {
  await kernel.shutdown();
}
