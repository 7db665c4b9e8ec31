/** What the command says about itself. */
import type { Command } from './command.ts';

/** All commands, or one of them. */
export function help(commands: readonly Command[], name?: string): string[] {
  const one = commands.find((command) => command.name === name);
  if (one) return [one.summary, '', 'Usage:', ...one.usage.map((line) => `  ${line}`)];
  const width = Math.max(...commands.map((command) => command.name.length));
  return [
    'Millrace: self-hosted git, review and CI/CD',
    '',
    'Commands:',
    ...commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`),
    `  ${'help'.padEnd(width)}  Show this, or how a command is used`,
    '',
    'Settings are environment variables or keys of millrace.toml: millrace config shows all of them.',
  ];
}
