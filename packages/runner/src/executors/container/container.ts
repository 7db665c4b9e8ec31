/** Jobs in containers: the script in the image that the job names, git and archives on the host as before. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { JobFailure } from '../../errors.ts';
import type { JobLimits } from '../../limits.ts';
import type { JobImage, JobPayload } from '../../protocol.ts';
import { onTerminal, scriptProgram, terminalOf } from '../../terminal/pty.ts';
import type { Size, Terminal } from '../../terminal/types.ts';
import { expand } from '../../variables.ts';
import { quote, shellScript } from '../script.ts';
import type { Account, Executor, JobDirectories, Sandbox, Stage, StartContext } from '../types.ts';
import { createArguments, envFileText, isRoot, type Network } from './arguments.ts';
import { type Engine, reasonOf } from './engine.ts';
import { checkImageName, policiesOf, provideImage, writeCredentials } from './images.ts';
import { namesOf, type PreparedService, startServices } from './services.ts';
import type { ContainerSettings } from './settings.ts';

const LABEL = 'millrace.runner';
const JOB_LABEL = 'millrace.job';
const TERMINATION_GRACE = 3000;
/** Exit status of what was ended by force. Where it was not us, it was the kernel. */
const KILLED = 137;
const killed = (bytes: number) =>
  `\u001b[0;33mThe script was killed: most likely it used more memory than MILLRACE_RUNNER_MEMORY allows, ${bytes} bytes\u001b[0;m\n`;

const CALL = { milliseconds: 60_000 };

export type ContainerOptions = { engine: Engine; host: Executor; settings: ContainerSettings; limits: JobLimits };

/** The container executor. What is not the job's own script runs in a sandbox of `host`. */
export function containerExecutor(options: ContainerOptions): Executor {
  const { engine, host } = options;
  return {
    name: 'container',
    hasShell: true,
    hasImages: true,
    open: async (directories, account, job) =>
      containerSandbox(options, directories, account, job, await host.open(directories, account, job)),
    recover: async (mark) => {
      await removeAll(engine, `${LABEL}=${mark}`);
    },
  };
}

/** Containers for jobs that name an image, the host for the others. */
export function automaticExecutor(containers: Executor, host: Executor): Executor {
  return {
    name: host.name,
    hasShell: host.hasShell,
    hasImages: true,
    open: (directories, account, job) => (job.image?.name ? containers : host).open(directories, account, job),
    recover: async (mark) => await containers.recover?.(mark),
  };
}

async function removeAll(engine: Engine, label: string): Promise<void> {
  const { stdout } = await engine.call(['ps', '--all', '--quiet', `--filter=label=${label}`], CALL);
  const ids = stdout.split('\n').filter(Boolean);
  // What is left gets no time to end: docker gives none either.
  const now = engine.kind === 'podman' ? ['--time=0'] : [];
  if (ids.length > 0) await engine.call(['rm', '--force', ...now, '--volumes', ...ids], CALL);
  const networks = await engine.call(['network', 'ls', '--quiet', `--filter=label=${label}`], CALL);
  const names = networks.stdout.split('\n').filter(Boolean);
  if (names.length > 0) await engine.call(['network', 'rm', ...names], CALL);
}

