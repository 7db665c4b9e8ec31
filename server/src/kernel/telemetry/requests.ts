/** One line and one measurement per HTTP exchange. */
import type { FastifyInstance } from 'fastify';
import { scrubUrl } from './index.ts';
import type { Metrics } from './metrics.ts';

/** Exchanges that took longer are worth a line at the usual level. */
const slowMilliseconds = 1000;
const safe = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Observes every exchange: writes, failures and slow reads are logged as `info`, other reads as `debug`. */
export function observeRequests(server: FastifyInstance, metrics: Pick<Metrics, 'observeRequest'>): void {
  server.addHook('onResponse', (request, reply, done) => {
    const { method } = request;
    const status = reply.statusCode;
    const ms = reply.elapsedTime;
    metrics.observeRequest({ method, route: request.routeOptions.url ?? 'none', status }, ms / 1000);
    const notable = !safe.has(method) || status >= 400 || ms > slowMilliseconds;
    if (notable || request.log.level === 'debug' || request.log.level === 'trace') {
      const line = { method, path: scrubUrl(request.url), status, ms: Math.round(ms), address: request.ip };
      request.log[notable ? 'info' : 'debug'](line, 'request');
    }
    done();
  });
}
