/** Configuration: one table of keys, each an environment variable and a key of the optional millrace.toml. */
import os from 'node:os';
import path from 'node:path';
import { DEFAULT_BUDGETS } from '@millrace/git';
import { parse as parseToml } from 'smol-toml';
import { parseSmtpUrl } from '../mail/smtp-url.ts';
import { type Config, type Key, key } from './key.ts';
import { limits } from './limits.ts';
import { runnerKeys } from './runner.ts';
import {
  absolute,
  budgetText,
  committerWord,
  flag,
  gitBudgets,
  httpUrl,
  levels,
  mailbox,
  objects,
  port,
  positive,
  repositories,
  sshUrl,
  textOrNull,
  words,
} from './values.ts';

export type { Config } from './key.ts';

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const defaultData = (env: Readonly<Record<string, string | undefined>>) =>
  process.getuid?.() === 0
    ? '/var/lib/millrace'
    : path.join(env.XDG_DATA_HOME || path.join(os.homedir(), '.local/share'), 'millrace');
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
    description:
      'Port of git over SSH; 0 picks a free one, `off` opens none. Where nobody chose it and it is taken, SSH stays off',
    fallbackText: '`2222`',
    fallback: () => 2222,
    parse: (text) => (text === 'off' ? null : port(text)),
  }),
  key({
    name: 'sshHost',
    env: 'MILLRACE_SSH_HOST',
    description: 'Address on which git over SSH listens',
    fallbackText: 'that of `MILLRACE_HOST`',
    fallback: (soFar) => soFar.host ?? '127.0.0.1',
    parse: textOrNull,
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
  ...runnerKeys,
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
    description:
      'Where artifacts, logs, LFS objects and uploads are kept: `file:/path`, or `s3://bucket/prefix?...` as in [objects.md](objects.md)',
    fallbackText: '`file:` with `objects` in the data directory',
    fallback: (soFar) => `file:${path.join(soFar.data ?? '', 'objects')}`,
    parse: objects,
  }),
  key({
    name: 'awsAccessKeyId',
    env: 'AWS_ACCESS_KEY_ID',
    description: 'Access key of the S3 storage; the role of the machine or container when absent',
    fallbackText: 'none',
    secret: true,
    fallback: () => null,
    parse: textOrNull,
  }),
  key({
    name: 'awsSecretAccessKey',
    env: 'AWS_SECRET_ACCESS_KEY',
    description: 'Secret of the access key',
    fallbackText: 'none',
    secret: true,
    fallback: () => null,
    parse: textOrNull,
  }),
  key({
    name: 'awsSessionToken',
    env: 'AWS_SESSION_TOKEN',
    description: 'Session of a temporary access key',
    fallbackText: 'none',
    secret: true,
    fallback: () => null,
    parse: textOrNull,
  }),
  key({
    name: 'awsRegion',
    env: 'AWS_REGION',
    description: 'Region of the S3 storage where its address names none',
    fallbackText: '`us-east-1`',
    fallback: () => null,
    parse: textOrNull,
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
    name: 'backups',
    env: 'MILLRACE_BACKUPS',
    description:
      'Where backups are stored: `file:/path` or `s3://bucket/prefix?...`. Use another disk than that of the data directory. See [backups.md](backups.md)',
    fallbackText: '`file:` with `backups` in the data directory',
    fallback: (soFar) => `file:${path.join(soFar.data ?? '', 'backups')}`,
    parse: objects,
  }),
  key({
    name: 'backupPassphrase',
    env: 'MILLRACE_BACKUP_PASSPHRASE',
    description:
      'Passphrase that backups are encrypted with. Without it they hold the secrets of the instance in clear',
    fallbackText: 'none: backups are not encrypted',
    secret: true,
    fallback: () => null,
    parse: textOrNull,
  }),
  key({
    name: 'gitBudgets',
    env: 'MILLRACE_GIT_BUDGETS',
    description:
      'git processes by class of work, `name=processes:waiting:wait:run:memory,...`: how many at once, how many requests may wait, for how many seconds, the seconds one may run, and the MiB it may allocate (optional). See rate-limits.md',
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
    description:
      'External address of SSH, like `ssh://git@git.example.com:2222`: what clone addresses start with, and the username to connect with',
    fallbackText: '`git` at the host of the external URL and the SSH port',
    fallback: () => null,
    parse: sshUrl,
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
    name: 'commitSigningKey',
    env: 'MILLRACE_COMMIT_SIGNING_KEY',
    description:
      'File of a private SSH key without a passphrase (Ed25519 or RSA) that commits made by the instance are signed with. See signed-commits.md',
    fallbackText: 'none: commits are not signed',
    fallback: () => null,
    parse: absolute,
  }),
  key({
    name: 'commitSigningOldKeys',
    env: 'MILLRACE_COMMIT_SIGNING_OLD_KEYS',
    description: 'File of the public keys that commits were signed with before, one a line',
    fallbackText: 'none',
    fallback: () => null,
    parse: absolute,
  }),
  key({
    name: 'committerName',
    env: 'MILLRACE_COMMITTER_NAME',
    description: 'Committer of commits that the instance signs',
    fallbackText: '`Millrace`',
    fallback: () => null,
    parse: committerWord,
  }),
  key({
    name: 'committerEmail',
    env: 'MILLRACE_COMMITTER_EMAIL',
    description: 'Address of that committer',
    fallbackText: "`noreply@` and the external URL's host",
    fallback: () => null,
    parse: committerWord,
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
  ...limits,
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
      // Keys belong elsewhere; written into an address all the same, they must not be shown.
      const shown = each.secret || /\/\/[^/]*@/.test(text) ? '(secret)' : JSON.stringify(text);
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
