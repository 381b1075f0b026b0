import { withTGP } from '@tgp/core/next';
import type { NextConfig } from 'next';

const config: NextConfig = { output: 'standalone' };

export default withTGP(config);
