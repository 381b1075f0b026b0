import { defineTGPConfig } from '@tgp/core';

export default defineTGPConfig({
  rootDir: process.env.TGP_ROOT ?? './.tgp',
});
