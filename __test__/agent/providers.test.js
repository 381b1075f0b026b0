/** Models by name: errors state what is missing and how to fix it, and contain no key. */

import { execFile } from 'node:child_process';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { createAnthropic } from '@ai-sdk/anthropic';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { redactKeys } from '../../dist/agent/provider_keys.js';
import { resolveModel } from '../../dist/agent/providers.js';
import { tempRoot } from '../helpers/temp_root.js';

const SECRET = 'sk-secret-0123456789';
const VARIABLES = [
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_BASE_URL',
  'COMPATIBLE_API_KEY',
];

beforeEach(() => {
  for (const name of VARIABLES) vi.stubEnv(name, '');
});
afterEach(() => vi.unstubAllEnvs());

describe('names', () => {
  test.each([
    ['openai/gpt-5.4', 'openai.responses', 'gpt-5.4'],
    ['anthropic/claude-sonnet-5', 'anthropic.messages', 'claude-sonnet-5'],
    ['compatible:http://localhost:11434/v1/llama3', 'compatible.chat', 'llama3'],
    ['compatible:https://llm.example.com/api/v1/meta/llama-4', 'compatible.chat', 'meta/llama-4'],
    ['compatible:http://[::1]:8080/llama3', 'compatible.chat', 'llama3'],
    ['compatible:https://llm.example.com/v1beta/x:free', 'compatible.chat', 'x:free'],
  ])('%s is resolved to %s', async (name, provider, modelId) => {
    vi.stubEnv('OPENAI_API_KEY', SECRET);
    vi.stubEnv('ANTHROPIC_API_KEY', SECRET);
    expect(await resolveModel(name)).toMatchObject({ provider, modelId, specificationVersion: 'v3' });
  });

  test('a model of the AI SDK is used unchanged', async () => {
    const model = createAnthropic({ apiKey: SECRET })('claude-sonnet-5');
    expect(await resolveModel(model)).toBe(model);
  });

  test.each([
    ['gpt-5.4', /does not name a provider\. Did you mean "openai\/gpt-5\.4"\?/],
    ['claude-sonnet-5', /Did you mean "anthropic\/claude-sonnet-5"\?/],
    ['opnai/gpt-5.4', /Did you mean "openai\/…"\?/],
    ['openai/', /"openai\/" does not name a model\./],
    ['constructor/x', /does not name a provider/],
    ['', /does not name a provider/],
    ['compatible:', /requires an address and a model/],
    ['compatible:http://localhost:1', /requires an address and a model/],
    ['openai\u001b[2J/x', /"openai\\u\{1b\}\[2J\/x" does not name a provider/],
    ['x'.repeat(3_000), /too long/],
    [{}, /not a language model/],
    [null, /not a language model/],
  ])('%o is refused', async (model, message) => {
    const error = await resolveModel(/** @type {any} */ (model)).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'ERR_VALIDATION', details: { field: 'model' } });
    expect(error.message).toMatch(message);
    expect(error.message).toContain('openai/<model>');
  });
});

test('an object with throwing getters is not a model', async () => {
  const get = () => {
    throw new Error('no');
  };
  const error = await resolveModel(new Proxy({}, { get })).catch((thrown) => thrown);
  expect(error.message).toMatch(/^The object is not a language model of the AI SDK\./);
});

