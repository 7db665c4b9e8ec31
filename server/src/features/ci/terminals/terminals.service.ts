/** Terminals of running jobs: who may open one, the ticket for it, and the runner at its other end. */
import { type AuditOrigin, entityOfPlace, recordAudit } from '../../../kernel/audit/index.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { transaction } from '../../../kernel/db/index.ts';
import type { Job, Runner } from '../../../kernel/db/rows.ts';
import { forbidden, HttpError } from '../../../kernel/http/errors.ts';
import type { OutboundFailure, OutboundSocket } from '../../../kernel/outbound/index.ts';
import { openSocket } from '../../../kernel/outbound/socket.ts';
import { newToken, tokenHash } from '../../../kernel/secrets/index.ts';
import type { CiDependencies } from '../deps.ts';
import { findJobById } from '../jobs/jobs.queries.ts';
import { projectUrl } from '../jobs/serialize.ts';
import type { WriteAccess } from '../jobs/write-access.ts';
import { findRunner } from '../runners/runners.queries.ts';
import { sealed } from '../variables/sealing.ts';
import { closing, type Ending } from './bridge.ts';
import type { JobTerminalJson } from './terminals.entity.ts';
import {
  insertTerminal,
  type JobSession,
  type JobTerminal,
  openTerminals,
  type SealedSession,
  sessionOf,
  useTicket,
} from './terminals.queries.ts';
import { subprotocols } from './wire.ts';

/** Seconds between the permission and the connection. */
const ticketSeconds = 60;
/** Terminals at the same time. */
const mostTerminals = { job: 5, user: 20 } as const;
/** Bytes of one message. */
export const mostMessageBytes = 256 * 1024;
const lengths = { url: 2048, certificate: 65_536, authorization: 2048 } as const;

/** What a runner says of its terminals when it asks for a job. */
export interface SessionOffer {
  readonly url: string;
  readonly certificate: string | null;
  readonly authorization: string | null;
}

/** The built-in runner listens on a socket of this machine; `ws` spells such addresses like this. */
const onThisMachine = 'ws+unix:';

/** Null for what cannot be used: the job then has no terminal. */
export function sessionOffer(given: unknown, builtIn: boolean): SessionOffer | null {
  if (typeof given !== 'object' || given === null) return null;
  const { url, certificate, authorization } = given as Record<string, unknown>;
  const text = (value: unknown, longest: number) =>
    typeof value === 'string' && value !== '' && value.length <= longest && !value.includes('\0') ? value : null;
  const address = text(url, lengths.url);
  if (address === null) return null;
  const usable = builtIn ? address.startsWith(`${onThisMachine}/`) : URL.parse(address)?.protocol === 'https:';
  if (!usable) return null;
  const secret = text(authorization, lengths.authorization);
  // Anything else could not be a header.
  if (secret !== null && !/^[\x20-\x7e]+$/.test(secret)) return null;
  return { url: address, certificate: text(certificate, lengths.certificate), authorization: secret };
}

const refused = (message: string) => forbidden(message);

export type Terminals = ReturnType<typeof terminalsService>;

