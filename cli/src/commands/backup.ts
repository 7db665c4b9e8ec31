/** `millrace backup`: create backups beside a running server, list and verify them, restore one into an empty instance. */
import { configure, operations } from '@millrace/server/main';
import { parse, UsageError } from '../arguments.ts';
import { type Command, type Surroundings, table } from '../command.ts';

const where = { from: 'string', json: 'boolean', 'passphrase-stdin': 'boolean' } as const;

async function placeOf(
  options: { readonly from?: string; readonly to?: string; readonly 'passphrase-stdin'?: boolean },
  { env, readInput }: Surroundings,
) {
  const url = options.from ?? options.to;
  // As MILLRACE_BACKUPS would be checked.
  const checked = url === undefined ? undefined : configure({ ...env, MILLRACE_BACKUPS: url }).values.backups;
  if (!options['passphrase-stdin']) return { url: checked };
  const passphrase = (await readInput()).replace(/\r?\n$/, '');
  if (passphrase === '') throw new UsageError('standard input holds no passphrase');
  return { url: checked, passphrase };
}

function numberOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 1000)
    throw new UsageError(`--keep is ${text}, but must be a number from 1 to 1000`);
  return value;
}

const problemsOf = (problems: readonly string[], { warn }: Surroundings) => {
  for (const problem of problems) warn(`not in the backup: ${problem}`);
};

async function create(args: readonly string[], around: Surroundings): Promise<number> {
  const { options } = parse(args, [], {
    to: 'string',
    full: 'boolean',
    keep: 'string',
    json: 'boolean',
    'passphrase-stdin': 'boolean',
  });
  const keep = numberOf(options.keep);
  const { createBackup } = await operations();
  const result = await createBackup(
    configure(around.env).values,
    await placeOf(options, around),
    { full: options.full ?? false, keep, signal: new AbortController().signal },
    (text) => {
      if (!options.json) around.print(text);
    },
  );
  around.print(options.json ? JSON.stringify(result) : `created backup ${result.name}`);
  problemsOf(result.problems, around);
  return result.problems.length > 0 ? 1 : 0;
}

async function list(args: readonly string[], around: Surroundings): Promise<number> {
  const { options } = parse(args, [], { from: 'string', json: 'boolean' });
  const { listBackups } = await operations();
  const found = await listBackups(configure(around.env).values, await placeOf(options, around));
  if (options.json) for (const backup of found) around.print(JSON.stringify(backup));
  else {
    const rows = found.map(({ name, point_at, release, encrypted, repositories, objects, bytes }) => [
      name,
      point_at,
      release,
      encrypted ? 'yes' : 'no',
      String(repositories),
      String(objects),
      String(bytes),
    ]);
    for (const line of table([['NAME', 'POINT', 'RELEASE', 'ENCRYPTED', 'REPOSITORIES', 'OBJECTS', 'BYTES'], ...rows]))
      around.print(line);
  }
  return 0;
}

async function verify(args: readonly string[], around: Surroundings): Promise<number> {
  const { words, options } = parse(args, ['NAME'], where);
  const { verifyBackupNamed } = await operations();
  const { values } = configure(around.env);
  const signal = new AbortController().signal;
  const result = await verifyBackupNamed(values, await placeOf(options, around), words[0], signal);
  around.print(
    options.json
      ? JSON.stringify({ name: words[0], ...result })
      : `backup ${words[0]} is intact: ${result.files} files, ${result.bytes} bytes`,
  );
  problemsOf(result.problems, around);
  return 0;
}

async function restore(args: readonly string[], around: Surroundings): Promise<number> {
  const { words, options } = parse(args, ['NAME'], where);
  const { restoreBackupNamed } = await operations();
  const { values } = configure(around.env);
  const result = await restoreBackupNamed(values, await placeOf(options, around), words[0], (text) => {
    if (!options.json) around.print(text);
  });
  around.print(
    options.json
      ? JSON.stringify({ name: words[0], ...result })
      : `restored backup ${words[0]} of ${result.pointAt}: ${result.repositories} repositories, ${result.objects} objects, ${result.tables} tables`,
  );
  problemsOf(result.problems, around);
  return 0;
}

const forms: Readonly<Record<string, (args: readonly string[], around: Surroundings) => Promise<number>>> = {
  create,
  list,
  verify,
  restore,
};

export const backupCommand: Command = {
  name: 'backup',
  summary: 'Create, list, verify and restore backups of the instance',
  usage: [
    'millrace backup create [--to URL] [--full] [--keep NUMBER] [--passphrase-stdin] [--json]',
    'millrace backup list [--from URL] [--json]',
    'millrace backup verify NAME [--from URL] [--passphrase-stdin] [--json]',
    'millrace backup restore NAME [--from URL] [--passphrase-stdin] [--json]',
    'URL is file:/path or s3://bucket/prefix?..., MILLRACE_BACKUPS when left out',
  ],
  run: async ([form, ...rest], around) => {
    const chosen = forms[form ?? ''];
    if (!chosen)
      throw new UsageError(form ? `there is no backup ${form}` : 'create, list, verify or restore is missing');
    return await chosen(rest, around);
  },
};
