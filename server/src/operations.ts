/** What the command does to an instance besides serving it: accounts, tokens, a look at its health. */
import { access, constants, stat } from 'node:fs/promises';
import { type App, buildApp } from './app.ts';
import { allScopes, userScopes } from './features/identity/index.ts';
import type { Problem } from './features/repository/index.ts';
import type { Config } from './kernel/config/config.ts';
import { HttpError } from './kernel/http/errors.ts';
import { type Copied, copyObjects } from './kernel/objects/copy.ts';
import { openObjectStore } from './kernel/objects/index.ts';
import { createLifecycle } from './kernel/process/lifecycle.ts';
import { currentOwner } from './kernel/process/owner.ts';
import { createLogger, logDestination } from './kernel/telemetry/index.ts';
import { type OpenedKernels, openKernels } from './kernels.ts';

/** The operation was refused; the message says why, for the person at the terminal. */
export class OperationError extends Error {
  override readonly name = 'OperationError';
}

function reasonOf(error: HttpError): string {
  const { body } = error;
  const content = 'message' in body ? body.message : body.error;
  if (typeof content !== 'object' || content === null) return String(content);
  return Object.entries(content)
    .map(([field, reasons]) => `${field} ${Array.isArray(reasons) ? reasons.join(', ') : String(reasons)}`)
    .join('; ');
}

/**
 * Runs work on the instance: beside the running server when there is one, else by starting its database for as long as it
 * takes. Throws OperationError for what the product refuses.
 */
export async function withInstance<T>(
  config: Config,
  work: (app: App, kernels: OpenedKernels) => Promise<T>,
): Promise<T> {
  const log = createLogger('warn', logDestination(2, false));
  const lifecycle = createLifecycle(log);
  try {
    const kernels = await openKernels({
      config: { ...config, port: config.port || 8080 },
      log,
      lifecycle,
      queue: () => ({ running: false }),
      beside: true,
    });
    const app = buildApp(kernels);
    lifecycle.onStop('app', app.close);
    await kernels.listener.ready();
    return await work(app, kernels);
  } catch (error) {
    if (error instanceof HttpError) throw new OperationError(reasonOf(error), { cause: error });
    throw error;
  } finally {
    await lifecycle.stop();
  }
}

export interface AccountSummary {
  readonly id: number;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly state: string;
  readonly admin: boolean;
}

const summary = ({ id, username, name, email, state, admin }: AccountSummary): AccountSummary => ({
  id,
  username,
  name,
  email,
  state,
  admin,
});

export interface NewAccount {
  readonly username: string;
  readonly email: string;
  readonly name?: string | undefined;
  readonly password?: string | undefined;
  readonly admin?: boolean | undefined;
}

export const createUser = (config: Config, account: NewAccount): Promise<AccountSummary> =>
  withInstance(config, async ({ identity }) =>
    summary(await identity.users.create({ ...account, name: account.name ?? account.username })),
  );

export const setPassword = (config: Config, username: string, password: string): Promise<void> =>
  withInstance(config, async ({ identity }) => {
    const changed = await identity.users.setPassword(username, password);
    if (!changed) throw new OperationError(`there is no user ${username}`);
  });

const pageSize = 100;

/** All accounts, in pages, so that a large instance does not fill memory. */
export const eachUser = (config: Config, visit: (user: AccountSummary) => void): Promise<void> =>
  withInstance(config, async ({ identity }) => {
    for (let after = 0; ; ) {
      const users = await identity.users.list(after, pageSize);
      for (const user of users) visit(summary(user));
      const last = users.at(-1);
      if (!last || users.length < pageSize) return;
      after = last.id;
    }
  });

export interface TokenSummary {
  readonly id: number;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expires_at: string | null;
  readonly revoked: boolean;
}

export interface NewToken {
  readonly username: string;
  readonly name: string;
  /** All scopes when left out. */
  readonly scopes?: readonly string[] | undefined;
  /** `YYYY-MM-DD`; never when left out. */
  readonly expiresAt?: string | undefined;
}

async function userNamed({ identity }: App, username: string) {
  const user = await identity.users.find(username);
  if (!user) throw new OperationError(`there is no user ${username}`);
  return user;
}

