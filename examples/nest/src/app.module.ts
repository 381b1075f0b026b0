import { Module } from '@nestjs/common';
import { TgpModule } from './tgp/tgp.module.js';

@Module({ imports: [TgpModule.forRoot({ configFile: './tgp.config.mjs' })] })
export class AppModule {}
