/** `millrace token`: personal access tokens, beside a running server or without one. */
import { configure, operations } from '@millrace/server/main';
import { parse, UsageError } from '../arguments.ts';
import { type Command, type Surroundings, table } from '../command.ts';

async function create(args: readonly string[], around: Surroundings): Promise<number> {
  const { words, options } = parse(args, ['USER', 'NAME'], { scopes: 'string', expires: 'string', json: 'boolean' });
  if (options.expires !== undefined && !/^\d{4}-\d\d-\d\d$/.test(options.expires))
    throw new UsageError(`--expires is ${options.expires}, but must be a date like 2030-12-31`);
  const { createToken } = await operations();
  const created = await createToken(configure(around.env).values, {
    username: words[0],
    name: words[1],
    scopes: options.scopes?.split(',').map((scope) => scope.trim()),
    expiresAt: options.expires,
  });
  // Alone on its line, so that scripts can take it.
  around.print(options.json ? JSON.stringify(created) : created.token);
  return 0;
}

async function revoke(args: readonly string[], around: Surroundings): Promise<number> {
  const { words } = parse(args, ['ID'], {});
  const id = Number(words[0]);
  if (!Number.isSafeInteger(id) || id < 1) throw new UsageError(`ID is ${words[0]}, but must be a number`);
  const { revokeToken } = await operations();
  await revokeToken(configure(around.env).values, id);
  around.print(`token ${id} is revoked`);
  return 0;
}

async function list(args: readonly string[], around: Surroundings): Promise<number> {
  const { words, options } = parse(args, ['USER'], { json: 'boolean' });
  const { listTokens } = await operations();
  const tokens = await listTokens(configure(around.env).values, words[0]);
  if (options.json) around.print(JSON.stringify(tokens, null, 2));
  else {
    const rows = tokens.map((token) => [
      String(token.id),
      token.name,
      token.scopes.join(','),
      token.expires_at ?? 'never',
      token.revoked ? 'revoked' : 'active',
    ]);
    for (const line of table([['ID', 'NAME', 'SCOPES', 'EXPIRES', 'STATE'], ...rows])) around.print(line);
  }
  return 0;
}

const forms: Readonly<Record<string, (args: readonly string[], around: Surroundings) => Promise<number>>> = {
  create,
  revoke,
  list,
};

export const tokenCommand: Command = {
  name: 'token',
  summary: 'Create, revoke and list personal access tokens',
  usage: [
    'millrace token create USER NAME [--scopes api,read_user] [--expires YYYY-MM-DD] [--json]',
    'millrace token revoke ID',
    'millrace token list USER [--json]',
  ],
  run: async ([form, ...rest], around) => {
    const chosen = forms[form ?? ''];
    if (!chosen) throw new UsageError(form ? `there is no token ${form}` : 'create, revoke or list is missing');
    return await chosen(rest, around);
  },
};
