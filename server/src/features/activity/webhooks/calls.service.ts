/** Calls of hooks: queued with the fact that they tell of, sent one after the other to each hook, and kept for a week. */
import { randomUUID } from 'node:crypto';
import Type from 'typebox';
import { type Db, isUniqueViolation, transaction } from '../../../kernel/db/index.ts';
import type { WebHook, WebHookCall } from '../../../kernel/db/rows.ts';
import { recordNotFound } from '../../../kernel/http/errors.ts';
import { headerPrefix } from '../../../kernel/names.ts';
import type { Outbound } from '../../../kernel/outbound/index.ts';
import { addJob, type CronItem, defineTask, type Task } from '../../../kernel/queue/index.ts';
import type { Secrets } from '../../../kernel/secrets/index.ts';
import { hearsBranch } from './branch-filter.ts';
import * as queries from './calls.queries.ts';
import type { HookEvent } from './hooks.events.ts';
import { alertStatus, isSystemHook } from './hooks.state.ts';
import { openedHook, redact } from './secrets.ts';
import { renderTemplate } from './template.ts';

/** What a hook is called with. */
export interface HookMessage {
  /** As logs name it: `push_hooks`. */
  readonly trigger: string;
  /** As the header names it: `Push Hook`. */
  readonly event: string;
  readonly payload: object;
}

/** Who is to be told of a fact, and of what. */
export interface Announcement {
  readonly factId: number;
  /** Hooks of the project and of the groups with this switch. */
  readonly hooks?: {
    readonly event: HookEvent;
    readonly projectId: number | null;
    readonly groupIds: readonly number[];
    /** Hooks that hear of other branches only are left out. */
    readonly branch?: string;
    readonly message: () => Promise<HookMessage | null>;
  };
  /** Hooks of the instance, with this switch or, for null, all of them. */
  readonly system?: {
    readonly event: HookEvent | null;
    readonly trigger: string;
    /** As for hooks of projects. */
    readonly branch?: string;
    readonly payload: () => Promise<object | null>;
  };
}

/** What came of one call. */
export interface Called {
  readonly call: WebHookCall;
  /** Null without an answer. */
  readonly status: number | null;
  readonly ok: boolean;
  /** For people. */
  readonly message: string;
}

export interface HookCalls {
  /** Queues the calls of a fact; the same fact again changes nothing. */
  announce(announcement: Announcement): Promise<void>;
  /** Sends at once, for tries and repetitions. One that works brings the hook back. */
  callNow(hook: WebHook, message: HookMessage, repeated?: WebHookCall): Promise<Called>;
  readonly tasks: readonly Task[];
  readonly cron: readonly CronItem[];
}

interface CallDependencies {
  readonly db: Db;
  readonly outbound: Outbound;
  readonly secrets: Pick<Secrets, 'open'>;
  readonly externalUrl: string;
  readonly version: string;
}

/** Seconds between attempts where nobody was reached; other failures are answers, and are not tried again. */
const retryAfter = [10, 60, 300];
const keptDays = 7;
const batch = 1000;
const bodyBytes = 8192;
const headerCharacters = 1024;
const headersKept = 50;

interface Outcome {
  readonly ok: boolean;
  readonly reached: boolean;
  readonly message: string;
  /** Nothing was sent: silent mode is enabled. */
  readonly silent?: true;
  readonly result: queries.CallResult & { readonly response_code: number | null };
}

