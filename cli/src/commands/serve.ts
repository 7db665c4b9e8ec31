/** `millrace serve`: one serving process. */
import { serve } from '@millrace/server/main';
import { parse } from '../arguments.ts';
import type { Command } from '../command.ts';

export const serveCommand: Command = {
  name: 'serve',
  summary: 'Serve until SIGTERM or SIGINT',
  usage: ['millrace serve'],
  run: async (args, { env, print, exit, terminal }) => {
    parse(args, [], {});
    await serve(env, { print, exit, terminal });
    return null;
  },
};
