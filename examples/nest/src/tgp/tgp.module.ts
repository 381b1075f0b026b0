import { timingSafeEqual } from 'node:crypto';
import {
  Body,
  type CanActivate,
  Controller,
  type DynamicModule,
  type ExecutionContext,
  Inject,
  Injectable,
  Module,
  type OnModuleDestroy,
  Post,
  UseGuards,
} from '@nestjs/common';
import { TGP, type TGPOptions, tgpTools } from '@tgp/core';
import { generateText, type ModelMessage, stepCountIs } from 'ai';

@Injectable()
export class TgpService implements OnModuleDestroy {
  constructor(@Inject(TGP) readonly kernel: TGP) {}

  async answer(messages: ModelMessage[]): Promise<string> {
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

  async onModuleDestroy(): Promise<void> {
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
  async post(@Body() body: { messages: ModelMessage[] }): Promise<{ text: string }> {
    return { text: await this.tgp.answer(body.messages) };
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
