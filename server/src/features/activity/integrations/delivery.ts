/** From events to integrations: queued with their fact, sent by a task, and kept for a week. */
import Type from 'typebox';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Integration } from '../../../kernel/db/rows.ts';
import { isOwnAddress, type Mail, type MailText } from '../../../kernel/mail/index.ts';
import { headerPrefix } from '../../../kernel/names.ts';
import type { Outbound } from '../../../kernel/outbound/index.ts';
import { addJob, type CronItem, defineTask, type Task, Unreached } from '../../../kernel/queue/index.ts';
import type { Secrets } from '../../../kernel/secrets/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import type { PushedDiff, WebhookDependencies } from '../webhook-payloads/index.ts';
import type { Announcement, HookMessage } from '../webhooks/index.ts';
import { integrationsAllowed } from './allowed.ts';
import { definitionOf } from './definitions.ts';
import { integrationFilters } from './filters.ts';
import * as queries from './integrations.queries.ts';
import { chatServices } from './services/chat.ts';
import { askJira, mentionInJira } from './services/jira.ts';
import { mailOf, recipientsOf } from './services/mails.ts';
import { chatMessage } from './services/message.ts';
import { type IntegrationValues, openedValues } from './settings.ts';

export interface IntegrationDeliveryDependencies {
  readonly db: Db;
  readonly settings: Pick<Settings, 'read'>;
  /** Without a trailing slash. */
  readonly externalUrl: string;
  readonly outbound: Outbound;
  readonly secrets: Pick<Secrets, 'open'>;
  readonly mail: Pick<Mail, 'send' | 'configured'>;
  readonly webhooks: Pick<WebhookDependencies, 'project' | 'repository'>;
}

type Json = Readonly<Record<string, unknown>>;

interface Outcome {
  readonly ok: boolean;
  readonly message: string;
}

/** Nobody was reached: worth another try. */
class NotReached extends Error {
  override readonly name = 'NotReached';
}

const keptDays = 7;
const batch = 1000;
const attempts = 4;
const answerBytes = 64 * 1024;
const nothing: Outcome = { ok: true, message: 'Nothing to send for this event' };
const temporary: ReadonlySet<string> = new Set(['connection', 'timeout', 'unresolved']);

