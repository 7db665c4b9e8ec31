/** Starting and stopping in order: what started last stops first, what is held open is let go before. */

export interface LifecycleLog {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface Lifecycle {
  /** True from the first signal on: readiness says no, held requests are answered. */
  readonly stopping: boolean;
  /** Aborted when stopping begins: held polls answer, streams end. */
  readonly signal: AbortSignal;
  /** The part that is being stopped now, for whoever has to say what hangs. */
  readonly current: string | null;
  /** Registers how a started part is stopped. */
  onStop(name: string, stop: () => Promise<void>): void;
  /** Stops everything, last started first. Calling it again waits for the same stop. */
  stop(): Promise<void>;
}

/** One per process. */
export function createLifecycle(log: LifecycleLog): Lifecycle {
  const parts: Array<{ name: string; stop: () => Promise<void> }> = [];
  const controller = new AbortController();
  let stopped: Promise<void> | undefined;
  let current: string | null = null;

  async function stopAll(): Promise<void> {
    controller.abort(new Error('the process stops'));
    for (let part = parts.pop(); part; part = parts.pop()) {
      const started = performance.now();
      current = part.name;
      try {
        await part.stop();
        log.debug({ part: part.name, ms: Math.round(performance.now() - started) }, 'stopped');
      } catch (error) {
        log.error({ err: error, part: part.name }, 'a part did not stop cleanly');
      }
    }
    current = null;
  }

  return {
    get stopping() {
      return controller.signal.aborted;
    },
    signal: controller.signal,
    get current() {
      return current;
    },
    onStop: (name, stop) => void parts.push({ name, stop }),
    stop: () => {
      stopped ??= stopAll();
      return stopped;
    },
  };
}

const longestStop = 9000;
const sameSignal = 1500;

/**
 * SIGTERM and SIGINT stop the process with exit code 0. A second signal, or nine seconds, end it at once with 1; what is
 * left behind then is recovered by the next process. `exit` ends the process.
 */
export function stopOnSignals(lifecycle: Lifecycle, log: LifecycleLog, exit: (code: number) => void): void {
  let signals = 0;
  let first = 0;
  const handle = (signal: string) => {
    signals += 1;
    // A launcher, a package manager and a process group may each pass the same signal on: repeats soon after are one.
    if (signals > 1) {
      if (performance.now() - first < sameSignal) return;
      log.error({ signal, part: lifecycle.current }, 'second signal: ending at once');
      exit(1);
      return;
    }
    first = performance.now();
    log.info({ signal }, 'stopping');
    setTimeout(() => {
      log.error({ part: lifecycle.current }, `not stopped within ${longestStop} ms: ending at once`);
      exit(1);
    }, longestStop).unref();
    void lifecycle.stop().then(() => exit(0));
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => handle(signal));
}
