import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { tempRoot } from '../helpers/temp_root.js';

const PROGRAM = fileURLToPath(new URL('../fixtures/dns_rebinding.mjs', import.meta.url));
const NETWORK = ['--map-root-user', '--mount', '--net'];
/** Whether the system allows private network namespaces. */
const allowed = spawnSync('unshare', [...NETWORK, 'ip', 'link', 'set', 'lo', 'up']).status === 0;

describe.skipIf(!allowed)('a name that changes its address (in a network namespace, with a real DNS server)', () => {
  it('is checked at every lookup, and the connection uses the checked address', async () => {
    const root = await tempRoot();
    writeFileSync(join(root, 'resolv.conf'), 'nameserver 127.0.0.1\n');
    const setUp = 'ip link set lo up && ip addr add 93.184.216.34/32 dev lo && mount --bind "$1" /etc/resolv.conf';
    const script = `${setUp} && exec "$2" "$3" "$4"`;
    const args = [join(root, 'resolv.conf'), process.execPath, PROGRAM, join(root, '.tgp')];
    const { stdout, stderr } = spawnSync('unshare', [...NETWORK, 'sh', '-c', script, 'sh', ...args], {
      encoding: 'utf8',
      timeout: 60_000,
    });
    const refused = { result: 'ERR_SECURITY_VIOLATION', asked: 1 };
    expect(stdout, stderr).not.toBe('');
    expect(JSON.parse(stdout)).toEqual({
      honest: { result: 'public', asked: 1 },
      rebound: refused,
      between: { result: 'public', asked: 1 },
      mixed: refused,
      mixedOtherWay: refused,
      metadata: refused,
      six: refused,
      mapped: refused,
      redirected: { result: 'ERR_SECURITY_VIOLATION', asked: 2 },
      recovered: { result: 'public', asked: 1 },
      seen: { public: 4, secret: 0 },
    });
  });
});
