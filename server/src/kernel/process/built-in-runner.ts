/** Which executor the built-in runner has here, and so whose projects it may serve. */
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../config/config.ts';
import { createRunnerChild, type RunnerChildOptions } from './runner-child.ts';

export interface BuiltInRunner {
  /** All projects where jobs are isolated from the server; those of administrators where they are not. */
  serves(): 'all' | 'administrators';
  wanted(): void;
  stop(): Promise<void>;
}

type RunnerKey = Extract<keyof Config, `runner${string}`>;

export interface BuiltInRunnerOptions {
  readonly config: Pick<Config, 'data' | RunnerKey>;
  readonly url: () => string;
  readonly token: () => Promise<string>;
  readonly log: RunnerChildOptions['log'];
}

const programs = ['/usr/local/bin', '/usr/bin', '/bin'];

/** As root each job has a uid of its own; elsewhere only bubblewrap keeps a job away from the server's files. */
function isolated(executor: string): boolean {
  if (process.getuid?.() === 0) return true;
  return executor !== 'shell' && programs.some((directory) => existsSync(path.join(directory, 'bwrap')));
}

export function builtInRunner(options: BuiltInRunnerOptions): BuiltInRunner {
  const { config } = options;
  const executor = config.runner;
  if (executor === 'off') {
    return { serves: () => 'administrators', wanted: () => undefined, stop: async () => undefined };
  }
  const workDirectory = path.join(config.data, 'runner');
  const child = createRunnerChild({
    url: options.url,
    token: options.token,
    workDirectory,
    slots: config.runnerSlots,
    executor,
    hidden: [config.data],
    outputLimit: config.runnerOutput || undefined,
    limits: {
      memoryBytes: config.runnerMemory || undefined,
      cpus: config.runnerCpus || undefined,
      processes: config.runnerProcesses || undefined,
      diskBytes: config.runnerDisk || undefined,
    },
    containers: {
      engine: config.runnerEngine ?? undefined,
      image: config.runnerImage ?? undefined,
      pullPolicies: config.runnerPullPolicies,
      volumes: config.runnerVolumes,
      network: config.runnerNetwork,
    },
    log: options.log,
  });
  return {
    serves: () => (isolated(executor) ? 'all' : 'administrators'),
    wanted() {
      mkdirSync(workDirectory, { recursive: true, mode: 0o711 });
      child.wanted();
    },
    stop: child.stop,
  };
}
