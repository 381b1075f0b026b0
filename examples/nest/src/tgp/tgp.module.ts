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

/** Put your own sign-in here: whoever passes has the agent write and run tools. */
function isAllowed(authorization: string | null | undefined): boolean {
  const token = process.env.TGP_AGENT_TOKEN ?? '';
  const given = Buffer.from(authorization ?? '');
  const wanted = Buffer.from(`Bearer ${token}`);
  return token !== '' && given.length === wanted.length && timingSafeEqual(given, wanted);
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
  /** The one kernel of the application, for everything that injects `TGP` or `TgpService`. */
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
