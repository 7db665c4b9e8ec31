/** Configuration: one table of keys, each an environment variable and a key of the optional millrace.toml. */
import os from 'node:os';
import path from 'node:path';
import { type BudgetName, DEFAULT_BUDGETS, type GitBudget, type GitBudgets } from '@millrace/git';
import { parse as parseToml } from 'smol-toml';
import { parseMailbox, parseSmtpUrl } from '../mail/smtp-url.ts';

export interface Config {
  readonly data: string;
  readonly host: string;
  readonly port: number;
  /** Null when SSH is off. */
  readonly sshPort: number | null;
  /** Without a trailing slash; null until the port is known. */
  readonly url: string | null;
  readonly rootPassword: string | null;
  readonly rootToken: string | null;
  readonly runner: 'auto' | 'off' | 'shell' | 'bubblewrap';
  readonly runnerSlots: number;
  readonly databaseUrl: string | null;
  readonly objects: string;
  readonly repositories: Readonly<Record<string, string>>;
  readonly secrets: string;
  readonly gitBudgets: GitBudgets;
  readonly trustedProxies: readonly string[];
  readonly sshUrl: string | null;
  readonly smtpUrl: string | null;
  readonly mailFrom: string | null;
  readonly mailReplyTo: string | null;
  readonly workers: number;
  readonly logLevel: string;
  readonly metricsToken: string | null;
  /** Whether administrators may make and use impersonation tokens. */
  readonly impersonationEnabled: boolean;
  readonly maxParameterBytes: number;
  readonly maxFileBytes: number;
  readonly maxFiles: number;
  readonly maxParameters: number;
  readonly maxParameterDepth: number;
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

interface Key<K extends keyof Config> {
  readonly name: K;
  readonly env: string;
  /** What `millrace config` and the documentation say. */
  readonly description: string;
  /** The default in words, for the documentation. */
  readonly fallbackText: string;
  readonly secret?: true;
  /** How `millrace config` writes the value, where its own text is not it. */
  readonly shown?: (value: Config[K]) => string;
  fallback(soFar: Partial<Config>, env: Readonly<Record<string, string | undefined>>): Config[K];
  /** Throws with what is accepted. */
  parse(text: string): Config[K];
}

const key = <K extends keyof Config>(definition: Key<K>): Key<keyof Config> =>
  definition as unknown as Key<keyof Config>;

type LimitName = 'maxParameterBytes' | 'maxFileBytes' | 'maxFiles' | 'maxParameters' | 'maxParameterDepth';

/** A bound on what one request may hold; the error that it causes gives its name in `millrace.toml` and its value. */
const limit = (name: LimitName, fallback: number, maximum: number, description: string) =>
  key({
    name,
    env: `MILLRACE_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`,
    description,
    fallbackText: `\`${fallback}\``,
    fallback: () => fallback,
    parse: (text) => {
      const value = Number(text);
      if (!Number.isInteger(value) || value < 1 || value > maximum)
        throw new Error(`a whole number from 1 to ${maximum}`);
      return value;
    },
  });

const absolute = (text: string) => path.resolve(text);
function port(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 65_535) throw new Error('a port number from 0 to 65535');
  return value;
}
function positive(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 256) throw new Error('a whole number from 1 to 256');
  return value;
}
function httpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.pathname !== '/') {
    throw new Error('an http or https URL without a path, like https://git.example.com');
  }
  return url.origin;
}
const words = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
function repositories(text: string): Record<string, string> {
  const pairs = words(text).map((pair) => /^([a-z][a-z0-9_-]*)=(.+)$/.exec(pair));
  if (pairs.length === 0 || pairs.some((pair) => pair === null))
    throw new Error('name=path pairs separated by commas, like default=/srv/git');
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', absolute(pair?.[2] ?? '')]));
}
/** `processes:waiting:seconds to wait:seconds to run`, as it is written. */
const budgetText = (budget: GitBudget) =>
  [budget.concurrency, budget.queue, budget.waitMs / 1000, budget.timeoutMs / 1000].join(':');
