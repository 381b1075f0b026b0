/**
 * As examples/scripted_model.mjs, for an application with a database: tries to write to a table, and forges a tool that counts
 * its rows.
 */

const TOOL = 'tools/reports/count_users.ts';
const SOURCE = `/** How many users are active. */
export default async function countUsers(args: { active: number }): Promise<number> {
  const [row] = await tgp.exec_sql('SELECT count(*) AS total FROM users WHERE active = ?', [args.active]);
  return row.total;
}
`;
/** @type {[string, object][]} */
const CALLS = [
  ['exec_sql', { sql: "INSERT INTO users VALUES ('Eve', 1)" }],
  ['write_file', { path: TOOL, content: SOURCE }],
  ['exec_tool', { path: TOOL, args: { active: 1 } }],
];

/** @param {string} modelId */
function languageModel(modelId) {
  return {
    specificationVersion: 'v3',
    provider: 'scripted',
    modelId,
    supportedUrls: {},
    async doGenerate(/** @type {{ prompt: any[] }} */ { prompt }) {
      const results = prompt.filter(({ role }) => role === 'tool').flatMap(({ content }) => content);
      const [toolName, input] = CALLS[results.length] ?? [];
      const answer = { type: 'text', text: JSON.stringify(results.at(-1)?.output.value) };
      const call = { type: 'tool-call', toolCallId: `call-${results.length}`, toolName, input: JSON.stringify(input) };
      return {
        content: [toolName ? call : answer],
        finishReason: { unified: toolName ? 'tool-calls' : 'stop', raw: undefined },
        usage: { inputTokens: {}, outputTokens: {} },
        warnings: [],
      };
    },
  };
}

Object.assign(globalThis, { AI_SDK_DEFAULT_PROVIDER: { specificationVersion: 'v3', languageModel } });
