/** Maintenance mode: what is there is read, and nothing of it is changed. Requests are refused here, git where it is authorised. */
import type { FastifyInstance } from 'fastify';
import type { Settings } from '../settings/index.ts';
import { HttpError } from './errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Also during maintenance: it changes nothing, is what maintenance ends with, or refuses in words of its own. */
    duringMaintenance?: true;
  }
}

export interface Maintenance {
  /** What the administrator tells everybody. */
  readonly message: string | null;
}

/** The maintenance that is going on now; null when none is. */
export type ReadMaintenance = () => Promise<Maintenance | null>;

export const maintenanceIn =
  (settings: Pick<Settings, 'read'>): ReadMaintenance =>
  async () => {
    const { maintenance_mode: on, maintenance_mode_message: message } = await settings.read();
    return on ? { message: message || null } : null;
  };

/** For routes that work during maintenance too. */
export const duringMaintenance = { config: { duringMaintenance: true } } as const;

const safe = new Set(['GET', 'HEAD', 'OPTIONS']);
const retrySeconds = 60;

/** What is refused, and with which words of the administrator. */
export const maintenanceText = (what: string, { message }: Maintenance): string =>
  message === null ? what : `${what}: ${message}`;

/** Refuses whatever changes something, before anything of it is read. For the routes that are mounted after it. */
export function refuseDuringMaintenance(server: FastifyInstance, read: ReadMaintenance): void {
  server.addHook('onRequest', async (request) => {
    if (safe.has(request.method) || request.is404 || request.routeOptions.config.duringMaintenance) return;
    const maintenance = await read();
    if (!maintenance) return;
    const message = maintenanceText('You cannot perform write operations on a read-only instance', maintenance);
    throw new HttpError(503, { message }, { 'Retry-After': String(retrySeconds) });
  });
}