function gitBudgets(text: string): GitBudgets {
  const budgets: Partial<Record<BudgetName, GitBudget>> = {};
  for (const pair of words(text)) {
    const match = /^([a-z_]+)=(\d{1,4}):(\d{1,5}):(\d{1,5}):(\d{1,6})$/.exec(pair);
    const name = match?.[1] as BudgetName | undefined;
    const [concurrency = 0, queue = 0, wait = 0, run = 0] = (match ?? []).slice(2).map(Number);
    if (name === undefined || !Object.hasOwn(DEFAULT_BUDGETS, name) || concurrency < 1 || run < 1)
      throw new Error(
        `name=processes:waiting:wait:run pairs separated by commas, like heavy=6:200:30:60, with the names ${Object.keys(DEFAULT_BUDGETS).join(', ')}`,
      );
    budgets[name] = { concurrency, queue, waitMs: wait * 1000, timeoutMs: run * 1000 };
  }
  return { ...DEFAULT_BUDGETS, ...budgets };
}
function objects(text: string): string {
  if (text.startsWith('s3:')) throw new Error('file:/path (S3 storage is not available yet)');
  if (!text.startsWith('file:')) throw new Error('file:/path');
  return text;
}
function runner(text: string): Config['runner'] {
  if (text === 'auto' || text === 'off' || text === 'shell' || text === 'bubblewrap') return text;
  throw new Error('auto, off, shell or bubblewrap');
}
function mailbox(text: string): string {
  parseMailbox(text);
  return text;
}
const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
const defaultData = (env: Readonly<Record<string, string | undefined>>) =>
  process.getuid?.() === 0
    ? '/var/lib/millrace'
    : path.join(env.XDG_DATA_HOME || path.join(os.homedir(), '.local/share'), 'millrace');
function flag(text: string): boolean {
  const word = text.toLowerCase();
  if (word !== 'true' && word !== 'false') throw new Error('true or false');
  return word === 'true';
}
const textOrNull = (text: string) => text;