/** The secret is shown now and never again. */
export const createToken = (config: Config, token: NewToken): Promise<TokenSummary & { readonly token: string }> =>
  withInstance(config, async (app) => {
    const user = await userNamed(app, token.username);
    const scopes = token.scopes ?? (user.admin ? allScopes : userScopes);
    const { row, secret } = await app.identity.tokens.issue({
      user,
      name: token.name,
      scopes,
      expiresAt: token.expiresAt ?? null,
      createdById: user.id,
    });
    return {
      id: row.id,
      name: row.name,
      scopes: row.scopes,
      expires_at: row.expires_at,
      revoked: false,
      token: secret,
    };
  });

const longestTokenList = 1000;

export const listTokens = (config: Config, username: string): Promise<TokenSummary[]> =>
  withInstance(config, async (app) => {
    const user = await userNamed(app, username);
    const rows = await app.identity.tokens.list(user.id, longestTokenList);
    return rows.map(({ id, name, scopes, expires_at, revoked_at }) => ({
      id,
      name,
      scopes,
      expires_at,
      revoked: revoked_at !== null,
    }));
  });

export const revokeToken = (config: Config, id: number): Promise<void> =>
  withInstance(config, ({ identity }) => identity.tokens.revoke(id));

/** Copies the objects of another store into the one that is configured; the server may run. */
export async function copyObjectsFrom(config: Config, url: string, told: (soFar: Copied) => void): Promise<Copied> {
  const to = await openObjectStore(config);
  await to.check();
  return await copyObjects(await openObjectStore({ ...config, objects: url }), to, told);
}

export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly message: string;
}

async function attempt(check: string, work: () => Promise<string>): Promise<Finding> {
  try {
    return { check, ok: true, message: await work() };
  } catch (error) {
    return { check, ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

/** Problems of one kind that are told one by one; the rest is counted. */
const mostTold = 100;

/** All problems as findings; one good one where there are none. */
async function inspected(
  check: string,
  problems: AsyncGenerator<Problem, { readonly looked: number }>,
): Promise<Finding[]> {
  const found: Finding[] = [];
  let count = 0;
  for (;;) {
    const { value, done } = await problems.next();
    if (done) {
      if (count === 0) return [{ check, ok: true, message: `${value.looked} are as the database says` }];
      if (count > mostTold) found.push({ check, ok: false, message: `and ${count - mostTold} more` });
      return found;
    }
    count += 1;
    if (count <= mostTold) found.push({ check, ok: false, message: `${value.of}: ${value.text}` });
  }
}

export interface Thoroughness {
  /** All that is in every repository. */
  readonly fsck: boolean;
  /** Every object that the database names. */
  readonly objects: boolean;
}

/** Looks at everything that the server needs, and answers what it found. */
export async function doctor(config: Config, also: Thoroughness): Promise<Finding[]> {
  const findings: Finding[] = [];
  const add = async (check: string, work: () => Promise<string>) => {
    findings.push(await attempt(check, work));
  };
  await add('data directory', async () => {
    await access(config.data, constants.R_OK | constants.W_OK);
    const owner = await currentOwner(config.data);
    return owner ? `${config.data}, in use by process ${owner.pid}` : `${config.data}, not in use`;
  });
  await add('key file', async () => {
    const { mode } = await stat(config.secrets);
    if (mode & 0o007) throw new Error(`${config.secrets} can be read by everybody: chmod 600 it`);
    return config.secrets;
  });
  await add('database', () =>
    withInstance(config, async (app, kernels) => {
      for (const [name, check] of Object.entries(kernels.checks)) {
        if (name !== 'queue')
          findings.push(await attempt(name.replaceAll('_', ' '), () => check().then(() => 'answers')));
      }
      // Where a storage is away, everything in it would be missing.
      if (findings.every(({ ok }) => ok)) {
        findings.push(...(await inspected('repositories', app.inspection.repositories(also))));
        if (also.objects) findings.push(...(await inspected('objects', app.inspection.objects())));
      }
      if (config.smtpUrl !== null) findings.push(await attempt('mail server', () => app.mail.check()));
      return config.databaseUrl === null ? 'embedded, schema up to date' : 'external, schema up to date';
    }),
  );
  return findings;
}
