/** The pages of the documentation that users read, in order: for `docs/llms.txt` and the site. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../tools/process.mjs';

/** Sections of pages below `docs/`, with a description of each page. @type {Record<string, Record<string, string>>} */
export const SECTIONS = {
  Start: {
    'cookbook.md':
      'short tested recipes: Ollama, secrets, servers, costs, deleting, ledger, reviews, teams, cron, files, tenants, tests',
    'integrations.md': 'AI SDK 4 to 7, OpenAI, Anthropic, LangChain, OpenAI Agents, MCP',
    'cli.md': 'commands, approvals at a terminal, tasks for an agent, exit codes',
    'agent.md': 'kernel.agent: sessions, events, budgets, resuming',
    'deploy.md': 'bundlers, Next.js, Express, NestJS, Lambda, Vercel, Docker, Kubernetes',
    'upgrading.md': 'differences from the TypeScript package',
  },
  Tools: {
    'agent_tools.md': 'every tool that an agent gets, with effect and arguments',
    'sandbox.md': 'globals, forms of a tool file, host calls, imports, secrets, isolation',
    'packages.md': 'npm packages in the sandbox, with cost and outcome',
    'tests.md': 'tests of tools, test-first modes, coverage',
    'sql.md': 'databases, transactions, rules for statements',
    'shell.md': 'confined system programs',
    'git.md': 'repository, remotes, conflicts, pull requests',
    'dry_run.md': 'calls that report their effects and change nothing',
  },
  Control: {
    'policy.md': 'rules, approvals, tokens, policy functions',
    'ledger.md': 'the audit log: events, verification, retention, PostgreSQL',
    'guardian.md': 'contradictions between ledger and Git, invariants, the halt, reviews of plans',
    'graph.md': 'what depends on a tool, history through renames, Cypher',
    'observability.md': 'OpenTelemetry spans and metrics',
    'errors.md': 'every error code, with causes and fixes',
    'limits.md': 'every limit, with default and range',
    'threats.md': 'threats, each with the test that shows the defence',
  },
  Reference: {
    'names.md': 'names of the original protocol: chronicle, guardian, valve, AQL, EHALT',
    'api.md': 'every exported function, class, type and schema, by topic',
  },
  Measurements: {
    'benchmarks.md': 'comparison with other sandboxes, and figures of every part',
    'load.md': 'an application under load',
    'frameworks.md': 'set-ups that were tried, and overhead in frameworks and runtimes',
    'first_tool.md': 'time from an empty folder to the first tool',
  },
};

/** Pages in `docs/` for contributors, which are not published. */
export const PRIVATE_PAGES = ['releasing.md', 'start_here.md'];

/**
 * @param {string} page below `docs/`
 * @returns {string} its first heading
 */
export function titleOf(page) {
  const title = /^# (.+)$/m.exec(readFileSync(join(ROOT, 'docs', page), 'utf8'))?.[1];
  if (title === undefined) throw new Error(`docs/${page} has no heading.`);
  return title;
}

/** @returns {string[]} the pages of the API reference, below `docs/` */
export function apiPages() {
  return readdirSync(join(ROOT, 'docs', 'api'))
    .sort()
    .map((name) => `api/${name}`);
}
