import {
  Body,
  Controller,
  type DynamicModule,
  Inject,
  Injectable,
  Module,
  type OnModuleDestroy,
  Post,
} from '@nestjs/common';
import { TGP, type TGPOptions, tgpTools } from '@tgp/core';
import { generateText, type ModelMessage, stepCountIs } from 'ai';

@Injectable()
export class TgpService implements OnModuleDestroy {
  constructor(@Inject(TGP) readonly kernel: TGP) {}

  async answer(messages: ModelMessage[]): Promise<string> {
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

@Controller('agent')
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