export function terminalsService(deps: CiDependencies, access: WriteAccess) {
  const { db, secrets } = deps;

  /** Only whoever started the job: it runs with their token. */
  async function requireOpen(subject: ProjectSubject, caller: Caller, job: Job): Promise<JobSession> {
    await access.requireWrite(subject, caller, job);
    if (caller.user === null || job.user_id !== caller.user.id)
      throw refused('Only the user who started the job can open a terminal in it');
    if (!subject.project.ci_job_terminals_enabled) throw refused('Interactive terminals are disabled in this project');
    if (job.status !== 'running') throw refused('The job is not running');
    const session = await sessionOf(db, job.id);
    if (!session) throw refused('The runner of the job does not support interactive terminals');
    return session;
  }

  async function dial(
    session: JobSession,
    runner: Runner,
    signal: AbortSignal,
  ): Promise<OutboundSocket | OutboundFailure> {
    const authorization = session.authorization_sealed;
    const headers: Record<string, string> = authorization
      ? { Authorization: secrets.open(authorization, sealed.runnerSession) }
      : {};
    const request = {
      headers,
      url: `${session.url.replace(/\/+$/, '')}/exec`,
      protocols: runner.built_in ? ['terminal.millrace'] : ['terminal.gitlab.com'],
      certificate: session.certificate,
      maximumBytes: mostMessageBytes,
      signal,
    };
    if (!runner.built_in) {
      // Administrators register the instance's runners; the others are as trusted as whoever writes a webhook.
      const kind = runner.runner_type === 'instance_type' ? 'service' : 'web_hook';
      return await deps.outbound.socket({ ...request, kind });
    }
    try {
      return { ok: true, socket: await openSocket({ ...request, addresses: null }) };
    } catch {
      const message = 'The built-in runner of the job is on another machine or has ended';
      return { ok: false, reason: 'connection', message, durationMs: 0 };
    }
  }

  return {
    requireOpen,

    /** What the runner said, as it is kept with the job that it is given. */
    sealedSession({ url, certificate, authorization }: SessionOffer): SealedSession {
      const kept = authorization === null ? null : secrets.seal(authorization, sealed.runnerSession);
      return { url, certificate, authorization: kept };
    },

    /** A ticket for one connection. */
    async create(subject: ProjectSubject, caller: Caller, job: Job, origin: AuditOrigin): Promise<JobTerminalJson> {
      await requireOpen(subject, caller, job);
      const userId = caller.user?.id ?? 0;
      const open = await openTerminals(db, job.id, userId);
      for (const scope of ['job', 'user'] as const)
        if (open[scope] >= mostTerminals[scope])
          throw new HttpError(429, {
            message: `At most ${mostTerminals[scope]} terminals of one ${scope} can be open at the same time`,
          });
      const ticket = newToken('');
      const row = await transaction(db, async (tx) => {
        await recordAudit(tx, {
          ...origin,
          entity: entityOfPlace(subject),
          event: 'job_terminal_opened',
          details: { job_id: job.id, ref: job.ref },
          target: { type: 'Ci::Build', id: job.id, details: job.name },
        });
        const ticketSha256 = tokenHash(ticket);
        return await insertTerminal(tx, { jobId: job.id, userId, ticketSha256, seconds: ticketSeconds });
      });
      const { terminal_max_session_time } = await deps.settings.read();
      return {
        id: row.id,
        job_id: job.id,
        url: `${projectUrl(deps, subject).replace(/^http/, 'ws')}/-/jobs/${job.id}/terminal.ws`,
        ticket,
        subprotocols: [...subprotocols],
        expires_at: row.expires_at,
        max_session_time: terminal_max_session_time,
      };
    },

    /** The terminal of a ticket that has not been used; null for any other. */
    async redeem(ticket: string, jobId: number): Promise<{ terminal: JobTerminal; seconds: number } | null> {
      const terminal = await useTicket(db, tokenHash(ticket));
      if (terminal?.job_id !== jobId) return null;
      return { terminal, seconds: (await deps.settings.read()).terminal_max_session_time };
    },

    /** Whether the one who opened it still may; throws when they may not. */
    async check(terminal: JobTerminal): Promise<{ job: Job; session: JobSession }> {
      const job = await findJobById(db, terminal.job_id);
      const acting = job && (await deps.actingAs(terminal.user_id, job.project_id));
      if (!acting) throw forbidden();
      return { job, session: await requireOpen(acting.subject, acting.caller, job) };
    },

    /** What a terminal is told whose runner left without a word. */
    async whyOver(jobId: number): Promise<Ending> {
      const status = (await findJobById(db, jobId))?.status;
      if (status === 'canceling' || status === 'canceled') return { code: closing.away, text: 'The job was canceled' };
      if (status === 'running') return { code: closing.normal, text: 'The runner closed the terminal' };
      return { code: closing.away, text: 'The job ended' };
    },

    /** Connects to the runner of the job. */
    async connect(
      { job, session }: { job: Job; session: JobSession },
      signal: AbortSignal,
    ): Promise<OutboundSocket | OutboundFailure> {
      const runner = job.runner_id === null ? undefined : await findRunner(db, job.runner_id);
      if (!runner) return { ok: false, reason: 'connection', message: 'The runner was removed', durationMs: 0 };
      return await dial(session, runner, signal);
    },
  };
}
