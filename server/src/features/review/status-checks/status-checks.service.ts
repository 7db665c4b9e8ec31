/** External status checks: services outside that are told of merge requests and say whether these may be merged. */
import { type AuditOrigin, entityOfPlace, recordAudit } from '../../../kernel/audit/index.ts';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, isUniqueViolation, transaction } from '../../../kernel/db/index.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import { conflict, invalidRecord, notFound, plainError, unprocessable } from '../../../kernel/http/errors.ts';
import type { Outbound } from '../../../kernel/outbound/index.ts';
import type { Secrets } from '../../../kernel/secrets/index.ts';
import { matchesPattern } from '../../repository/index.ts';
import type { CheckStatus } from './status-checks.entity.ts';
import {
  checksOf,
  deleteCheck,
  findCheck,
  insertCheck,
  insertResponse,
  latestResponses,
  latestResponsesOf,
  listChecks,
  type StatusCheck,
  setBranches,
  updateCheck,
} from './status-checks.queries.ts';

export interface StatusCheckDependencies {
  readonly db: Db;
  readonly outbound: Outbound;
  readonly secrets: Pick<Secrets, 'seal' | 'open'>;
  /** Tells open pages that the request changed. */
  readonly changed: (tx: Db, row: { id: number; project_id: number }) => Promise<void>;
  /** Tells a check of a merge request, soon. */
  readonly tell: (tx: Db, check: StatusCheck, request: MergeRequest, actorId: number | null) => Promise<void>;
}

interface Wanted {
  readonly name?: string | undefined;
  readonly external_url?: string | undefined;
  readonly shared_secret?: string | null | undefined;
  readonly protected_branch_ids?: readonly number[] | undefined;
}

/** Bound to the sealed secrets. */
export const secretPurpose = 'external_status_check';

/** The checks that are for a target branch. */
export async function checksFor(db: Db, projectId: number, branch: string): Promise<StatusCheck[]> {
  return (await listChecks(db, projectId)).filter((check) => isFor(check, branch));
}

const isFor = ({ branches }: StatusCheck, branch: string): boolean =>
  branches.length === 0 || branches.some(({ name }) => matchesPattern(name, branch));

export interface CheckResult {
  readonly check: StatusCheck;
  readonly status: CheckStatus;
}

/** What the checks of a merge request say of its head: what was said of another commit counts for nothing. */
export async function resultsFor(
  db: Db,
  request: Pick<MergeRequest, 'id' | 'project_id' | 'target_branch' | 'head_sha'>,
): Promise<CheckResult[]> {
  const checks = await checksFor(db, request.project_id, request.target_branch);
  if (checks.length === 0) return [];
  const said = await latestResponses(db, request.id, request.head_sha ?? '');
  return checks.map((check) => ({ check, status: said.get(check.id) ?? 'pending' }));
}

/** Whether all checks of each merge request have passed its head, by id. */
export async function allPassedOfEach(
  db: Db,
  requests: readonly Pick<MergeRequest, 'id' | 'project_id' | 'target_branch' | 'head_sha'>[],
): Promise<ReadonlyMap<number, boolean>> {
  if (requests.length === 0) return new Map();
  const [checks, said] = await Promise.all([
    checksOf(db, [...new Set(requests.map(({ project_id }) => project_id))]),
    latestResponsesOf(
      db,
      requests.map(({ id, head_sha }) => ({ id, sha: head_sha ?? '' })),
    ),
  ]);
  return new Map(
    requests.map(({ id, project_id, target_branch }) => [
      id,
      checks
        .filter((check) => check.project_id === project_id && isFor(check, target_branch))
        .every((check) => said.get(id)?.get(check.id) === 'passed'),
    ]),
  );
}

function conflictFrom(error: unknown): unknown {
  const taken = ['has already been taken'];
  if (isUniqueViolation(error, 'external_status_checks_project_id_name_key')) return invalidRecord({ name: taken });
  if (isUniqueViolation(error, 'external_status_checks_project_id_external_url_key'))
    return invalidRecord({ external_url: taken });
  return error;
}

