/** Templates of the agent files that `tgp init` writes, with the application's database if there is one. */

import type { Driver } from './databases.js';
import { READ_ONLY } from './databases.js';
import { CRYPTO, isAllowed, messagesOf } from './request_templates.js';

/** Where the agent gets its database; with a driver the agent opens it. */
type Database = 'nowhere' | 'in the config' | Driver;
/** `config` is the name of the config file, `up` the relative path from the agent to its folder. */
type Choices = { language: 'ts' | 'js'; config: string; database: Database; up?: string };

function driverOf(database: Database) {
  return typeof database === 'string' ? undefined : database;
}

/** The `generateText` call of every agent. */
function generate(database: Database, { indent, kernel, more }: { indent: string; kernel: string; more: string[] }) {
  const source = database === 'in the config' ? kernel : 'db, access';
  const tools =
    database === 'nowhere' ? `tgpTools(${kernel})` : `{ ...tgpTools(${kernel}), ...createSqlTools(${source}) }`;
  const lines = [
    // The system prompt describes the configuration, which is loaded by boot().
    `await ${kernel}.boot();`,
    'const { text } = await generateText({',
    "  model: 'openai/gpt-5', // any model of the AI SDK",
    `  tools: ${tools},`,
    `  system: ${kernel}.getSystemPrompt(),`,
    '  stopWhen: stepCountIs(20),',
    ...more.map((line) => `  ${line}`),
    '});',
  ];
  return lines.map((line) => `${indent}${line}`).join('\n');
}

/**
 * Statements that open the database in the agent and set the access of tools.
 * @param warning what to do before tools may write
 */
function opened(database: Database, ...warning: string[]) {
  const driver = driverOf(database);
  if (!driver) return '';
  const comments = [READ_ONLY, ...warning].map((line) => `// ${line}`);
  return `const db = ${driver.open};
${comments.join('\n')}
const access = { readOnly: true };
`;
}

/** A warning for agents behind an HTTP route. */
const OPEN_ROUTE = 'Before that, put authentication in front of this route: every caller can command the agent.';

/** Import statements, sorted by package as formatters do. */
function imports(database: Database, ...statements: string[]) {
  const driver = driverOf(database);
  // Node's built-in modules first, as formatters do.
  const from = (statement: string) =>
    (/'([^']+)';$/.exec(statement)?.[1] ?? '').replace(/^node:/, ' node:').replace(/^\./, '~.');
  return [...statements, ...(driver ? [driver.imports] : [])].sort((a, b) => (from(a) < from(b) ? -1 : 1)).join('\n');
}

function ours(database: Database, ...names: string[]) {
  const sql = database === 'nowhere' ? [] : ['createSqlTools'];
  return `import { ${[...sql, ...names].join(', ')} } from '@tgp/core';`;
}

/**
 * A route handler of Next.js that answers messages with an agent. It exports no `runtime`: Node.js is the default, and
 * `cacheComponents`, which create-next-app sets, refuses the line.
 */
export function nextRoute({ language, config, database, up = '../../../' }: Choices) {
  // A config that opens a database is imported, so that the build includes its imports, such as the driver.
  const isImported = database === 'in the config';
  const sql = driverOf(database) ? ['sql: { source: db, ...access }'] : [];
  const options = isImported ? 'config' : [`configFile: './${config}'`, ...sql].join(', ');
  const statements = [CRYPTO, ours(database, 'TGP', 'tgpTools'), "import { generateText, stepCountIs } from 'ai';"];
  if (isImported) statements.push(`import config from '${up}${config.replace(/\.[jt]s$/, '')}';`);
  return `${imports(database, ...statements)}

${opened(database, OPEN_ROUTE)}const kernel = new TGP({ ${options} });

${isAllowed(language)}

${messagesOf(language)}

export async function POST(request${language === 'ts' ? ': Request' : ''}) {
  if (!isAllowed(request.headers.get('authorization'))) return new Response('Unauthorized', { status: 401 });
  const messages = messagesOf(await request.json().catch(() => undefined));
  if (!messages) return Response.json({ error: BAD_REQUEST }, { status: 400 });
${generate(database, { indent: '  ', kernel: 'kernel', more: ['abortSignal: request.signal,', 'messages,'] })}
  return Response.json({ text });
}
`;
}

/** A script that runs an agent once. */
export function script({ database }: Choices) {
  const driver = driverOf(database);
  const prompt = "prompt: process.argv[2] ?? 'What is the dimensional weight of a 40x40x50 box, divisor 139?',";
  return `${imports(database, ours(database, 'TGP', 'tgpTools'), "import { generateText, stepCountIs } from 'ai';")}

${opened(database)}const kernel = new TGP(${driver ? '{ sql: { source: db, ...access } }' : ''});
try {
${generate(database, { indent: '  ', kernel: 'kernel', more: [prompt] })}
  console.log(text);
} finally {
  await kernel.shutdown();
${driver ? `  await ${driver.close};\n` : ''}}
`;
}

/** A module of NestJS with an agent: service, guard and controller. */
export function nestModule({ database }: Choices) {
  const driver = driverOf(database);
  const nest = `import {
  BadRequestException,
  Body,
  type CanActivate,
  Controller,
  type DynamicModule,
  type ExecutionContext,
  Inject,
  Injectable,
  Module,
  type OnApplicationShutdown,
  Post,
  UseGuards,
} from '@nestjs/common';`;
  const sdk = "import { generateText, stepCountIs } from 'ai';";
  return `${imports(database, nest, CRYPTO, ours(database, 'TGP', 'type TGPOptions', 'tgpTools'), sdk)}

${opened(database, OPEN_ROUTE)}${driver ? '\n' : ''}@Injectable()
export class TgpService implements OnApplicationShutdown {
  constructor(@Inject(TGP) readonly kernel: TGP) {}

  async answer(messages: Message[]): Promise<string> {
${generate(database, { indent: '    ', kernel: 'this.kernel', more: ['messages,'] })}
    return text;
  }

  /** Called after the last answer, if main.ts calls \`app.enableShutdownHooks()\`. */
  async onApplicationShutdown(): Promise<void> {
    await this.kernel.shutdown();
${driver ? `    await ${driver.close};\n` : ''}  }
}

${isAllowed('ts')}

${messagesOf('ts')}

@Injectable()
export class TgpGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return isAllowed(context.switchToHttp().getRequest().headers.authorization);
  }
}

@Controller('agent')
@UseGuards(TgpGuard)
export class TgpController {
  constructor(@Inject(TgpService) private readonly tgp: TgpService) {}

  @Post()
  async post(@Body() body: unknown): Promise<{ text: string }> {
    const messages = messagesOf(body);
    if (!messages) throw new BadRequestException(BAD_REQUEST);
    return { text: await this.tgp.answer(messages) };
  }
}

@Module({})
export class TgpModule {
  /** One kernel for the application, shared by every class that injects \`TGP\` or \`TgpService\`. */
  static forRoot(options: TGPOptions = {}): DynamicModule {
    return {
      module: TgpModule,
      global: true,
      controllers: [TgpController],
      providers: [{ provide: TGP, useFactory: () => new TGP(${driver ? '{ sql: { source: db, ...access }, ...options }' : 'options'}) }, TgpService],
      exports: [TGP, TgpService],
    };
  }
}
`;
}
