/** Health, liveness, readiness and metrics. */
import type { FastifyInstance } from 'fastify';
import { notFound, unauthorized } from '../http/errors.ts';
import { equalSecrets } from '../secrets/index.ts';
import type { Settings } from '../settings/index.ts';
import type { Metrics } from '../telemetry/metrics.ts';

export interface HealthDependencies {
  readonly stopping: () => boolean;
  /** Each really asks its part and throws when it cannot be used. */
  readonly checks: Readonly<Record<string, () => Promise<void>>>;
  readonly metrics: Metrics;
  /** Metrics are off without one: jobs share the host's network and must not read them. */
  readonly metricsToken: string | null;
  readonly settings: Pick<Settings, 'read'>;
}

const checkMilliseconds = 5_000;

async function outcome(check: () => Promise<void>): Promise<{ status: 'ok' } | { status: 'failed'; message: string }> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${checkMilliseconds} ms`)), checkMilliseconds);
  });
  try {
    await Promise.race([check(), late]);
    return { status: 'ok' };
  } catch (error) {
    return { status: 'failed', message: error instanceof Error ? error.message : String(error) };
  } finally {
    clearTimeout(timer);
  }
}

export function mountHealth(server: FastifyInstance, deps: HealthDependencies): void {
  server.get('/-/health', (_request, reply) => reply.type('text/plain').send('Millrace OK'));
  server.get('/-/liveness', (_request, reply) => reply.send({ status: 'ok' }));
  server.get<{ Querystring: { all?: string } }>('/-/readiness', async (request, reply) => {
    if (deps.stopping()) return reply.code(503).send({ status: 'failed', message: 'stopping' });
    const names = request.query.all === undefined ? ['database'] : Object.keys(deps.checks);
    const entries = await Promise.all(
      names.map(
        async (name) => [`${name}_check`, [await outcome(deps.checks[name] ?? (async () => undefined))]] as const,
      ),
    );
    const ready = entries.every(([, [result]]) => result?.status === 'ok');
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ok' : 'failed', ...Object.fromEntries(entries) });
  });
  server.get('/-/metrics', async (request, reply) => {
    const { settings } = deps;
    const { prometheus_metrics_enabled: enabled } = await settings.read();
    if (!enabled) throw notFound();
    const given = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (deps.metricsToken === null || given === undefined || !equalSecrets(given, deps.metricsToken))
      throw unauthorized();
    const rendered = await deps.metrics.render();
    return rendered ? reply.type(rendered.type).send(rendered.text) : reply.code(503).send();
  });
}
