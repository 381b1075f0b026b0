/**
 * A model that needs no key: it searches for a tool, forges one if there is none, and runs it. Loaded with
 * `node --import`, it replaces every model that an application names as a string (`model: 'openai/gpt-5'`), so that the
 * examples can be tried and tested. Everything but the model is real.
 */

const TOOL = 'tools/shipping/dim_weight.ts';
const SOURCE = `type Box = { length: number; width: number; height: number };

/** Dimensional weight of boxes. */
export default function dimWeight(args: { boxes: Box[]; divisor: number }): number[] {
  return args.boxes.map((box) => Math.ceil((box.length * box.width * box.height) / args.divisor));
}
`;
const RUN = { path: TOOL, args: { boxes: [{ length: 40, width: 40, height: 50 }], divisor: 139 } };
const REUSE = 0.85;

/**
 * The next step, from the results so far.
 * @param {{ name: string, output: any }[]} results
 */
function decide(results) {
  const last = results.at(-1);
  if (last === undefined) return call('find_tool', { query: 'dimensional weight of boxes' });
  if (last.name === 'find_tool') {
    const known = last.output[0]?.score > REUSE;
    return known ? call('exec_tool', RUN) : call('write_file', { path: TOOL, content: SOURCE });
  }
  if (last.name === 'write_file') return call('check_tool', { path: TOOL });
  if (last.name === 'check_tool') return call('exec_tool', RUN);
  const forged = results.some(({ name }) => name === 'write_file');
  const answer = last.output.success ? `It bills as ${last.output.result[0]} pounds` : last.output.error;
  return { type: 'text', text: `${answer} (${forged ? 'forged' : 'reused'} ${TOOL}).` };
}

/**
 * @param {string} toolName
 * @param {object} input
 */
function call(toolName, input) {
  return { type: 'tool-call', toolCallId: `call-${toolName}`, toolName, input: JSON.stringify(input) };
}

/** @param {any[]} prompt */
function resultsIn(prompt) {
  const parts = prompt.filter(({ role }) => role === 'tool').flatMap(({ content }) => content);
  return parts
    .filter(({ type }) => type === 'tool-result')
    .map(({ toolName, output }) => ({ name: toolName, output: output.value }));
}

/** @param {string} modelId */
function languageModel(modelId) {
  return {
    specificationVersion: 'v3',
    provider: 'scripted',
    modelId,
    supportedUrls: {},
    async doGenerate(/** @type {{ prompt: any[] }} */ { prompt }) {
      const move = decide(resultsIn(prompt));
      const unified = move.type === 'text' ? 'stop' : 'tool-calls';
      return {
        content: [move],
        finishReason: { unified, raw: undefined },
        usage: { inputTokens: {}, outputTokens: {} },
        warnings: [],
      };
    },
  };
}

Object.assign(globalThis, { AI_SDK_DEFAULT_PROVIDER: { specificationVersion: 'v3', languageModel } });
