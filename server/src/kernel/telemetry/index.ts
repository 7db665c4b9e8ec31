/** Structured logs and metrics. Secrets never reach either. */
import { pino } from 'pino';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type Logger = pino.Logger;

const secretParameter =
  /([?&](?:private_token|access_token|job_token|token|password|rss_token|feed_token|cursor_token)(?:%5B%5D|\[\])?=)[^&\s"]*/gi;

/** A URL as it may be logged: values of parameters that carry credentials are cut out. */
export const scrubUrl = (url: string): string =>
  url.replaceAll(secretParameter, '$1[FILTERED]').replace(/\/\/[^/@\s]+@/, '//[FILTERED]@');

/** What is cut out of every line, however deep it is passed. */
const redacted = [
  'token',
  'password',
  'secret',
  'private_token',
  'access_token',
  'job_token',
  'authorization',
  'cookie',
  '["private-token"]',
  '["job-token"]',
];

const wrapped = (name: string, parent: string) => (name.startsWith('[') ? `${parent}${name}` : `${parent}.${name}`);

/** A line for people: time, level, message, and what came with it. */
function readable(line: string): string {
  const { time, level, msg, err, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const details = Object.keys(rest).length > 0 ? ` ${JSON.stringify(rest)}` : '';
  const stack = err ? `\n${String((err as { stack?: unknown }).stack)}` : '';
  return `${String(time).slice(11, 23)} ${String(level).padEnd(5)} ${String(msg ?? '')}${details}${stack}\n`;
}

/** Where the lines of a process go: JSON, or text when a person watches. Written at once, so that none is lost. */
export function logDestination(fd: number, terminal: boolean): pino.DestinationStream {
  const output = pino.destination({ fd, sync: true });
  return terminal ? { write: (line) => void output.write(readable(line)) } : output;
}

/** Creates the process's logger. */
export function createLogger(level: string, destination: pino.DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: redacted.flatMap((name) => [name, wrapped(name, '*'), wrapped(name, '*.headers')]),
        censor: '[FILTERED]',
      },
      serializers: { err: pino.stdSerializers.err, url: (url: unknown) => scrubUrl(String(url)) },
    },
    destination,
  );
}

export interface Metrics {
  readonly registry: Registry;
  /** Seconds of an HTTP exchange, by method, route and status. */
  observeRequest(labels: { method: string; route: string; status: number }, seconds: number): void;
  /** Seconds of one attempt of a background task. */
  observeTask(task: string, seconds: number, outcome: 'success' | 'failure'): void;
  /** A number that is read when metrics are asked for. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
}

/** One registry per process. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'millrace_http_request_duration_seconds',
    help: 'Duration of HTTP exchanges',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const tasks = new Histogram({
    name: 'millrace_task_duration_seconds',
    help: 'Duration of attempts of background tasks',
    labelNames: ['task', 'outcome'],
    buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60],
    registers: [registry],
  });
  return {
    registry,
    observeTask: (task, seconds, outcome) => tasks.observe({ task, outcome }, seconds),
    observeRequest: ({ method, route, status }, seconds) =>
      requests.observe({ method, route, status: String(status) }, seconds),
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          this.set(await read());
        },
      });
    },
  };
}
