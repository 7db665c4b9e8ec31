/** `millrace version`: our release, and the one of the API that it is compatible with. */
import { compatibleVersion, release } from '@millrace/server/main';
import { parse } from '../arguments.ts';
import type { Command } from '../command.ts';

export const versionCommand: Command = {
  name: 'version',
  summary: 'Show the version',
  usage: ['millrace version [--json]'],
  run: async (args, { print }) => {
    const { options } = parse(args, [], { json: 'boolean' });
    const shown = {
      version: release.version,
      revision: release.revision,
      api: compatibleVersion,
      node: process.version,
    };
    if (options.json) print(JSON.stringify(shown));
    else print(`millrace ${shown.version} (${shown.revision}), API ${shown.api}, Node ${shown.node}`);
    return 0;
  },
};
