/** `millrace demo`: fills an instance with a small organisation, through the public API only. */
import { configure, operations } from '@millrace/server/main';
import { parse, UsageError } from '../arguments.ts';
import type { Command, Surroundings } from '../command.ts';
import { brightwater } from '../demo/brightwater.ts';
import { fill } from '../demo/fill.ts';

function waitOf(text: string | undefined): number {
  const seconds = Number(text ?? 60);
  if (!Number.isFinite(seconds) || seconds < 0) throw new UsageError(`--wait is ${text}, but must be seconds`);
  return seconds * 1000;
}

async function run(args: readonly string[], { env, print }: Surroundings): Promise<number> {
  const { options } = parse(args, [], { url: 'string', token: 'string', wait: 'string' });
  const wait = waitOf(options.wait);
  if (options.url !== undefined && !URL.canParse(options.url)) throw new UsageError(`--url is ${options.url}, no URL`);
  if (options.token !== undefined) {
    const { values } = configure(env);
    const url = options.url ?? values.url ?? `http://127.0.0.1:${values.port}`;
    await fill(brightwater, { url: url.replace(/\/+$/, ''), token: options.token, print, wait });
    return 0;
  }
  if (options.url !== undefined) throw new UsageError('--url needs --token, of an administrator');
  // On the instance's own machine its data directory is proof enough.
  const { values } = configure(env);
  const { createToken, revokeToken } = await operations();
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const made = await createToken(values, { username: 'root', name: 'demo', scopes: ['api'], expiresAt });
  try {
    const url = values.url ?? `http://127.0.0.1:${values.port}`;
    await fill(brightwater, { url, token: made.token, print, wait });
  } finally {
    await revokeToken(values, made.id);
  }
  return 0;
}

export const demoCommand: Command = {
  name: 'demo',
  summary: 'Fill a running instance with a small organisation to look at',
  usage: ['millrace demo [--url URL --token TOKEN] [--wait SECONDS]'],
  run,
};
