/** Measurements of the process, for whoever has the token of `/-/metrics`. Without one nothing is measured or loaded. */

export interface Metrics {
  /** Seconds of an HTTP exchange, by method, route and status. */
  observeRequest(labels: { method: string; route: string; status: number }, seconds: number): void;
  /** Seconds of one attempt of a background task. */
  observeTask(task: string, seconds: number, outcome: 'success' | 'failure'): void;
  /** A number that is read when metrics are asked for. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
  /** The same for several things, told apart by a label. */
  gauges(name: string, help: string, label: string, read: () => Promise<readonly (readonly [string, number])[]>): void;
  /** What a scraper reads; null where nothing is measured. */
  render(): Promise<{ readonly type: string; readonly text: string } | null>;
}

const nothing = () => undefined;

export const noMetrics: Metrics = {
  observeRequest: nothing,
  observeTask: nothing,
  gauge: nothing,
  gauges: nothing,
  render: async () => null,
};

/** Begins to measure, in a registry of its own. */
export async function openMetrics(): Promise<Metrics> {
  const { collectDefaultMetrics, Gauge, Histogram, Registry } = await import('prom-client');
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
    gauges(name, help, label, read) {
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers: [registry],
        async collect() {
          for (const [value, number] of await read()) this.set({ [label]: value }, number);
        },
      });
    },
    render: async () => ({ type: registry.contentType, text: await registry.metrics() }),
  };
}
