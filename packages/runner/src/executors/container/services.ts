/** Services of a job: containers beside it that it reaches by name, started and waited for. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { JobFailure } from '../../errors.ts';
import type { JobService } from '../../protocol.ts';
import { expand, numberOf } from '../../variables.ts';
import type { StartContext } from '../types.ts';
import { aliasesOf, type ContainerSpec, createArguments, envFileText } from './arguments.ts';
import { type Engine, reasonOf } from './engine.ts';
import { SERVICE_TIMEOUT } from './settings.ts';

export type PreparedService = {
  service: JobService;
  image: { id: string; user: string };
  name: string;
  aliases: string[];
};

type Common = Pick<ContainerSpec, 'labels' | 'volumes' | 'network' | 'limits'>;

/** Every service with the names that jobs use for it. */
export function namesOf(service: JobService, get: StartContext['get']): { name: string; aliases: string[] } {
  const name = expand(service.name ?? '', get);
  return { name, aliases: aliasesOf(name, service.alias ? expand(service.alias, get) : null) };
}

/**
 * Starts the services and waits until each is ready; one that is not is named in the log, and the job goes on. Returns
 * the addresses of their names: not every engine resolves names.
 */
export async function startServices(
  engine: Engine,
  services: readonly PreparedService[],
  options: { prefix: string; common: Common; spool: string; context: StartContext },
): Promise<string[]> {
  const { prefix, common, spool, context } = options;
  const started: Started[] = [];
  for (const [index, { service, image, name, aliases }] of services.entries()) {
    context.say(`Starting service ${name} (${aliases.join(', ')})`);
    const envFile = join(spool, `service-${index}.env`);
    const own = Object.fromEntries(
      (service.variables ?? []).map(({ key, value, raw }) => [key, raw ? value : expand(value, context.get)]),
    );
    await writeFile(envFile, envFileText({ ...context.variables, ...own }), { mode: 0o600 });
    const docker = service.executor_opts?.docker;
    const id = `${prefix}-service-${index}`;
    const args = createArguments({
      ...common,
      name: id,
      image: image.id,
      entrypoint: service.entrypoint ?? null,
      command: service.command ?? [],
      envFile,
      user: docker?.user ? expand(docker.user, context.get) : undefined,
      imageUser: image.user,
      platform: docker?.platform,
      directories: [],
      workdir: undefined,
      aliases,
    });
    for (const call of [args, ['start', id]]) {
      const result = await engine.call(call, { signal: context.signal, milliseconds: 120_000 });
      if (result.code !== 0)
        throw new JobFailure('runner_system_failure', `the service ${name} could not be started: ${reasonOf(result)}`);
    }
    started.push({ id, name, aliases });
  }
  const seconds = numberOf(context.get('MILLRACE_SERVICES_TIMEOUT'), SERVICE_TIMEOUT, 0, 600);
  const deadline = performance.now() + seconds * 1000;
  const addresses = await Promise.all(started.map((one) => waitFor(engine, one, deadline, seconds, context)));
  return started.flatMap(({ aliases }, index) => {
    const address = common.network.name === 'host' ? '127.0.0.1' : addresses[index];
    return address ? aliases.map((alias) => `${alias}:${address}`) : [];
  });
}

type Started = { id: string; name: string; aliases: string[] };
type State = { address: string; running: boolean; health: string; pid: number; ports: number[] };

async function waitFor(
  engine: Engine,
  { id, name }: Started,
  deadline: number,
  seconds: number,
  context: StartContext,
): Promise<string> {
  for (;;) {
    const state = await stateOf(engine, id, context.signal);
    const ready = state.health ? state.health === 'healthy' : await listens(state);
    const late = performance.now() >= deadline;
    if (!state.running) await complain(`the service ${name} has ended`);
    else if (late && !ready) await complain(`the service ${name} is not ready after ${seconds} s`);
    if (ready || late || !state.running) return state.address;
    await sleep(100, undefined, { signal: context.signal });
  }
  async function complain(what: string): Promise<void> {
    context.warn(`WARNING: ${what}; its last output:`);
    const { stdout, stderr } = await engine.call(['logs', '--tail', '20', id], { milliseconds: 10_000 });
    context.say(`${stdout}${stderr}`.slice(-4096).trimEnd());
  }
}

async function stateOf(engine: Engine, id: string, signal: AbortSignal): Promise<State> {
  const { stdout } = await engine.call(['inspect', id], { signal, milliseconds: 30_000 });
  const [found] = (JSON.parse(stdout || '[]') as Inspected[]) ?? [];
  const state = found?.State;
  // Podman says of a container without a check that its check is starting, or nothing.
  const checked = found?.Config?.Healthcheck ?? found?.Config?.HealthCheck;
  const networks = Object.values(found?.NetworkSettings?.Networks ?? {});
  return {
    address: networks[0]?.IPAddress ?? '',
    running: state?.Running === true,
    health: checked ? (state?.Health?.Status ?? state?.Healthcheck?.Status ?? 'starting') : '',
    pid: state?.Pid ?? 0,
    ports: Object.keys(found?.Config?.ExposedPorts ?? found?.NetworkSettings?.Ports ?? {})
      .filter((port) => port.endsWith('/tcp'))
      .map((port) => Number.parseInt(port, 10)),
  };
}

type Inspected = {
  State?: { Running?: boolean; Pid?: number; Health?: { Status?: string }; Healthcheck?: { Status?: string } };
  Config?: { Healthcheck?: unknown; HealthCheck?: unknown; ExposedPorts?: Record<string, unknown> | null };
  NetworkSettings?: {
    Ports?: Record<string, unknown> | null;
    Networks?: Record<string, { IPAddress?: string }> | null;
  };
};

/** Whether a process in the network of the container listens on the first port of its image: read, not connected to. */
async function listens({ ports, pid }: State): Promise<boolean> {
  const port = ports.length > 0 ? Math.min(...ports) : undefined;
  if (port === undefined) return true;
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'latin1').catch(() => '')),
  );
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return tables.some((table) =>
    table.split('\n').some((line) => {
      const [, local, , state] = line.trim().split(/\s+/);
      return state === '0A' && local?.endsWith(wanted);
    }),
  );
}
