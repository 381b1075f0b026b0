import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { CLI } from '../../tools/run_cli.mjs';

/** A terminal that types an answer at each question. It is created by Python, because Node cannot create one. */
const TERMINAL = `
import fcntl, os, pty, select, struct, sys, termios, time
answers = sys.argv[1]
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 40, 1000, 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])
seen, given, deadline = b'', 0, time.time() + 100
while time.time() < deadline:
    if select.select([terminal], [], [], 0.1)[0]:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            break
        seen += part
        os.write(1, part)
    elif given < len(answers) and seen.count(b'Allow?') > given:
        os.write(terminal, answers[given].encode())
        given += 1
else:
    os.kill(pid, 9)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;

export function hasTerminals() {
  try {
    execFileSync('python3', ['-c', 'import pty'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/**
 * Runs `tgp` at a terminal, and answers its questions.
 * @param {string} cwd
 * @param {string[]} args
 * @param {string} answers the key for each question
 */
export async function runAtTerminal(cwd, args, answers) {
  const child = spawn('python3', ['-c', TERMINAL, answers, process.execPath, CLI, ...args], { cwd });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, shown: stripVTControlCharacters(stdout), stderr };
}
