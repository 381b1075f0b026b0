import { statSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigError, createShellTools, TGP } from '../../index.js';
import { CAN_CONFINE, shellFolder } from '../helpers/shell_folder.js';
import { tempRoot } from '../helpers/temp_root.js';

/** Makes forbidden attempts and prints the outcome of each. */
const ATTEMPTS = `
const [port, socket, secret, host, home, abstract] = process.argv.slice(1);
const fs = require('node:fs'); const net = require('node:net'); const dgram = require('node:dgram');
const { spawnSync } = require('node:child_process');
const outcomes = {};
const tried = (name, work) => { try { outcomes[name] = 'done: ' + String(work()).slice(0, 80); } catch (error) { outcomes[name] = error.info?.code ?? error.code ?? String(error); } };
const connecting = (name, where) => new Promise((end) => {
  const client = net.connect(where, () => { outcomes[name] = 'connected'; client.destroy(); end(); });
  client.on('error', (error) => { outcomes[name] = error.code; end(); });
});
tried('real file', () => fs.readFileSync(secret, 'utf8'));
tried('real folder', () => fs.readdirSync(require('node:path').dirname(secret)));
tried('append to the real file', () => fs.appendFileSync(secret, 'x'));
tried('cut the real file off', () => fs.truncateSync(secret, 0));
tried('link to the real file', () => fs.linkSync(secret, 'linked'));
tried('through a link', () => { fs.symlinkSync(secret, process.env.TMPDIR + '/way'); return fs.readFileSync(process.env.TMPDIR + '/way', 'utf8'); });
tried('keys', () => fs.readdirSync(home + '/.ssh'));
tried('environment of the host', () => fs.readFileSync('/proc/' + host + '/environ', 'utf8'));
tried('processes', () => fs.readdirSync('/proc'));
tried('passwords', () => fs.readFileSync('/etc/shadow', 'utf8'));
tried('write to /tmp', () => fs.writeFileSync('/tmp/tgp-escaped', 'x'));
tried('write to /usr', () => fs.writeFileSync('/usr/tgp-escaped', 'x'));
tried('write to shared memory', () => fs.writeFileSync('/dev/shm/tgp-escaped', 'x'));
tried('signal to the host', () => process.kill(Number(host), 0));
tried('signal to the supervisor', () => process.kill(process.ppid, 'SIGKILL'));
tried('priority of the host', () => require('node:os').setPriority(Number(host), 19));
tried('another program', () => spawnSync('/bin/echo', ['hello']).stdout);
tried('own folder', () => { fs.mkdirSync('made'); fs.writeFileSync('made/a', 'a'); fs.rmSync('made', { recursive: true }); return 'ok'; });
tried('own temp', () => { fs.writeFileSync(process.env.TMPDIR + '/a', 'a'); fs.writeFileSync(process.env.HOME + '/a', 'a'); return 'ok'; });
(async () => {
  await connecting('tcp', { host: '127.0.0.1', port: Number(port) });
  await connecting('tcp6', { host: '::1', port: Number(port) });
  await connecting('unix socket', { path: socket });
  await connecting('abstract socket', { path: '\\0' + abstract });
  await new Promise((end) => { const out = dgram.createSocket('udp4'); out.on('error', (error) => { outcomes.udp = error.code; end(); }); out.send('x', Number(port), '127.0.0.1', (error) => { if (!error) outcomes.udp = 'sent'; end(); }); });
  await new Promise((end) => { const server = net.createServer(); server.on('error', (error) => { outcomes.listen = error.code; end(); }); server.listen(0, () => { outcomes.listen = 'listens'; end(); }); });
  console.log(JSON.stringify({ outcomes, env: Object.keys(process.env).sort() }));
  process.exit(0);
})();
`;