function containerSandbox(
  { engine, settings, limits }: ContainerOptions,
  directories: JobDirectories,
  account: Account | undefined,
  job: JobPayload,
  host: Sandbox,
): Sandbox {
  const prefix = `millrace-${directories.mark}-${job.id}`;
  const build = `${prefix}-build`;
  const labels = { [LABEL]: directories.mark, [JOB_LABEL]: `${directories.mark}-${job.id}` };
  const jobLabel = `${JOB_LABEL}=${labels[JOB_LABEL]}`;
  const script = join(directories.private, 'stage.sh');
  let asRoot = true;
  let used = false;
  let terminals = 0;
  /** Resolves when the container is mounted and connected, or will be when it starts. */
  let prepared: Promise<void> | undefined;
  const program = scriptProgram();

  async function network(context: StartContext): Promise<Network> {
    const wanted = settings.network ?? 'auto';
    if (wanted !== 'host') {
      const marks = Object.entries(labels).map(([key, value]) => `--label=${key}=${value}`);
      const made = await engine.call(['network', 'create', ...marks, prefix], { ...CALL, signal: context.signal });
      if (made.code === 0) return { name: prefix, hosts: [] };
      if (wanted === 'job')
        throw new JobFailure('runner_system_failure', `the network of the job could not be made: ${reasonOf(made)}`);
      context.warn(`WARNING: the job shares the network of the host: ${reasonOf(made)}`);
    }
    return { name: 'host', hosts: [] };
  }

  async function start(context: StartContext): Promise<void> {
    const { get, say, warn, signal } = context;
    const credentials = await writeCredentials(engine, join(directories.spool, 'registry'), {
      given: job.credentials ?? [],
      config: get('DOCKER_AUTH_CONFIG'),
    });
    const provide = async (name: string, wanted: Pick<JobImage, 'pull_policy' | 'executor_opts'>) =>
      await provideImage(engine, {
        name: checkImageName(name),
        policies: policiesOf(wanted.pull_policy, settings.pullPolicies),
        platform: wanted.executor_opts?.docker?.platform,
        credentials,
        signal,
        say,
        warn,
      });
    const wanted: JobImage = job.image?.name ? job.image : { name: settings.image ?? null };
    if (!wanted.name)
      throw new JobFailure('runner_system_failure', 'the job names no image, and this runner has no default');
    const services: PreparedService[] = [];
    const images = async (name: string) => {
      const image = await provide(expand(name, get), wanted);
      for (const service of job.services ?? []) {
        const names = namesOf(service, get);
        services.push({ service, ...names, image: await provide(names.name, service) });
      }
      return image;
    };
    // Neither needs the other. Both have ended before anything of them is removed.
    const [found, made] = await Promise.allSettled([images(wanted.name), network(context)]);
    if (found.status === 'rejected') throw found.reason;
    if (made.status === 'rejected') throw made.reason;
    const image = found.value;
    const common = { labels, volumes: settings.volumes ?? [], network: made.value, limits };
    const hosts = await startServices(engine, services, { prefix, common, spool: directories.spool, context });
    const docker = wanted.executor_opts?.docker;
    const user = docker?.user ? expand(docker.user, get) : '';
    if (user && !/^[A-Za-z0-9_.:-]+$/.test(user))
      throw new JobFailure('runner_system_failure', 'the user of the image is no name');
    asRoot = isRoot(user || image.user);
    const envFile = join(directories.spool, 'build.env');
    await writeFile(envFile, envFileText(context.variables), { mode: 0o600 });
    const shell = `if [ -x /bin/bash ]; then exec /bin/bash ${quote(script)}; else exec /bin/sh ${quote(script)}; fi`;
    const created = await engine.call(
      createArguments({
        ...common,
        network: { ...common.network, hosts },
        name: build,
        image: image.id,
        entrypoint: wanted.entrypoint ?? null,
        command: ['sh', '-c', shell],
        envFile,
        user: user || undefined,
        imageUser: image.user,
        platform: docker?.platform,
        directories: [directories.workspace, directories.private],
        workdir: directories.workspace,
        aliases: ['build'],
      }),
      { ...CALL, signal },
    );
    if (created.code !== 0)
      throw new JobFailure('runner_system_failure', `the container could not be made: ${reasonOf(created)}`);
    // Beside the sources. What fails here fails again when it starts, and says why.
    if (engine.kind === 'podman')
      prepared = engine.call(['init', build], CALL).then(
        () => undefined,
        () => undefined,
      );
  }

  async function run(stage: Stage, output: (chunk: Buffer) => void, signal: AbortSignal): Promise<number> {
    if (!stage.inImage) return await host.run(stage, output, signal);
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    if (!signal.aborted) await Promise.race([prepared, aborted]);
    if (signal.aborted) return 143;
    await host.settle();
    used = true;
    // Whoever the job is inside may write here: until it ends, nobody else of this host comes near.
    await chmod(directories.builds, 0o700);
    if (!asRoot) await change('/bin/chmod', ['-R', 'a+rwX', directories.workspace, directories.private]);
    const exports = Object.entries(stage.env).map(([key, value]) => `export ${key}=${quote(value)}`);
    const tools = stage.tools ? [`export PATH="$PATH":${quote(stage.tools)}`] : [];
    const pipes = '[ -z "$BASH_VERSION" ] || set -o pipefail';
    const text = shellScript({ path: '/bin/sh', name: 'sh' }, stage.commands, stage.cwd, stage.echo);
    await rm(script, { force: true });
    await writeFile(script, [...exports, ...tools, pipes, text].join('\n'), { mode: 0o644, flag: 'wx' });
    const exited = engine.call(['start', '--attach', build], { output });
    const stop = () => void terminate(exited);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      const { code } = await exited;
      if (code === KILLED && !signal.aborted && limits.memoryBytes) output(Buffer.from(killed(limits.memoryBytes)));
      return code;
    } finally {
      signal.removeEventListener('abort', stop);
      await rm(script, { force: true });
    }
  }

  /** A shell in the job's container, which runs while its script does. */
  async function terminal(program: string, { env, cwd }: Pick<Stage, 'env' | 'cwd'>, size: Size): Promise<Terminal> {
    const name = `terminal-${terminals++}`;
    const inside = join(directories.private, `${name}.sh`);
    const exports = Object.entries(env).map(([key, value]) => `export ${key}=${quote(value)}`);
    const start = [
      ...exports,
      `export TERM=xterm-256color LANG="\${LANG:-C.UTF-8}" PS1='\\w \\$ '`,
      'stty iutf8 2>/dev/null || :',
      `cd ${quote(cwd)}`,
      'if [ -x /bin/bash ]; then exec /bin/bash --noprofile --norc -i; else exec /bin/sh -i; fi',
    ];
    // As with scripts: nobody else of this host comes near while the job runs.
    await writeFile(inside, `${start.join('\n')}\n`, { mode: 0o644, flag: 'wx' });
    const file = join(directories.spool, `${name}.sh`);
    const command = `${quote(engine.program)} exec -i -t ${quote(build)} /bin/sh ${quote(inside)}`;
    await writeFile(file, onTerminal(program, command, size), { mode: 0o500, flag: 'wx' });
    const child = spawn('/bin/sh', [file], {
      cwd: '/',
      env: { ...engine.environment, TERM: 'xterm-256color' },
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    });
    child.once('close', () => {
      // The job may have put something else in the place of its own.
      for (const path of [file, inside]) void rm(path, { force: true }).catch(() => undefined);
    });
    return terminalOf(child, () => child.kill('SIGTERM'));
  }

  async function terminate(exited: Promise<unknown>): Promise<void> {
    const ended = exited.then(
      () => true,
      () => true,
    );
    await engine.call(['kill', '--signal=TERM', build], CALL).catch(() => undefined);
    if (await Promise.race([ended, sleep(TERMINATION_GRACE, false, { ref: false })])) return;
    await engine.call(['kill', '--signal=KILL', build], CALL).catch(() => undefined);
  }

  /** Takes back what the job made as another user: the next git of this slot has its own. */
  async function takeBack(): Promise<void> {
    if (!used) return;
    used = false;
    await engine.call(['kill', '--signal=KILL', build], CALL).catch(() => undefined);
    if (account) {
      const owner = `${account.uid}:${account.gid}`;
      await change('/bin/chown', ['-RhP', owner, directories.workspace, directories.private]);
    }
    for (const directory of [directories.workspace, directories.private]) await chmod(directory, 0o700);
    await chmod(directories.builds, 0o711);
  }

  return {
    name: 'container',
    start,
    run,
    ...(program ? { terminal: (stage: Pick<Stage, 'env' | 'cwd'>, size: Size) => terminal(program, stage, size) } : {}),
    settle: async () => {
      // What an engine could not end may have the uid of the slot.
      const elsewhere = used;
      await takeBack();
      await host.settle(elsewhere);
    },
    close: async () => {
      await prepared;
      await removeAll(engine, jobLabel);
    },
  };
}

async function change(program: string, args: string[]): Promise<void> {
  const child = spawn(program, args, { stdio: 'ignore', env: {}, cwd: '/' });
  await once(child, 'close');
}
