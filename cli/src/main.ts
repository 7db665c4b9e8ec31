/** Finds the command, runs it, and turns errors into lines and exit codes: 1 refused or failed, 2 called wrongly. */
import { UsageError } from './arguments.ts';
import type { Command, Surroundings } from './command.ts';
import { help } from './help.ts';

/** Each is loaded when it is called: `ci` starts without the server's code. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./commands/serve.ts')).serveCommand,
  config: async () => (await import('./commands/config.ts')).configCommand,
  user: async () => (await import('./commands/user.ts')).userCommand,
  token: async () => (await import('./commands/token.ts')).tokenCommand,
  objects: async () => (await import('./commands/objects.ts')).objectsCommand,
  ci: async () => (await import('./commands/ci.ts')).ciCommand,
  job: async () => (await import('./commands/job.ts')).jobCommand,
  backup: async () => (await import('./commands/backup.ts')).backupCommand,
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand,
  demo: async () => (await import('./commands/demo.ts')).demoCommand,
  version: async () => (await import('./commands/version.ts')).versionCommand,
};

const allCommands = (): Promise<Command[]> => Promise.all(Object.values(commands).map((load) => load()));

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
  const load = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (name === 'help' || (load && rest.some((word) => word === '--help' || word === '-h'))) {
    for (const line of help(await allCommands(), load ? name : rest[0])) around.print(line);
    return 0;
  }
  if (!load) {
    for (const line of help(await allCommands())) around.warn(line);
    if (given !== undefined) around.warn(`\nmillrace: there is no command ${given}`);
    return 2;
  }
  const command = await load();
  try {
    return await command.run(rest, around);
  } catch (error) {
    around.warn(`millrace: ${error instanceof Error ? error.message : String(error)}`);
    if (error instanceof UsageError) {
      for (const line of ['', ...help([command], command.name)]) around.warn(line);
      return 2;
    }
    // What is wrong with the settings.
    if (error instanceof Error && error.name === 'ConfigError') return 2;
    // What we did not expect is a fault: whoever looks into it needs where it happened.
    if (error instanceof Error && ['Error', 'TypeError', 'RangeError'].includes(error.name))
      around.warn(String(error.stack));
    return 1;
  }
}
