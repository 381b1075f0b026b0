import { defineTGPConfig } from '@tgp/core';

export default defineTGPConfig({
  rootDir: './.tgp',
});