export function hookCalls(deps: CallDependencies): HookCalls {
  const { db, outbound, secrets } = deps;

  async function send(hook: WebHook, call: Pick<WebHookCall, Identifiers>): Promise<Outcome> {
    const { url, headers: own, token, mask } = openedHook(secrets, hook);
    const { fact_id, payload } = call;
    const given: Record<string, string> = {
      'Content-Type': 'application/json',
      'User-Agent': `Millrace/${deps.version}`,
      'Idempotency-Key': call.idempotency_key,
      [`${headerPrefix}Event`]: call.event,
      [`${headerPrefix}Webhook-UUID`]: call.uuid,
      [`${headerPrefix}Instance`]: deps.externalUrl,
      [`${headerPrefix}Event-UUID`]: call.event_uuid,
      // Grows over time: a receiver tells a late repetition from news.
      ...(fact_id === null ? {} : { 'X-Millrace-Sequence': String(fact_id) }),
    };
    const secret = { ...(token === null ? {} : { [`${headerPrefix}Token`]: token }), ...Object.fromEntries(own) };
    const kept = { ...given, ...Object.fromEntries(Object.keys(secret).map((name) => [name, redact()])) };
    const body = hook.custom_webhook_template
      ? renderTemplate(hook.custom_webhook_template, JSON.parse(payload))
      : payload;
    const failed = (message: string, reached: boolean, durationMs: number): Outcome => ({
      ok: false,
      reached,
      message,
      result: {
        request_headers: JSON.stringify(kept),
        response_headers: '{}',
        response_body: message,
        response_code: null,
        duration: durationMs / 1000,
      },
    });
    if (body === null) return failed('The custom template does not give JSON', true, 0);
    const answer = await outbound.send({
      url,
      kind: isSystemHook(hook) ? 'system_hook' : 'web_hook',
      method: 'POST',
      headers: { ...given, ...secret },
      body,
      verifyTls: hook.enable_ssl_verification,
      maximumBytes: bodyBytes,
    });
    if (!answer.ok && answer.reason === 'silent') return { ...failed(answer.message, true, 0), silent: true };
    if (!answer.ok) {
      const again = ['connection', 'timeout', 'unresolved'].includes(answer.reason);
      return failed(answer.message, !again, answer.durationMs);
    }
    const headers = Object.entries(answer.headers)
      .slice(0, headersKept)
      .map(([name, value]) => [name, mask(value).slice(0, headerCharacters)]);
    return {
      // A redirect is an answer: whoever moved has heard of it.
      ok: answer.status >= 200 && answer.status < 400,
      reached: true,
      message: `Hook executed successfully: HTTP ${answer.status}`,
      result: {
        request_headers: JSON.stringify(kept),
        response_headers: JSON.stringify(Object.fromEntries(headers)),
        // PostgreSQL takes no NUL in a text.
        response_body: mask(answer.body.toString('utf8')).replaceAll('\0', ''),
        response_code: answer.status,
        duration: answer.durationMs / 1000,
      },
    };
  }

  const settle = (tx: Db, hook: WebHook, ok: boolean) =>
    ok ? queries.hookWorked(tx, hook.id) : isSystemHook(hook) ? undefined : queries.hookFailed(tx, hook.id);

  /** One call that waits; false when there is none, or another process is at it. */
  async function sendNext(hookId: number): Promise<boolean> {
    const call = await queries.claimCall(db, hookId).catch((error: unknown) => {
      if (isUniqueViolation(error, 'web_hook_calls_sending')) return undefined;
      throw error;
    });
    if (!call) return false;
    const hook = await queries.hookById(db, hookId);
    if (!hook) return false;
    // It was paused since: what waited is not news any more when it is back.
    if (alertStatus(hook) !== 'executable') {
      await queries.dropCall(db, call.id);
      return true;
    }
    const outcome = await send(hook, call);
    // No failure of the hook's, and no news any more when silent mode ends.
    if (outcome.silent) {
      await queries.dropCall(db, call.id);
      return true;
    }
    const seconds = outcome.ok || outcome.reached ? undefined : retryAfter[call.attempts - 1];
    const again = seconds === undefined ? null : new Date(Date.now() + seconds * 1000);
    await transaction(db, async (tx) => {
      await queries.finishCall(tx, call.id, outcome.result, again);
      if (again === null) await settle(tx, hook, outcome.ok);
      else await addJob(tx, deliver, { hook_id: hook.id }, { runAt: again, jobKey: `${deliver.name}:call:${call.id}` });
    });
    return true;
  }

  const deliver = defineTask(
    'hooks.deliver',
    Type.Object({ hook_id: Type.Integer() }),
    async ({ hook_id }, { signal }) => {
      while (!signal.aborted && (await sendNext(hook_id)));
    },
    { timeout: 300_000 },
  );
  const enqueue = (tx: Db, hookId: number) =>
    addJob(tx, deliver, { hook_id: hookId }, { jobKey: `${deliver.name}:${hookId}` });

  /** Calls whose process died, and the end of the log. */
  const sweep = defineTask('hooks.sweep', Type.Object({}), async () => {
    for (const id of await queries.hooksLeftBehind(db)) await enqueue(db, id);
  });
  const forget = defineTask('hooks.forget', Type.Object({}), async (_payload, { signal }) => {
    const before = new Date(Date.now() - keptDays * 86_400_000);
    while (!signal.aborted && (await queries.removeCalls(db, before, batch)) === batch);
  });

  async function queueCalls(hooks: readonly WebHook[], factId: number, message: HookMessage, eventUuid: string) {
    const { trigger, event } = message;
    const payload = JSON.stringify(message.payload).replaceAll('\\u0000', '');
    // Each by itself: who holds the jobs of several hooks, and the queue ending such jobs, would wait for each other.
    for (const hook of hooks) {
      const uuid = randomUUID();
      const identity = { hook_id: hook.id, fact_id: factId, trigger, event, url: hook.url };
      const ids = { event_uuid: eventUuid, uuid, idempotency_key: uuid };
      await transaction(db, async (tx) => {
        if (await queries.insertCall(tx, { ...identity, ...ids, payload })) await enqueue(tx, hook.id);
      });
    }
  }

  const hearing = (hooks: readonly WebHook[], branch: string | undefined) =>
    branch === undefined ? hooks : hooks.filter((hook) => hearsBranch(hook, branch));

  return {
    announce: async ({ factId, hooks, system }) => {
      const eventUuid = randomUUID();
      if (hooks) {
        const { branch } = hooks;
        const found = await queries.hooksToCall(db, hooks, hooks.event);
        const wanted = hearing(found, branch);
        const message = wanted.length > 0 ? await hooks.message() : null;
        if (message) await queueCalls(wanted, factId, message, eventUuid);
      }
      if (system) {
        const found = hearing(await queries.systemHooksToCall(db, system.event), system.branch);
        const payload = found.length > 0 ? await system.payload() : null;
        const message = payload && { trigger: system.trigger, event: 'System Hook', payload };
        if (message) await queueCalls(found, factId, message, eventUuid);
      }
    },
    callNow: async (hook, { trigger, event, payload }, repeated) => {
      const uuid = randomUUID();
      const text = JSON.stringify(payload);
      const row = {
        ...{ hook_id: hook.id, fact_id: null, trigger, event, payload: text, url: hook.url, uuid },
        event_uuid: repeated?.event_uuid ?? randomUUID(),
        idempotency_key: repeated?.idempotency_key ?? uuid,
      };
      const outcome = await send(hook, row);
      const call = await transaction(db, async (tx) => {
        await settle(tx, hook, outcome.ok);
        return await queries.insertCall(tx, { ...row, ...outcome.result, state: 'done', attempts: 1 });
      });
      // Somebody removed the hook while it was called.
      if (!call) throw recordNotFound();
      return { call, status: outcome.result.response_code, ok: outcome.ok, message: outcome.message };
    },
    tasks: [deliver, sweep, forget],
    cron: [
      { task: sweep.name, schedule: '* * * * *' },
      { task: forget.name, schedule: '41 3 * * *' },
    ],
  };
}

type Identifiers = 'fact_id' | 'event' | 'event_uuid' | 'uuid' | 'idempotency_key' | 'payload';
