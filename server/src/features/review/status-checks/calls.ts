/** Telling external status checks of merge requests: when one is opened, and again for each new head. */
import { createHmac } from 'node:crypto';
import Type from 'typebox';
import type { Acting } from '../../../kernel/authz/acting.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import { type FactConsumer, mergeRequestFacts, on } from '../../../kernel/events/index.ts';
import type { Outbound } from '../../../kernel/outbound/index.ts';
import { addJob, defineTask, type Task, Unreached } from '../../../kernel/queue/index.ts';
import type { Secrets } from '../../../kernel/secrets/index.ts';
import type { Logger } from '../../../kernel/telemetry/index.ts';
import type { RepositoryAccess } from '../../repository/index.ts';
import { byId } from '../merge-requests/merge-requests.queries.ts';
import { mergeRequestPayload } from '../messages/index.ts';
import { findCheck, type StatusCheck } from './status-checks.queries.ts';
import { checksFor, secretPurpose } from './status-checks.service.ts';

export interface CallDependencies {
  readonly db: Db;
  readonly log: Logger;
  readonly externalUrl: string;
  /** What comes before a project's full path in its SSH address. */
  readonly sshPrefix: () => string | null;
  readonly outbound: Outbound;
  readonly secrets: Pick<Secrets, 'open'>;
  readonly repository: RepositoryAccess;
  /** The person and the project as they are now. */
  readonly actingAs: (userId: number, projectId: number) => Promise<Acting | null>;
}

interface StatusCheckCalls {
  tell(tx: Db, check: StatusCheck, request: MergeRequest, actorId: number | null): Promise<void>;
  readonly tasks: readonly Task[];
  readonly consumers: readonly FactConsumer[];
}

const attempts = 5;

export function statusCheckCalls(deps: CallDependencies): StatusCheckCalls {
  const { db, log, outbound, secrets, repository } = deps;

  async function call(checkId: number, requestId: number, sha: string, actorId: number | null): Promise<void> {
    const request = await byId(db, requestId);
    // A newer head has calls of its own.
    if (request?.state !== 'opened' || request.head_sha !== sha) return;
    const check = await findCheck(db, request.project_id, checkId);
    if (!check) return;
    const author = request.author_id ?? 0;
    const acting =
      (await deps.actingAs(actorId ?? author, request.project_id)) ?? (await deps.actingAs(author, request.project_id));
    const user = acting?.caller.user;
    if (!acting || !user) return;
    const { subject } = acting;
    const { project_id: target, source_project_id: origin } = request;
    const source = origin === target ? acting : origin === null ? null : await deps.actingAs(user.id, origin);
    const message = await mergeRequestPayload(
      { db, repository, urls: deps },
      { target: subject, source: source?.subject ?? null },
      request,
      user,
      { changes: {} },
    );
    const { id, name, external_url } = check;
    const body = JSON.stringify({ ...message, external_approval_rule: { id, name, external_url } });
    const { shared_secret_encrypted: sealed } = check;
    const signature = sealed && createHmac('sha256', secrets.open(sealed, secretPurpose)).update(body).digest('hex');
    const answer = await outbound.send({
      url: check.external_url,
      kind: 'integration',
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'Millrace',
        ...(signature ? { 'X-Gitlab-Signature': signature } : {}),
      },
      body,
    });
    if (answer.ok && answer.status < 500) return;
    const why = answer.ok ? `status ${answer.status}` : answer.message;
    log.warn({ check_id: checkId, merge_request_id: requestId, why }, 'an external status check was not reached');
    // What the instance does not allow is not allowed later either.
    if (!answer.ok && (answer.reason === 'refused' || answer.reason === 'invalid')) return;
    throw new Unreached(`external status check ${checkId}: ${why}`);
  }

  const task = defineTask(
    'review.call_status_check',
    Type.Object({
      check_id: Type.Integer(),
      merge_request_id: Type.Integer(),
      sha: Type.String(),
      actor_id: Type.Union([Type.Integer(), Type.Null()]),
    }),
    ({ check_id, merge_request_id, sha, actor_id }) => call(check_id, merge_request_id, sha, actor_id),
    { maxAttempts: attempts },
  );

  const tell: StatusCheckCalls['tell'] = async (tx, check, request, actorId) => {
    if (request.head_sha === null) return;
    await addJob(
      tx,
      task,
      { check_id: check.id, merge_request_id: request.id, sha: request.head_sha, actor_id: actorId },
      { jobKey: `${task.name}:${request.id}:${check.id}:${request.head_sha}` },
    );
  };

  return {
    tell,
    tasks: [task],
    consumers: [
      {
        name: 'status-checks.call',
        handlers: [
          on(
            [mergeRequestFacts.opened, mergeRequestFacts.reopened, mergeRequestFacts.head_changed],
            async ({ payload, actor_id }) => {
              const request = await byId(db, payload.merge_request_id);
              if (request?.state !== 'opened') return;
              for (const check of await checksFor(db, request.project_id, request.target_branch))
                await tell(db, check, request, actor_id);
            },
          ),
        ],
      },
    ],
  };
}
