/** `millrace user`: accounts, beside a running server or without one. */

import { randomBytes } from 'node:crypto';
import { configure, operations } from '@millrace/server/main';
import { parse, UsageError } from '../arguments.ts';
import { type Command, type Surroundings, table } from '../command.ts';

const newPassword = () => randomBytes(15).toString('base64url');

/** A password from standard input, or a generated one that is shown once. */
async function chosenPassword(fromInput: boolean | undefined, { readInput }: Surroundings) {
  if (!fromInput) return { password: newPassword(), generated: true };
  const password = (await readInput()).replace(/\r?\n$/, '');
  if (password === '') throw new UsageError('standard input holds no password');
  return { password, generated: false };
}

async function create(args: readonly string[], around: Surroundings): Promise<number> {
  const { words, options } = parse(args, ['NAME', 'EMAIL'], {
    name: 'string',
    admin: 'boolean',
    'password-stdin': 'boolean',
    json: 'boolean',
  });
  const [username, email] = words;
  const { password, generated } = await chosenPassword(options['password-stdin'], around);
  const { createUser } = await operations();
  const { values } = configure(around.env);
  const user = await createUser(values, { username, email, name: options.name, admin: options.admin, password });
  if (options.json) around.print(JSON.stringify({ ...user, ...(generated ? { password } : {}) }));
  else {
    around.print(`created user ${user.username} (id ${user.id}${user.admin ? ', administrator' : ''})`);
    if (generated) around.print(`password: ${password}`);
  }
  return 0;
}

async function password(args: readonly string[], around: Surroundings): Promise<number> {
  const { words, options } = parse(args, ['NAME'], { 'password-stdin': 'boolean', json: 'boolean' });
  const chosen = await chosenPassword(options['password-stdin'], around);
  const { setPassword } = await operations();
  await setPassword(configure(around.env).values, words[0], chosen.password);
  const shown = chosen.generated ? { password: chosen.password } : {};
  if (options.json) around.print(JSON.stringify({ username: words[0], ...shown }));
  else
    around.print(chosen.generated ? `new password of ${words[0]}: ${chosen.password}` : `password of ${words[0]} set`);
  return 0;
}

async function list(args: readonly string[], around: Surroundings): Promise<number> {
  const { options } = parse(args, [], { json: 'boolean' });
  const { eachUser } = await operations();
  const rows = [['ID', 'USERNAME', 'NAME', 'EMAIL', 'STATE', 'ROLE']];
  await eachUser(configure(around.env).values, (user) => {
    if (options.json) around.print(JSON.stringify(user));
    else rows.push([String(user.id), user.username, user.name, user.email, user.state, user.admin ? 'admin' : '']);
  });
  if (!options.json) for (const line of table(rows)) around.print(line);
  return 0;
}

const forms: Readonly<Record<string, (args: readonly string[], around: Surroundings) => Promise<number>>> = {
  create,
  password,
  list,
};

export const userCommand: Command = {
  name: 'user',
  summary: 'Create accounts, set passwords, list accounts',
  usage: [
    'millrace user create NAME EMAIL [--name TEXT] [--admin] [--password-stdin] [--json]',
    'millrace user password NAME [--password-stdin] [--json]',
    'millrace user list [--json]',
  ],
  run: async ([form, ...rest], around) => {
    const chosen = forms[form ?? ''];
    if (!chosen) throw new UsageError(form ? `there is no user ${form}` : 'create, password or list is missing');
    return await chosen(rest, around);
  },
};