export function integrationDelivery(deps: IntegrationDeliveryDependencies) {
  const { db, outbound } = deps;
  const refusal = integrationFilters(deps);

  interface Request {
    readonly method?: 'GET' | 'POST';
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly verifyTls?: boolean;
  }

  async function send({ method = 'POST', ...request }: Request): Promise<{ status: number; body: string }> {
    const answer = await outbound.send({ ...request, method, kind: 'integration', maximumBytes: answerBytes });
    if (answer.ok) return { status: answer.status, body: answer.body.toString('utf8') };
    if (temporary.has(answer.reason)) throw new NotReached(answer.message);
    throw new Error(answer.message);
  }

  const accepted = ({ status }: { status: number }) => status >= 200 && status < 300;

  async function sendToChat(slug: string, values: IntegrationValues, event: string, payload: Json): Promise<Outcome> {
    const message = chatMessage(payload);
    const service = chatServices[slug];
    if (!message || !service) return nothing;
    for (const request of service(values, event, message)) {
      const answer = await send(request);
      if (!accepted(answer)) return { ok: false, message: `The service answered ${answer.status}` };
    }
    return { ok: true, message: 'Sent' };
  }

  /** The diff of a push, for mails that show it. */
  async function diffOf(values: IntegrationValues, projectId: number, payload: Json): Promise<PushedDiff | null> {
    if (payload.object_kind !== 'push' || values.disable_diffs === true) return null;
    const subject = await deps.webhooks.project(projectId);
    if (!subject) return null;
    const [ref, before, after] = [payload.ref, payload.before, payload.after].map(String) as [string, string, string];
    return await deps.webhooks.repository.diff(subject, { ref, before, after });
  }

  /** Who pushed, where mails may come from that address. */
  async function senderOf(payload: Json): Promise<MailText['from'] | undefined> {
    const found = typeof payload.user_id === 'number' ? await queries.senderById(db, payload.user_id) : undefined;
    return found && isOwnAddress(found.address, deps.externalUrl) ? found : undefined;
  }

  async function sendByMail(slug: string, values: IntegrationValues, projectId: number, payload: Json) {
    const pushed = slug === 'emails-on-push';
    const mail = mailOf(payload, pushed ? await diffOf(values, projectId, payload) : null);
    if (!mail) return nothing;
    const subject = await deps.webhooks.project(projectId);
    if (subject?.project.emails_enabled === false) return { ok: true, message: 'Emails of the project are disabled' };
    if (!deps.mail.configured) return { ok: false, message: 'No mail server is configured' };
    const recipients = recipientsOf(values);
    const from = pushed && values.send_from_committer_email === true ? await senderOf(payload) : undefined;
    await transaction(db, async (tx) => {
      for (const to of recipients) await deps.mail.send(tx, { ...mail, ...(from ? { from } : {}), to });
    });
    return { ok: recipients.length > 0, message: `${recipients.length} mails sent` };
  }

  async function sendToJenkins(values: IntegrationValues, event: string, payload: Json): Promise<Outcome> {
    const name = String(values.project_name ?? '')
      .split('/')
      .map(encodeURIComponent)
      .join('/');
    const { username, password } = values;
    const basic = Buffer.from(`${username}:${password ?? ''}`).toString('base64');
    const answer = await send({
      url: `${String(values.jenkins_url).replace(/\/+$/, '')}/project/${name}`,
      headers: {
        'Content-Type': 'application/json',
        [`${headerPrefix}Event`]: event,
        ...(username ? { Authorization: `Basic ${basic}` } : {}),
      },
      body: JSON.stringify(payload),
      verifyTls: values.enable_ssl_verification !== false,
    });
    return { ok: accepted(answer), message: `Jenkins answered ${answer.status}` };
  }

  /** Asks Jira. Throws the reason where it refuses. */
  async function sendToJira(request: Request): Promise<unknown> {
    const answer = await send(request);
    if (!accepted(answer)) throw new Error(`Jira answered ${answer.status}`);
    try {
      return JSON.parse(answer.body) as unknown;
    } catch {
      return null;
    }
  }

  async function jira(values: IntegrationValues, payload: Json): Promise<Outcome> {
    const count = await mentionInJira(values, payload, sendToJira);
    return { ok: true, message: `${count} issues mentioned` };
  }

  async function sent(
    slug: string,
    values: IntegrationValues,
    projectId: number,
    message: { readonly event: string; readonly switch: string; readonly payload: Json },
    test: boolean,
  ): Promise<Outcome> {
    const { payload } = message;
    switch (slug) {
      case 'jira':
        return test ? { ok: true, message: await askJira(values, sendToJira) } : await jira(values, payload);
      case 'jenkins':
        return await sendToJenkins(values, message.event, payload);
      case 'emails-on-push':
      case 'pipelines-email':
        return await sendByMail(slug, values, projectId, payload);
      default:
        return await sendToChat(slug, values, message.switch, payload);
    }
  }

  /**
   * Sends one event. A test is sent whatever the integration filters, and fails where there is nothing to send. Throws
   * NotReached where another try may help.
   */
  async function sendEvent(
    row: Integration,
    projectId: number,
    message: Omit<HookMessage, 'trigger'> & { switch: string },
    test = false,
  ): Promise<Outcome> {
    const values = openedValues(deps.secrets, row);
    const payload = message.payload as Json;
    const reason = test ? null : await refusal(row, projectId, values, payload);
    if (reason !== null) return { ok: true, message: reason };
    try {
      const outcome = await sent(row.slug, values, projectId, { ...message, payload }, test);
      return test && outcome === nothing ? { ...outcome, ok: false } : outcome;
    } catch (error) {
      if (error instanceof NotReached) throw error;
      return { ok: false, message: (error as Error).message };
    }
  }

  const deliverTask = { name: 'integrations.deliver', maxAttempts: attempts };
  const deliver = defineTask(
    deliverTask.name,
    Type.Object({ call_id: Type.Integer() }),
    async ({ call_id: id }, { attempt, maxAttempts }) => {
      const call = await queries.callById(db, id);
      const row = call && (await queries.integrationById(db, call.integration_id));
      if (!call || !row?.active) return;
      const { event, payload } = JSON.parse(call.payload) as HookMessage;
      try {
        const outcome = await sendEvent(row, call.project_id, { event, payload, switch: call.event });
        await queries.finishCall(db, id, outcome.ok, outcome.message);
      } catch (error) {
        if (!(error instanceof NotReached)) throw error;
        await queries.finishCall(db, id, false, error.message);
        if (attempt < maxAttempts) throw new Unreached(error.message);
      }
    },
    { maxAttempts: attempts },
  );

  const forget = defineTask('integrations.forget', Type.Object({}), async (_payload, { signal }) => {
    while (!signal.aborted && (await queries.forgetCalls(db, keptDays, batch)) === batch);
  });

  return {
    tasks: [deliver, forget] as readonly Task[],
    cron: [{ task: forget.name, schedule: '47 3 * * *' }] as readonly CronItem[],
    sendEvent,
    async announce({ factId, hooks }: Announcement): Promise<void> {
      if (!hooks || hooks.projectId === null) return;
      const place = { kind: 'project', id: hooks.projectId, groupIds: hooks.groupIds } as const;
      const wanted = (await queries.effectiveIntegrations(db, place)).filter(
        ({ row }) => row.active && row.events.includes(hooks.event) && definitionOf(row.slug)?.sends,
      );
      if (wanted.length === 0) return;
      const allowed = await integrationsAllowed(deps.settings);
      if (!wanted.some(({ row }) => allowed(row.slug))) return;
      const message = await hooks.message();
      if (!message) return;
      const payload = JSON.stringify(message).replaceAll('\\u0000', '');
      for (const { row } of wanted.filter((each) => allowed(each.row.slug)))
        await transaction(db, async (tx) => {
          const call = { integration_id: row.id, project_id: place.id, fact_id: factId, event: hooks.event, payload };
          const id = await queries.insertCall(tx, call);
          if (id !== null) await addJob(tx, deliverTask, { call_id: id });
        });
    },
  };
}

export type IntegrationDelivery = ReturnType<typeof integrationDelivery>;
