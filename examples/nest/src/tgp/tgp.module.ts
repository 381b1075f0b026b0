import { timingSafeEqual } from 'node:crypto';
import {
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
} from '@nestjs/common';
import { TGP, type TGPOptions, tgpTools } from '@tgp/core';
import { generateText, stepCountIs } from 'ai';

@Injectable()
export class TgpService implements OnApplicationShutdown {
  constructor(@Inject(TGP) readonly kernel: TGP) {}

  async answer(messages: Message[]): Promise<string> {
    await this.kernel.boot();
    const { text } = await generateText({
      model: 'openai/gpt-5', // any model of the AI SDK
      tools: tgpTools(this.kernel),
      system: this.kernel.getSystemPrompt(),
      stopWhen: stepCountIs(20),
      messages,
    });
    return text;
  }

  /** Called after the last answer, if main.ts calls `app.enableShutdownHooks()`. */
  async onApplicationShutdown(): Promise<void> {
    await this.kernel.shutdown();
  }
}

/** Put your own authentication here: every caller that passes can have the agent write and run tools. */
function isAllowed(authorization: string | null | undefined): boolean {
  const token = process.env.TGP_AGENT_TOKEN ?? '';
  const actual = Buffer.from(authorization ?? '');
  const expected = Buffer.from(`Bearer ${token}`);
  return token !== '' && actual.length === expected.length && timingSafeEqual(actual, expected);
}

const BAD_REQUEST =
  'The body must be JSON such as { "messages": [{ "role": "user", "content": "…" }] }, with the roles user and assistant.';

type Message = { role: 'user' | 'assistant'; content: string };

/** The messages of a request, with text only; undefined if its body is not valid. */
function messagesOf(body: unknown): Message[] | undefined {
  const messages: unknown = Object(body).messages;
  if (!Array.isArray(messages) || messages.length === 0) return undefined;
  const texts = messages.map((message) => ({ role: message?.role, content: message?.content }));
  const areValid = texts.every(
    ({ role, content }) => ['user', 'assistant'].includes(role) && typeof content === 'string' && content !== '',
  );
  return areValid ? texts : undefined;
}

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
  /** One kernel for the application, shared by every class that injects `TGP` or `TgpService`. */
  static forRoot(options: TGPOptions = {}): DynamicModule {
    return {
      module: TgpModule,
      global: true,
      controllers: [TgpController],
      providers: [{ provide: TGP, useFactory: () => new TGP(options) }, TgpService],
      exports: [TGP, TgpService],
    };
  }
}
