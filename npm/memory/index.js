import { fileURLToPath } from 'node:url';

export const weights = fileURLToPath(new URL('./all-minilm-l6-v2.int8.bin', import.meta.url));
