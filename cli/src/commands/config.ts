/** `millrace config`: the effective values and where each came from. */
import { configKeys, configure, shownValue, tomlName } from '@millrace/server/main';
import { parse } from '../arguments.ts';
import { type Command, table } from '../command.ts';

export const configCommand: Command = {
  name: 'config',
  summary: 'Show the effective configuration and where each value comes from',
  usage: ['millrace config [--json]'],
  run: async (args, { env, print }) => {
    const { options } = parse(args, [], { json: 'boolean' });
    const { values, sources, file } = configure(env);
    const rows = configKeys.map((key) => ({
      env: key.env,
      toml: tomlName(key.env),
      value: shownValue(key, values[key.name]),
      source: sources[key.name],
    }));
    if (options.json) {
      print(JSON.stringify({ file, keys: rows }, null, 2));
      return 0;
    }
    print(`configuration file: ${file ?? 'none'}`);
    const lines = rows.map((row) => [row.env, row.value, `(${row.source})`]);
    for (const line of table(lines)) print(line);
    return 0;
  },
};
