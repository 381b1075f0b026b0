/** Command lines of package managers. */

import type { Agent } from 'package-manager-detector';
import { resolveCommand } from 'package-manager-detector/commands';

/**
 * The command that installs packages, or runs an installed program, as typed by the user.
 * @param words the packages, or the program and its arguments
 */
export function packageCommand(manager: Agent, task: 'add' | 'execute-local', words: string[]): string {
  // Every version of yarn runs an installed program by its name and passes all arguments on.
  if (manager.startsWith('yarn') && task === 'execute-local') return ['yarn', ...words].join(' ');
  const resolved = resolveCommand(manager, task, words);
  return resolved ? [resolved.command, ...resolved.args].join(' ') : words.join(' ');
}