/** Makes system calls that no standard library makes. */
const SYSTEM_CALLS = `
import ctypes, errno, json, os, socket
libc = ctypes.CDLL(None, use_errno=True)
outcomes = {}
def call(name, number, *args):
    ctypes.set_errno(0)
    done = libc.syscall(number, *args)
    outcomes[name] = 'done' if done >= 0 else errno.errorcode[ctypes.get_errno()]
call('ptrace', 101, 16, os.getppid(), 0, 0)
call('io_uring', 425, 8, ctypes.create_string_buffer(256))
call('bpf', 321, 0, 0, 0)
call('unshare', 272, 0x10000000)
call('clone with a namespace', 56, 0x10000000 | 17, 0, 0, 0, 0)
call('clone3', 435, ctypes.create_string_buffer(88), 88)
call('mount', 165, 0, 0, 0, 0, 0)
call('keyctl', 250, 0, -3, 0, 0, 0)
call('userfaultfd', 323, 0)
call('memory file', 319, b'x', 0)
call('shared segment', 29, 0, 4096, 0o1600)
call('limits of another', 302, os.getppid(), 7, 0, 0)
call('pidfd', 434, os.getppid(), 0)
call('x32', 0x40000000 | 41, 2, 1, 0)
call('socket', 41, 2, 1, 0)
call('netlink', 41, 16, 3, 0)
call('datagram pair', 53, 1, 2, 0, ctypes.create_string_buffer(8))
call('stream pair', 53, 1, 1, 0, ctypes.create_string_buffer(8))
call('owner of a descriptor', 72, 0, 8, os.getppid())
call('chmod of a file of others', 90, b'SECRET', 0o777)
print(json.dumps(outcomes))
`;

describe.runIf(CAN_CONFINE)('A confined program', () => {
  it('cannot reach the network, files of others, processes or secrets', async () => {
    let connections = 0;
    const servers = [createServer(), createServer(), createServer(), createServer()];
    onTestFinished(() => servers.forEach((server) => void server.close()));
    for (const server of servers)
      server.on('connection', (socket) => {
        connections += 1;
        socket.destroy();
      });
    const { folder, cwd, node, files } = await shellFolder(
      { 'secret.txt': 'of the application' },
      { env: { GIVEN: 'yes' } },
    );
    const listen = (/** @type {any} */ server, /** @type {any} */ where) =>
      new Promise((resolve) => server.listen(where, () => resolve(server.address().port)));
    const port = await listen(servers[0], { host: '127.0.0.1', port: 0 });
    await listen(servers[1], { host: '::1', port });
    const socket = join(folder, 'socket');
    await listen(servers[2], { path: socket });
    const abstract = `tgp-abstract-${process.pid}`;
    await listen(servers[3], { path: `\0${abstract}` });
    process.env.TGP_TEST_SECRET = 'of the host';
    const secret = join(cwd, 'secret.txt');
    const answer = await node(ATTEMPTS, String(port), socket, secret, String(process.pid), homedir(), abstract);
    expect(answer).toMatchObject({ success: true, exitCode: 0, changes: [] });
    const { outcomes, env } = JSON.parse(answer.stdout);
    // There may be no keys on this machine.
    if (outcomes.keys === 'ENOENT') outcomes.keys = 'EACCES';
    const refused = Object.entries(outcomes).filter(([name]) => !/own|another program/.test(name));
    expect(refused.filter(([, outcome]) => !/^(?:EACCES|EPERM|EXDEV|ESRCH)$/.test(String(outcome)))).toEqual([]);
    expect(refused.length).toBeGreaterThan(20);
    expect(outcomes).toMatchObject({ 'own folder': 'done: ok', 'own temp': 'done: ok' });
    expect(outcomes['another program']).toMatch(/^done: hello/);
    expect(env).toEqual(['GIT_CONFIG_NOSYSTEM', 'GIVEN', 'HOME', 'LANG', 'PATH', 'TMPDIR']);
    expect(connections).toBe(0);
    expect(await files()).toEqual({ 'secret.txt': 'of the application' });
  });

  it.runIf(process.arch === 'x64')('cannot make system calls that lead outside', async () => {
    const { cwd, run_program } = await shellFolder({ 'a.txt': 'a' }, { programs: ['/usr/bin/python3'] });
    const script = SYSTEM_CALLS.replace('SECRET', join(cwd, 'a.txt'));
    const answer = await run_program.execute({ program: 'python3', args: ['-c', script] });
    expect(answer.stderr).toBe('');
    const { clone3, x32, ...outcomes } = JSON.parse(answer.stdout);
    const { 'stream pair': pair, 'chmod of a file of others': pretended, ...refused } = outcomes;
    expect([pair, pretended, clone3, x32]).toEqual(['done', 'done', 'ENOSYS', 'ENOSYS']);
    expect(Object.entries(refused).filter(([, outcome]) => outcome !== 'EPERM')).toEqual([]);
    const { mode } = statSync(join(cwd, 'a.txt'));
    expect(mode & 0o777).toBe(0o644);
  });

  it('gets its arguments and input verbatim, without a shell', async () => {
    const { run_program, files } = await shellFolder({ 'a.txt': 'a' }, { programs: ['echo', 'cat'] });
    const args = ['; rm -rf .', '$(touch b)', '`id`', '*', '| cat', "'", '"', '\n', 'é'];
    const echoed = await run_program.execute({ program: 'echo', args });
    expect(echoed.stdout).toBe(`${args.join(' ')}\n`);
    const read = await run_program.execute({ program: 'cat', stdin: 'given\n$(id)' });
    expect(read.stdout).toBe('given\n$(id)');
    expect(await files()).toEqual({ 'a.txt': 'a' });
  });

  it('must be allowed; the refusal lists the allowed programs', async () => {
    const { run_program } = await shellFolder({}, { programs: ['echo', 'cat'] });
    for (const program of ['sh', '/bin/echo', 'echo hello', '../echo', 'ecoh']) {
      await expect(run_program.execute({ program })).rejects.toMatchObject({
        code: 'ERR_VALIDATION',
        message: expect.stringMatching(/is not allowed\..* Allowed: echo, cat\./),
      });
    }
    await expect(run_program.execute({ program: 'ecoh' })).rejects.toThrow(/Did you mean echo\?/);
    await expect(run_program.execute({ program: 'echo', args: ['a\0b'] })).rejects.toThrow(/NUL/);
  });

  it('cannot read hidden files, nor write read-only ones', async () => {
    const { cwd, sh, files } = await shellFolder({
      '.env': 'KEY=1',
      'sub/.env.local': 'KEY=2',
      '.git/config': '[core]',
      'node_modules/a/index.js': 'module.exports = 7;',
      'a.txt': 'a',
    });
    const before = await files();
    const answer = await sh(
      'ls -A . sub; cat .git/config; node -p "require(\'a\')"; echo x > .git/hook; echo x >> node_modules/a/index.js',
    );
    expect(answer.stdout).toContain('[core]');
    expect(answer.stdout).toContain('7\n');
    expect(answer.stdout).not.toContain('.env');
    expect(answer.stderr.match(/Permission denied/g), 'its .git is a copy that is never applied').toHaveLength(1);
    expect(answer.stdout + answer.stderr).not.toContain(cwd);
    expect(await files()).toEqual(before);
  });
});