export function statusCheckService({ db, outbound, secrets, changed, tell }: StatusCheckDependencies) {
  async function checkValues({ name, external_url }: Wanted): Promise<void> {
    if (name !== undefined && name.trim() === '') throw invalidRecord({ name: ["can't be blank"] });
    if (external_url === undefined) return;
    const refusal = await outbound.refusal(external_url, 'integration');
    if (refusal !== null) throw invalidRecord({ external_url: [`is blocked: ${refusal}`] });
  }
  const columnsOf = ({ name, external_url, shared_secret }: Wanted) => ({
    ...(name === undefined ? {} : { name: name.trim() }),
    ...(external_url === undefined ? {} : { external_url }),
    ...(shared_secret === undefined
      ? {}
      : { shared_secret_encrypted: shared_secret ? secrets.seal(shared_secret, secretPurpose) : null }),
  });
  const record = (
    tx: Db,
    subject: ProjectSubject,
    what: 'created' | 'updated' | 'destroyed',
    check: Pick<StatusCheck, 'id' | 'name'>,
    origin: AuditOrigin,
    details: Readonly<Record<string, unknown>> = {},
  ) =>
    recordAudit(tx, {
      ...origin,
      entity: entityOfPlace(subject),
      event: `external_status_check_${what}`,
      details,
      target: { type: 'ExternalStatusCheck', id: check.id, details: check.name },
    });

  /** The check as it is after a change, with its branches. */
  async function applied(tx: Db, subject: ProjectSubject, id: number, wanted: Wanted): Promise<StatusCheck> {
    const { protected_branch_ids: ids } = wanted;
    if (ids && !(await setBranches(tx, subject.project.id, id, ids))) throw notFound('ProtectedBranch');
    const check = await findCheck(tx, subject.project.id, id);
    if (!check) throw notFound('External Status Check');
    return check;
  }

  /** Said by a check, or by a person who asks it again: counts for the head alone. */
  async function say(request: MergeRequest, check: StatusCheck, sha: string, status: CheckStatus) {
    return await transaction(db, async (tx) => {
      const id = await insertResponse(tx, { merge_request_id: request.id, check_id: check.id, sha, status });
      if (id === null) throw notFound('External Status Check');
      await changed(tx, request);
      return id;
    });
  }

  return {
    async create(
      subject: ProjectSubject,
      wanted: Wanted & { readonly name: string; readonly external_url: string },
      origin: AuditOrigin,
    ): Promise<StatusCheck> {
      await checkValues(wanted);
      try {
        return await transaction(db, async (tx) => {
          const sealed = { shared_secret_encrypted: null, ...columnsOf(wanted) };
          const { name, external_url } = wanted;
          const values = { project_id: subject.project.id, ...sealed, name: name.trim(), external_url };
          const check = await applied(tx, subject, await insertCheck(tx, values), wanted);
          await record(tx, subject, 'created', check, origin, { host: new URL(external_url).host });
          return check;
        });
      } catch (error) {
        throw conflictFrom(error);
      }
    },

    async update(subject: ProjectSubject, id: number, wanted: Wanted, origin: AuditOrigin): Promise<StatusCheck> {
      await checkValues(wanted);
      try {
        return await transaction(db, async (tx) => {
          await updateCheck(tx, id, columnsOf(wanted));
          const check = await applied(tx, subject, id, wanted);
          await record(tx, subject, 'updated', check, origin, { changed: Object.keys(wanted) });
          return check;
        });
      } catch (error) {
        throw conflictFrom(error);
      }
    },

    async remove(subject: ProjectSubject, check: StatusCheck, origin: AuditOrigin): Promise<void> {
      await transaction(db, async (tx) => {
        if (!(await deleteCheck(tx, check.id))) throw notFound('External Status Check');
        await record(tx, subject, 'destroyed', check, origin);
      });
    },

    /** Throws the API's 409 for another commit than the head. */
    async respond(request: MergeRequest, check: StatusCheck, sha: string, status: CheckStatus): Promise<number> {
      if (request.state !== 'opened') throw conflict('the merge request is not open');
      if (sha !== request.head_sha)
        throw plainError(409, `SHA does not match HEAD of source branch: ${request.head_sha ?? ''}`);
      return await say(request, check, sha, status);
    },

    async retry(request: MergeRequest, check: StatusCheck, actorId: number | null): Promise<void> {
      const said = await latestResponses(db, request.id, request.head_sha ?? '');
      if (request.head_sha === null || said.get(check.id) !== 'failed')
        throw unprocessable('External status check must be failed');
      await say(request, check, request.head_sha, 'pending');
      await transaction(db, (tx) => tell(tx, check, request, actorId));
    },
  };
}

export type StatusCheckService = ReturnType<typeof statusCheckService>;
