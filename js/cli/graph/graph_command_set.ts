/** The declarations of `tgp graph …`. */

import { type Command, Option } from 'commander';
import type { CommandAction } from '../agent/agent_commands.js';

/** What the command line provides to declare commands. */
type Parts = {
  command: (usage: string, description: string) => Command;
  onWorkspace: (made: Command) => Command;
  explained: (made: Command) => Command;
  action: CommandAction;
};

/** Adds `tgp graph` and its commands. */
export function addGraphCommands({ command, onWorkspace, explained, action }: Parts) {
  const graph = command('graph', 'ask how tools, files, commits, sessions and runs are related');
  const ofGraph = (usage: string, description: string) =>
    onWorkspace(explained(graph.command(usage)).description(description).allowExcessArguments(false))
      .option('--commit <hash>', 'answer as of this commit, a full or short hash (default: the current one)')
      .option('--root <folder>', 'ask about the Git repository in this folder instead of the workspace');
  ofGraph('query <cypher>', 'run a read-only Cypher query and print its rows')
    .option('-a, --args <json>', 'parameters of the query: a JSON object, @file, or - for standard input', '{}')
    .action(action(async () => (await commands()).query));
  ofGraph('impact <path>', 'print what a change or a removal of a file can break').action(
    action(async () => (await commands()).impact),
  );
  ofGraph('history <path>', 'print the commits of a file, newest first, through renames').action(
    action(async () => (await commands()).history),
  );
  ofGraph('picture [path]', 'print a picture of the links between all tools, or of those of one file')
    .addOption(
      new Option('--as <format>', 'format of the picture').choices(['mermaid', 'dot', 'svg']).default('mermaid'),
    )
    .option('-o, --output <file>', 'write to this file')
    .action(action(async () => (await commands()).picture));
}

function commands() {
  return import('./graph_commands.js');
}
