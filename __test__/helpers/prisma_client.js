import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER =
  process.env.TGP_PRISMA_FOLDER ?? fileURLToPath(new URL('../../node_modules/.cache/tgp-prisma/', import.meta.url));
const SCHEMA = `
generator client {
  provider = "prisma-client-js"
  output   = "../generated"
}
datasource db {
  provider = "postgresql"
}
model Item {
  id   Int     @id @default(autoincrement())
  name String?
  @@map("items")
}
`;
const CONFIG = `import { defineConfig } from 'prisma/config';
export default defineConfig({ schema: 'prisma/schema.prisma', datasource: { url: 'postgresql://unused' } });
`;

/** Whether Prisma's tests are enabled: its packages take minutes to install. */
export function wantsPrisma() {
  const wanted = process.env.TGP_TEST_PRISMA === '1';
  if (!wanted) console.warn('SKIPPED: Prisma (set TGP_TEST_PRISMA=1; its packages are installed once).');
  return wanted;
}

/**
 * A real Prisma client over pg, generated without the engine that would be downloaded: nothing here migrates.
 * @param {{ host: string, port: number, user: string, database: string }} server
 */
export function prismaClient(server) {
  const inFolder = createRequire(join(FOLDER, 'package.json'));
  if (!existsSync(join(FOLDER, 'generated', 'index.js'))) {
    mkdirSync(join(FOLDER, 'prisma'), { recursive: true });
    writeFileSync(join(FOLDER, 'package.json'), '{ "private": true }');
    writeFileSync(join(FOLDER, 'prisma', 'schema.prisma'), SCHEMA);
    writeFileSync(join(FOLDER, 'prisma.config.ts'), CONFIG);
    const packages = ['prisma', '@prisma/client', '@prisma/adapter-pg'].map((name) => `${name}@7.10.1`);
    const quiet = { cwd: FOLDER, stdio: /** @type {const} */ ('ignore') };
    execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...packages], quiet);
    execFileSync(join(FOLDER, 'node_modules', '.bin', 'prisma'), ['generate'], {
      ...quiet,
      env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true', CHECKPOINT_DISABLE: '1' },
    });
  }
  const { PrismaClient } = inFolder('./generated/index.js');
  const { PrismaPg } = inFolder('@prisma/adapter-pg');
  return new PrismaClient({ adapter: new PrismaPg(server) });
}
