/**
 * The server's face to the command, the generators and the tests. Everything is loaded when it is asked for: `millrace
 * version` needs no database driver.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigError, type LoadedConfig, loadConfig } from './kernel/config/config.ts';
import { boundWaitingBuffers, collectWaitingBuffers } from './kernel/process/buffers.ts';

export {
  type Config,
  ConfigError,
  configKeys,
  type LoadedConfig,
  shownValue,
  tomlName,
} from './kernel/config/config.ts';
export { compatibleVersion } from './kernel/names.ts';
export { DirectoryInUse } from './kernel/process/owner.ts';
export { release } from './release.ts';

/** Where the optional file is: `MILLRACE_CONFIG`, else `millrace.toml` in the working directory, else in `/etc/millrace`. */
function configFile(env: Readonly<Record<string, string | undefined>>): string | null {
  const named = env.MILLRACE_CONFIG;
  if (named) {
    if (!existsSync(named))
      throw new ConfigError(`MILLRACE_CONFIG is ${JSON.stringify(named)}, but there is no such file`);
    return named;
  }
  return [path.resolve('millrace.toml'), '/etc/millrace/millrace.toml'].find((file) => existsSync(file)) ?? null;
}

/** The effective configuration of an environment. Throws ConfigError. */
export function configure(
  env: Readonly<Record<string, string | undefined>>,
): LoadedConfig & { readonly file: string | null } {
  const file = configFile(env);
  return { ...loadConfig(env, file === null ? null : readFileSync(file, 'utf8')), file };
}

/** Serves until a signal stops it; `exit` ends the process. */
export async function serve(
  env: Readonly<Record<string, string | undefined>>,
  io: { print(line: string): void; exit(code: number): void; terminal: boolean },
): Promise<void> {
  const { values: config, sources } = configure(env);
  boundWaitingBuffers();
  collectWaitingBuffers();
  const [{ serve: start }, { createLifecycle, stopOnSignals }, { createLogger, logDestination }] = await Promise.all([
    import('./serve.ts'),
    import('./kernel/process/lifecycle.ts'),
    import('./kernel/telemetry/index.ts'),
  ]);
  const log = createLogger(config.logLevel, logDestination(2, io.terminal));
  const lifecycle = createLifecycle(log);
  stopOnSignals(lifecycle, log, io.exit);
  const fatal = (error: unknown) => {
    log.fatal({ err: error }, 'unexpected failure: ending at once');
    io.exit(1);
  };
  process.on('uncaughtException', fatal);
  process.on('unhandledRejection', fatal);
  await start({ config, log, print: io.print, lifecycle, sshPortChosen: sources.sshPort !== 'default' });
}

/** Operations on an instance, for the command. */
export const operations = async () => ({
  ...(await import('./operations.ts')),
  ...(await import('./backup-operations.ts')),
});

/** The OpenAPI document of all routes; nothing is started for it. */
export const described = async () => await import('./described.ts');