describe('The options of createShellTools', () => {
  it.runIf(CAN_CONFINE)('are validated, and the error names the option', async () => {
    const { cwd } = await shellFolder({});
    const wrong = [
      [{ programs: [] }, /"programs"/],
      [{ programs: ['no-such-program'] }, /"no-such-program", which is not a program/],
      [{ programs: ['sh', '/bin/sh'] }, /names "sh" twice/],
      [{ cwd: join(cwd, 'nowhere') }, /"cwd"/],
      [{ cwd: '/' }, /"cwd"/],
      [{ env: { LD_PRELOAD: '/x.so' } }, /LD_/],
      [{ readable: ['relative'] }, /"readable/],
      [{ hidden: ['a/b'] }, /"hidden/],
      [{ timeoutMs: 1 }, /"timeoutMs"/],
      [{ kernel: {} }, /"kernel" must be a TGP/],
      [{ approves: () => true }, /did you mean "approve"/],
    ];
    for (const [options, message] of wrong) {
      const create = () =>
        createShellTools(/** @type {any} */ ({ programs: ['sh'], cwd, .../** @type {any} */ (options) }));
      expect(create).toThrow(ConfigError);
      expect(create).toThrow(/** @type {RegExp} */ (message));
    }
  });

  it('are accepted on every system with full worker confinement', async () => {
    const kernel = new TGP({ config: { rootDir: await tempRoot() } });
    onTestFinished(() => kernel.shutdown());
    const { landlock, seccomp } = await kernel.confinement();
    if (landlock === 'active' && seccomp === 'active') expect(CAN_CONFINE).toBe(true);
  });

  it.runIf(!CAN_CONFINE)('are refused on systems without confinement', async () => {
    expect(() => createShellTools({ programs: [process.execPath], cwd: process.cwd() })).toThrow(/cannot confine/);
  });
});
