/** Finds the command, runs it, and turns errors into lines and exit codes: 1 refused or failed, 2 called wrongly. */
import { ConfigError } from '@millrace/server/main';
import { UsageError } from './arguments.ts';
import type { Command, Surroundings } from './command.ts';
import { backupCommand } from './commands/backup.ts';
import { ciCommand } from './commands/ci.ts';
import { configCommand } from './commands/config.ts';
import { demoCommand } from './commands/demo.ts';
import { doctorCommand } from './commands/doctor.ts';
import { jobCommand } from './commands/job.ts';
import { objectsCommand } from './commands/objects.ts';
import { serveCommand } from './commands/serve.ts';
import { tokenCommand } from './commands/token.ts';
import { userCommand } from './commands/user.ts';
import { versionCommand } from './commands/version.ts';
import { help } from './help.ts';

const commands: readonly Command[] = [
  serveCommand,
  configCommand,
  userCommand,
  tokenCommand,
  objectsCommand,
  ciCommand,
  jobCommand,
  backupCommand,
  doctorCommand,
  demoCommand,
  versionCommand,
];

const aliases: Readonly<Record<string, string>> = {
  '--help': 'help',
  '-h': 'help',
  '--version': 'version',
  '-v': 'version',
};

/** Answers the exit code; null leaves the process running. */
export async function main(args: readonly string[], around: Surroundings): Promise<number | null> {
  const [given, ...rest] = args;
  const name = aliases[given ?? ''] ?? given;
  const command = commands.find((each) => each.name === name);
  if (name === 'help' || (command && rest.some((word) => word === '--help' || word === '-h'))) {
    for (const line of help(commands, command ? name : rest[0])) around.print(line);
    return 0;
  }
  if (!command) {
    for (const line of help(commands)) around.warn(line);
    if (given !== undefined) around.warn(`\nmillrace: there is no command ${given}`);
    return 2;
  }
  try {
    return await command.run(rest, around);
  } catch (error) {
    around.warn(`millrace: ${error instanceof Error ? error.message : String(error)}`);
    if (error instanceof UsageError) {
      for (const line of ['', ...help(commands, command.name)]) around.warn(line);
      return 2;
    }
    if (error instanceof ConfigError) return 2;
    // What we did not expect is a fault: whoever looks into it needs where it happened.
    if (error instanceof Error && ['Error', 'TypeError', 'RangeError'].includes(error.name))
      around.warn(String(error.stack));
    return 1;
  }
}
