/** Configuration: environment over file over defaults, and errors that say what to do. */
import { expect, it } from 'vitest';
import { ConfigError, configKeys, loadConfig, shownValue } from './config.ts';

const base = { MILLRACE_DATA: '/srv/millrace' };

function failure(env: Record<string, string>, file: string | null = null): string {
  try {
    loadConfig(env, file);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('accepted');
}

it('takes the environment before the file and the file before the default, and says which', () => {
  const file = 'port = 9000\nhost = "0.0.0.0"\ntrusted_proxies = ["10.0.0.0/8", "::1"]\n';
  const { values, sources } = loadConfig({ ...base, MILLRACE_PORT: '9001' }, file);
  expect(values).toMatchObject({
    data: '/srv/millrace',
    port: 9001,
    host: '0.0.0.0',
    trustedProxies: ['10.0.0.0/8', '::1'],
    sshPort: 2222,
    objects: 'file:/srv/millrace/objects',
    repositories: { default: '/srv/millrace/repositories' },
    secrets: '/srv/millrace/secrets.key',
  });
  expect(sources).toMatchObject({ data: 'environment', port: 'environment', host: 'file', sshPort: 'default' });
});

it('counts an empty variable as absent', () => {
  const { values, sources } = loadConfig({ ...base, MILLRACE_PORT: '' }, 'port = 9000');
  expect([values.port, sources.port]).toEqual([9000, 'file']);
});

it.each([
  [{ MILLRACE_PORT: '80a' }, 'MILLRACE_PORT is "80a", but must be a port number from 0 to 65535'],
  [{ MILLRACE_PORT: '65536' }, 'MILLRACE_PORT is "65536", but must be a port number from 0 to 65535'],
  [{ MILLRACE_WORKERS: '0' }, 'MILLRACE_WORKERS is "0", but must be a whole number from 1 to 256'],
  [
    { MILLRACE_RUNNER: 'docker' },
    'MILLRACE_RUNNER is "docker", but must be one of auto, off, shell, bubblewrap, container',
  ],
  [{ MILLRACE_LOG_LEVEL: 'loud' }, 'MILLRACE_LOG_LEVEL is "loud", but must be trace, debug, info'],
  [{ MILLRACE_REPOSITORIES: '/srv/git' }, 'MILLRACE_REPOSITORIES is "/srv/git", but must be name=path pairs'],
  [
    { MILLRACE_GIT_BUDGETS: 'heavy=6' },
    'MILLRACE_GIT_BUDGETS is "heavy=6", but must be name=processes:waiting:wait:run',
  ],
  [{ MILLRACE_GIT_BUDGETS: 'constructor=1:1:1:1' }, 'but must be name=processes:waiting:wait:run'],
  [{ MILLRACE_GIT_BUDGETS: 'heavy=0:1:1:1' }, 'but must be name=processes:waiting:wait:run'],
  [{ MILLRACE_OBJECTS: 's3://b' }, 'the bucket has no valid name'],
  [{ MILLRACE_RUNNER_MEMORY: 'lots' }, 'bytes, like 512m or 4g'],
  [{ MILLRACE_RUNNER_PULL_POLICIES: 'often' }, 'one of always, if-not-present, never'],
  [{ MILLRACE_RUNNER_VOLUMES: 'data:/data' }, 'host:container pairs of absolute paths'],
])('names the key, the value and what is accepted: %o', (env, message) => {
  expect(failure({ ...base, ...env })).toContain(message);
});

it('does not show the value of a secret in an error', () => {
  const message = failure({ ...base, DATABASE_URL: 'mysql://root:hunter2@db' });
  expect(message).toBe('DATABASE_URL is (secret), but must be a postgres:// URL');
});

it('refuses unknown keys of the file and text that is not TOML', () => {
  expect(failure(base, 'prot = 1\nport = 2')).toBe('the configuration file has unknown keys: prot');
  expect(failure(base, 'port = ')).toContain('the configuration file is not valid TOML');
});

it('shows secrets only as set or not', () => {
  const { values } = loadConfig({ ...base, MILLRACE_ROOT_TOKEN: 'glpat-secret' }, null);
  const shown = configKeys.map((key) => `${key.env}=${shownValue(key, values[key.name])}`);
  expect(shown).toContain('MILLRACE_ROOT_TOKEN=(set)');
  expect(shown).toContain('MILLRACE_ROOT_PASSWORD=');
  expect(shown.join()).not.toContain('glpat-secret');
});

it('[security 10] budgets of git are laid over the defaults and shown whole', () => {
  const { values } = loadConfig(base, '[git_budgets]\nanonymous_heavy = "1:5:2:20"\n');
  const mebibyte = 1024 ** 2;
  expect(values.gitBudgets.anonymous_heavy).toEqual({
    concurrency: 1,
    queue: 5,
    waitMs: 2000,
    timeoutMs: 20_000,
    memoryBytes: 512 * mebibyte,
  });
  const { pack } = loadConfig({ ...base, MILLRACE_GIT_BUDGETS: 'pack=2:5:2:20:768' }, null).values.gitBudgets;
  expect(pack.memoryBytes).toBe(768 * mebibyte);
  expect(failure({ ...base, MILLRACE_GIT_BUDGETS: 'pack=2:5:2:20:1' }, null)).toContain('64 or more MiB of memory');
  const key = configKeys.find((each) => each.name === 'gitBudgets');
  const shown = key ? shownValue(key, values.gitBudgets) : '';
  expect(shown).toContain('anonymous_heavy=1:5:2:20');
  expect(shown).toContain('heavy=6:200:30:60');
  expect(loadConfig({ ...base, MILLRACE_GIT_BUDGETS: shown }, null).values.gitBudgets).toEqual(values.gitBudgets);
});
