/** `tgp completion`: shell completion scripts for commands and options. */

import type { Command } from 'commander';
import { line } from '../terminal/screen.js';

/** A command, the commands below it, and the long names of its options. */
type Completed = { name: string; description: string; below: string[]; options: string[] };

const SCRIPTS: Record<string, (commands: Completed[]) => string> = { bash, zsh, fish };

/** The supported shells. */
export const SHELLS = Object.keys(SCRIPTS);

/**
 * @param shell one of {@link SHELLS}
 * @returns the exit code
 */
export function completion(shell: string, program: Command): number {
  const commands = program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    below: command.commands.map((inner) => inner.name()),
    options: [...new Set([command, ...command.commands].flatMap(longNames)), '--help'],
  }));
  line(SCRIPTS[shell]?.(commands));
  return 0;
}

function longNames({ options }: Command) {
  return options.flatMap(({ long }) => (long ? [long] : []));
}

function bash(commands: Completed[]) {
  const cases = commands.map(({ name, options }) => `    ${name}) words="${options.join(' ')}" ;;`).join('\n');
  const inner = commands
    .filter(({ below }) => below.length > 0)
    .map(({ name, below }) => `    ${name}) COMPREPLY=($(compgen -W "${below.join(' ')}" -- "$current")); return ;;`);
  return `_tgp() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')} help --help --version" -- "$current"))
    return
  fi
  [ "$COMP_CWORD" -eq 2 ] && case "\${COMP_WORDS[1]}" in
${inner.join('\n')}
  esac
  case "\${COMP_WORDS[1]}" in
${cases}
  esac
  case "$current" in -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;; esac
}
complete -o default -F _tgp tgp`;
}

function zsh(commands: Completed[]) {
  const list = commands.map(({ name, description }) => `    ${quoted(`${name}:${description}`)}`).join('\n');
  const cases = commands.map(({ name, options }) => `    ${name}) compadd -- ${options.join(' ')} ;;`).join('\n');
  const inner = commands
    .filter(({ below }) => below.length > 0)
    .map(({ name, below }) => `    ${name}) compadd -- ${below.join(' ')}; return ;;`);
  return `#compdef tgp
_tgp() {
  local -a commands=(
${list}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  (( CURRENT == 3 )) && case $words[2] in
${inner.join('\n')}
  esac
  if [[ $words[CURRENT] != -* ]]; then
    _files
    return
  fi
  case $words[2] in
${cases}
  esac
}
compdef _tgp tgp`;
}

function fish(commands: Completed[]) {
  return commands
    .flatMap(({ name, description, below, options }) => [
      `complete -c tgp -n __fish_use_subcommand -f -a ${name} -d ${quoted(description)}`,
      ...below.map((inner) => `complete -c tgp -n '__fish_seen_subcommand_from ${name}' -f -a ${inner}`),
      ...options.map((option) => `complete -c tgp -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}`),
    ])
    .join('\n');
}

/** Quotes a text as one shell word. */
function quoted(text: string) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