/** Every key, in the order of the documentation. */
export const configKeys: readonly Key<keyof Config>[] = [
  key({
    name: 'data',
    env: 'MILLRACE_DATA',
    description: 'Data directory',
    fallbackText: '`/var/lib/millrace` as root, else `$XDG_DATA_HOME/millrace`',
    fallback: (_soFar, env) => defaultData(env),
    parse: absolute,
  }),
  key({
    name: 'host',
    env: 'MILLRACE_HOST',
    description: 'Address to listen on',
    fallbackText: '`127.0.0.1`',
    fallback: () => '127.0.0.1',
    parse: textOrNull,
  }),
  key({
    name: 'port',
    env: 'MILLRACE_PORT',
    description: 'Port to listen on; 0 picks a free one',
    fallbackText: '`8080`',
    fallback: () => 8080,
    parse: port,
  }),
  key({
    name: 'sshPort',
    env: 'MILLRACE_SSH_PORT',
    description: 'Port of git over SSH, or `off`. SSH is not available yet: the port is not opened',
    fallbackText: '`2222`',
    fallback: () => 2222,
    parse: (text) => (text === 'off' ? null : port(text)),
  }),
  key({
    name: 'url',
    env: 'MILLRACE_URL',
    description: 'External URL: what links and clone addresses start with',
    fallbackText: '`http://HOST:PORT`',
    fallback: () => null,
    parse: httpUrl,
  }),
  key({
    name: 'rootPassword',
    env: 'MILLRACE_ROOT_PASSWORD',
    description: 'Password of `root`, first start only',
    fallbackText: 'generated, kept in `root-password` in the data directory',
    secret: true,
    fallback: () => null,
    parse: textOrNull,
  }),
  key({
    name: 'rootToken',
    env: 'MILLRACE_ROOT_TOKEN',
    description: 'Personal access token of `root` with all scopes, first start only',
    fallbackText: 'none',
    secret: true,
    fallback: () => null,
    parse: textOrNull,
  }),
  key({
    name: 'runner',
    env: 'MILLRACE_RUNNER',
    description: 'Built-in runner: `auto`, `off`, `shell` or `bubblewrap`',
    fallbackText: '`auto`',
    fallback: () => 'auto',
    parse: runner,
  }),
  key({
    name: 'runnerSlots',
    env: 'MILLRACE_RUNNER_SLOTS',
    description: 'Jobs that the built-in runner runs at once',
    fallbackText: 'one for each processor, at least 2',
    fallback: () => Math.max(2, Math.min(os.availableParallelism(), 16)),
    parse: positive,
  }),
  key({
    name: 'databaseUrl',
    env: 'DATABASE_URL',
    description: 'PostgreSQL 15 or later; the embedded one when absent',
    fallbackText: 'embedded',
    secret: true,
    fallback: () => null,
    parse: (text) => {
      if (!/^postgres(ql)?:\/\//.test(text)) throw new Error('a postgres:// URL');
      return text;
    },
  }),
  key({
    name: 'objects',
    env: 'MILLRACE_OBJECTS',
    description: 'Where artifacts, logs and uploads are kept',
    fallbackText: '`file:` with `objects` in the data directory',
    fallback: (soFar) => `file:${path.join(soFar.data ?? '', 'objects')}`,
    parse: objects,
  }),
  key({
    name: 'repositories',
    env: 'MILLRACE_REPOSITORIES',
    description: 'Repository storages, `name=path,...`',
    fallbackText: '`default=` with `repositories` in the data directory',
    fallback: (soFar) => ({ default: path.join(soFar.data ?? '', 'repositories') }),
    parse: repositories,
  }),
  key({
    name: 'secrets',
    env: 'MILLRACE_SECRETS',
    description: 'Key file; the same for all processes of one database',
    fallbackText: '`secrets.key` in the data directory',
    fallback: (soFar) => path.join(soFar.data ?? '', 'secrets.key'),
    parse: absolute,
  }),
  key({
    name: 'gitBudgets',
    env: 'MILLRACE_GIT_BUDGETS',
    description:
      'git processes by class of work, `name=processes:waiting:wait:run,...`: how many at once, how many requests may wait, for how many seconds, and the seconds one may run. See rate-limits.md',
    fallbackText: 'the table in [rate-limits.md](rate-limits.md)',
    fallback: () => DEFAULT_BUDGETS,
    parse: gitBudgets,
    shown: (budgets) =>
      Object.entries(budgets)
        .map(([name, budget]) => `${name}=${budgetText(budget)}`)
        .join(','),
  }),
  key({
    name: 'trustedProxies',
    env: 'MILLRACE_TRUSTED_PROXIES',
    description: 'Addresses or networks whose `X-Forwarded-*` headers count, separated by commas',
    fallbackText: 'none',
    fallback: () => [],
    parse: words,
  }),
  key({
    name: 'sshUrl',
    env: 'MILLRACE_SSH_URL',
    description: 'External address of SSH, like `ssh://git@git.example.com:2222`',
    fallbackText: 'from the external URL and the SSH port',
    fallback: () => null,
    parse: textOrNull,
  }),
  key({
    name: 'smtpUrl',
    env: 'MILLRACE_SMTP_URL',
    description:
      'Mail server: `smtp://user:password@host:587` (STARTTLS where it is offered; `?tls=required` insists, `?tls=off` forbids) or `smtps://...`; `?verify=off` takes any certificate',
    fallbackText: 'none: no mail is sent',
    secret: true,
    fallback: () => null,
    parse: (text) => {
      parseSmtpUrl(text);
      return text;
    },
  }),
  key({
    name: 'mailFrom',
    env: 'MILLRACE_MAIL_FROM',
    description: 'Sender of mail, like `Millrace <git@example.com>`',
    fallbackText: "`millrace@` and the external URL's host",
    fallback: () => null,
    parse: mailbox,
  }),
  key({
    name: 'mailReplyTo',
    env: 'MILLRACE_MAIL_REPLY_TO',
    description: 'Where answers to mail go',
    fallbackText: 'none: to the sender',
    fallback: () => null,
    parse: mailbox,
  }),
  key({
    name: 'workers',
    env: 'MILLRACE_WORKERS',
    description: 'Background tasks at once',
    fallbackText: '`4`',
    fallback: () => 4,
    parse: positive,
  }),
  key({
    name: 'logLevel',
    env: 'MILLRACE_LOG_LEVEL',
    description: `Least severe level that is logged: ${levels.join(', ')}`,
    fallbackText: '`info`',
    fallback: () => 'info',
    parse: (text) => {
      if (!levels.includes(text)) throw new Error(levels.join(', '));
      return text;
    },
  }),
  key({
    name: 'metricsToken',
    env: 'MILLRACE_METRICS_TOKEN',
    description:
      "Bearer token that `/-/metrics` asks for; without one metrics are off, because jobs share the host's network",
    fallbackText: 'none',
    secret: true,
    fallback: () => null,
    parse: textOrNull,
  }),
  key({
    name: 'impersonationEnabled',
    env: 'MILLRACE_IMPERSONATION_ENABLED',
    description:
      'Whether administrators may act as others, by browsing and with impersonation tokens; `false` stops both at once',
    fallbackText: '`true`',
    fallback: () => true,
    parse: flag,
  }),
  limit('maxParameterBytes', 10 * 1024 * 1024, 512 * 1024 * 1024, 'Bytes of a JSON or form body, files not counted'),
  limit('maxFileBytes', 100 * 1024 * 1024, 2 ** 40, 'Bytes of one uploaded file where no setting says otherwise'),
  limit('maxFiles', 50, 10_000, 'Files in one request'),
  limit('maxParameters', 50_000, 1_000_000, 'Values in one request, those in hashes and arrays included'),
  limit('maxParameterDepth', 32, 1000, 'Levels of hashes and arrays inside each other in one request'),
];

type ConfigSource = 'default' | 'environment' | 'file';

export interface LoadedConfig {
  readonly values: Config;
  readonly sources: Readonly<Record<keyof Config, ConfigSource>>;
}

/** The name of a key in the file: `MILLRACE_ROOT_TOKEN` is `root_token`. */
export const tomlName = (env: string) => env.replace(/^MILLRACE_/, '').toLowerCase();

/**
 * Effective configuration. `fileText` is the text of `millrace.toml`, null when there is none. Throws `ConfigError` that
 * names the key, its value and what is accepted.
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>>, fileText: string | null): LoadedConfig {
  let file: Record<string, unknown> = {};
  if (fileText !== null) {
    try {
      file = parseToml(fileText) as Record<string, unknown>;
    } catch (error) {
      throw new ConfigError(
        `the configuration file is not valid TOML: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
  const known = new Set(configKeys.map((each) => tomlName(each.env)));
  const unknown = Object.keys(file).filter((name) => !known.has(name));
  if (unknown.length > 0) throw new ConfigError(`the configuration file has unknown keys: ${unknown.join(', ')}`);
  const values: Partial<Record<keyof Config, unknown>> = {};
  const sources: Partial<Record<keyof Config, ConfigSource>> = {};
  for (const each of configKeys) {
    const fromEnv = env[each.env];
    const fromFile = file[tomlName(each.env)];
    const text =
      fromEnv !== undefined && fromEnv !== '' ? fromEnv : fromFile === undefined ? undefined : fileValue(fromFile);
    sources[each.name] =
      fromEnv !== undefined && fromEnv !== '' ? 'environment' : fromFile === undefined ? 'default' : 'file';
    if (text === undefined) {
      values[each.name] = each.fallback(values as Partial<Config>, env);
      continue;
    }
    try {
      values[each.name] = each.parse(text);
    } catch (error) {
      const shown = each.secret ? '(secret)' : JSON.stringify(text);
      throw new ConfigError(
        `${each.env} is ${shown}, but must be ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
  return { values: values as unknown as Config, sources: sources as Record<keyof Config, ConfigSource> };
}

/** A value of the file as the text that the environment would hold. */
function fileValue(value: unknown): string {
  if (Array.isArray(value)) return value.join(',');
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([name, item]) => `${name}=${String(item)}`)
      .join(',');
  return String(value);
}

/** A value as `millrace config` shows it: secrets only as set or not. */
export function shownValue(each: Key<keyof Config>, value: unknown): string {
  if (each.secret) return value === null ? '' : '(set)';
  if (each.shown) return each.shown(value as never);
  if (value === null) return each.name === 'sshPort' ? 'off' : '';
  if (Array.isArray(value)) return value.join(',');
  if (typeof value === 'object')
    return Object.entries(value as Record<string, string>)
      .map(([name, item]) => `${name}=${item}`)
      .join(',');
  return String(value);
}