describe('keys and addresses', () => {
  test.each([
    ['openai/gpt-5.4', 'OPENAI_API_KEY'],
    ['anthropic/claude-sonnet-5', 'ANTHROPIC_API_KEY'],
  ])('the error for %s without a key names the variable', async (name, variable) => {
    const error = await resolveModel(name).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'ERR_CONFIG', details: { variable } });
    expect(error.message).toContain(`export ${variable}=<key>`);
  });

  test('a token of Anthropic replaces the key', async () => {
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', SECRET);
    expect(await resolveModel('anthropic/claude-sonnet-5')).toMatchObject({ modelId: 'claude-sonnet-5' });
  });

  test.each([
    ['compatible:http://llm.example.com/v1/llama3', {}, /not encrypted.*llm\.example\.com/],
    ['compatible:https://me:pass@llm.example.com/v1/llama3', {}, /name or password/],
    ['compatible:ftp://llm.example.com/v1/llama3', {}, /is not an http or https address/],
    ['openai/gpt-5.4', { OPENAI_BASE_URL: 'http://llm.example.com/v1' }, /OPENAI_BASE_URL is not encrypted/],
    ['anthropic/claude-5', { ANTHROPIC_BASE_URL: 'nonsense' }, /ANTHROPIC_BASE_URL is not an http or https address/],
  ])('%s %o: a key is not sent to an unsafe address', async (name, more, message) => {
    const keys = { OPENAI_API_KEY: SECRET, ANTHROPIC_API_KEY: SECRET, COMPATIBLE_API_KEY: SECRET };
    for (const [variable, value] of Object.entries({ ...keys, ...more })) vi.stubEnv(variable, String(value));
    const error = await resolveModel(name).catch((thrown) => thrown);
    expect(error.code).toBe('ERR_CONFIG');
    expect(error.message).toMatch(message);
    expect(error.message).not.toMatch(/secret|pass@/);
  });

  test('without a key a compatible server may have any address', async () => {
    expect(await resolveModel('compatible:http://llm.example.com/v1/llama3')).toMatchObject({ modelId: 'llama3' });
  });

  test('keys are removed from texts, words are not', () => {
    vi.stubEnv('OPENAI_API_KEY', SECRET);
    vi.stubEnv('ANTHROPIC_API_KEY', 'none');
    expect(redactKeys(`Key ${SECRET} and ${SECRET}: none of it.`)).toBe('Key [hidden] and [hidden]: none of it.');
  });
});

describe('packages', () => {
  const PROGRAM = `
    const { resolveModel } = await import(process.argv[1]);
    for (const name of ['openai/x', 'anthropic/x', 'compatible:http://localhost:1/v1/x']) {
      await resolveModel(name).then(
        (model) => console.log(model.provider),
        ({ code, message }) => console.log(code, message),
      );
    }`;

  /** A copy of the package without provider packages, and an application. */
  async function separateCopy() {
    const folder = await tempRoot();
    const application = join(folder, 'application');
    await mkdir(application);
    await writeFile(join(application, 'package.json'), '{}');
    for (const part of ['agent', 'boundary', 'kernel']) {
      await cp(join('dist', part), join(folder, 'tgp/dist', part), { recursive: true });
    }
    await writeFile(join(folder, 'tgp/package.json'), '{ "type": "module" }');
    const entry = pathToFileURL(join(folder, 'tgp/dist/agent/providers.js')).href;
    const env = { ...process.env, OPENAI_API_KEY: SECRET, ANTHROPIC_API_KEY: SECRET };
    return {
      application,
      run: async () => {
        const args = ['--input-type=module', '-e', PROGRAM, entry];
        const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: application, env });
        return stdout.trim().split('\n');
      },
    };
  }

  test('the error for a missing package has the command that installs it', async () => {
    const { run } = await separateCopy();
    const lines = await run();
    expect(lines).toHaveLength(3);
    for (const [index, name] of ['@ai-sdk/openai', '@ai-sdk/anthropic', '@ai-sdk/openai-compatible'].entries()) {
      expect(lines[index]).toMatch(/^ERR_CONFIG /);
      expect(lines[index]).toContain(`requires the package ${name}. Install it with "npm install ${name}"`);
    }
  });

  test('packages without a CommonJS entry are found', async () => {
    const { run, application } = await separateCopy();
    const write = async (/** @type {string} */ name, /** @type {object} */ exports, /** @type {string} */ text) => {
      const folder = join(application, 'node_modules', name);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'package.json'), JSON.stringify({ name, type: 'module', exports }));
      await writeFile(join(folder, 'index.js'), text);
    };
    await write('ai', { '.': { import: './index.js' } }, 'export const wrapLanguageModel = ({ model }) => model;');
    const client = "export const createOpenAI = () => (id) => ({ provider: 'imported ' + id });";
    await write('@ai-sdk/openai', { '.': { types: './x.d.ts', import: { default: './index.js' } } }, client);
    const [openai, anthropic] = await run();
    expect(openai).toBe('imported x');
    expect(anthropic).toMatch(/^ERR_CONFIG .*@ai-sdk\/anthropic/);
  });

  test('packages of the application in the current folder are found', async () => {
    const { run, application } = await separateCopy();
    await symlink(resolve('node_modules'), join(application, 'node_modules'), 'junction');
    expect(await run()).toEqual(['openai.responses', 'anthropic.messages', 'compatible.chat']);
  });
});
