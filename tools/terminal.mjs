/** A terminal with scripted input. It is created by Python, because Node cannot create one. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { CLI } from './run_cli.mjs';

/** Types a text whenever another one appears on the screen, each once and in order. */
const TERMINAL = `
import fcntl, json, os, pty, select, struct, sys, termios, time
columns, script = int(sys.argv[1]), json.loads(sys.argv[2])
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 40, columns, 0, 0))
    os.execvp(sys.argv[3], sys.argv[3:])
seen, deadline = b'', time.time() + 100
key, repeats, until = b'', 0, 0
while time.time() < deadline:
    if time.time() < until and time.time() >= repeats:
        os.write(terminal, key)
        repeats = time.time() + 0.03
    if script and time.time() >= until and script[0][0].encode() in seen:
        awaited, typed, *held = script.pop(0)
        seen = seen.split(awaited.encode(), 1)[1]
        os.write(terminal, typed.encode())
        if held:
            key, repeats, until = typed.encode(), time.time() + 0.5, time.time() + held[0]
    if select.select([terminal], [], [], 0.01 if time.time() < until else 0.1)[0]:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            break
        if not part:
            break
        seen += part
        os.write(1, part)
else:
    os.kill(pid, 9)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 255)
`;

/** The environment of a person at a terminal, without the variables by which Node disables colours in CI. */
const PERSON = { TERM: 'xterm-256color', CI: undefined, TF_BUILD: undefined, FORCE_COLOR: undefined };

/**
 * Runs `tgp` at a terminal.
 * @param {string} cwd
 * @param {string[]} args
 * @param {object} [options]
 * @param {[awaited: string, typed: string, held?: number][]} [options.script] what is typed, after what, and for how many seconds the
 * key is held down
 * @param {number} [options.columns]
 * @param {NodeJS.ProcessEnv} [options.env]
 */
export async function atTerminal(cwd, args, { script = [], columns = 100, env = {} } = {}) {
  const python = ['-c', TERMINAL, String(columns), JSON.stringify(script), process.execPath, CLI, ...args];
  const child = spawn('python3', python, { cwd, env: { ...process.env, ...PERSON, ...env } });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr, lines: screenLines(stdout) };
}

/**
 * The final lines of a screen, with their colours, without overwritten text.
 * @param {string} output
 */
export function screenLines(output) {
  return output.split('\n').map((line) =>
    line
      .slice(line.lastIndexOf('\u001b[2K') + 1)
      .replace(/^\[2K/, '')
      .replaceAll('\r', ''),
  );
}
