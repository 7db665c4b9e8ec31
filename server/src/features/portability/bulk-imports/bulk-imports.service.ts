/** Direct transfer: groups with all below them, and projects, from another instance of this API. */
import Type from 'typebox';
import { Level } from '../../../kernel/authz/levels.ts';
import { anonymous, type Caller } from '../../../kernel/authz/subjects.ts';
import { transaction } from '../../../kernel/db/index.ts';
import { HttpError, notFound, plainError, unauthorized, unprocessable } from '../../../kernel/http/errors.ts';
import { addJob, defineTask, type Task } from '../../../kernel/queue/index.ts';
import { findUser } from '../../identity/index.ts';
import { findNamespaceSubject, type GroupRelation } from '../../namespaces/index.ts';
import type { PortabilityDependencies } from '../index.ts';
import { moveImport } from '../project-archives/transfers.queries.ts';
import { archivedFiles } from '../project-archives/uploads.ts';
import type { UrlImports } from '../project-archives/url-imports.ts';
import { ProviderError } from '../provider-imports/client.ts';
import type { ProviderImports } from '../provider-imports/provider-imports.service.ts';
import { transferApiOf, transferClient, transferLimits } from '../provider-imports/transfer-source.ts';
import {
  beginTransfer,
  cancelTransfer,
  type EntityRow,
  endTransfer,
  insertEntities,
  insertTransfer,
  kept,
  type NewEntity,
  nextEntity,
  setEntity,
} from './bulk-imports.queries.ts';
import { transferGroup } from './groups.ts';

const transferTask = { name: 'portability.transfer', maxAttempts: 3 };
const purpose = 'bulk import';
const hour = 3_600_000;
/** Groups and projects of one request; what is below groups is not counted. */
export const mostEntities = 100;

export interface TransferRequest {
  readonly url: string;
  readonly token: string;
  readonly entities: readonly NewEntity[];
}

export function bulkImportService(
  deps: PortabilityDependencies,
  projects: Pick<ProviderImports, 'start'>,
  relations: readonly GroupRelation[],
  urlImports: Pick<UrlImports, 'wiki'>,
) {
  const { db, outbound, secrets, settings, log } = deps;

  async function requireEnabled(): Promise<void> {
    if (!(await settings.read()).bulk_import_enabled) throw notFound();
  }

  const pathOf = ({ source_type: type, source_full_path: path }: Pick<NewEntity, 'source_type' | 'source_full_path'>) =>
    `/${type}s/${encodeURIComponent(path)}`;

  /** What is wrong with where something is to go, for who may not see it as for what is not there. */
  async function requirePlace(caller: Caller, userId: number, entity: NewEntity): Promise<void> {
    const { destination_namespace: path, source_type: type } = entity;
    if (path === '') {
      if (type === 'project') throw plainError(400, 'destination_namespace is missing');
      if (!caller.admin && !caller.user?.can_create_group)
        throw plainError(422, 'You are not allowed to create groups.');
      return;
    }
    const found = await findNamespaceSubject(db, path, userId);
    const visible = found && (found.level > Level.none || found.group.visibility !== 'private' || caller.admin);
    if (!found || !visible)
      throw plainError(422, `Import failed. Destination '${path}' is invalid, or you don't have permission.`);
    const own = found.group.kind === 'user' && found.group.owner_id === userId && type === 'project';
    const allowed = own || (found.group.kind === 'group' && (caller.admin || found.level >= Level.maintainer));
    if (!allowed)
      throw plainError(422, `Import failed. Destination '${path}' is invalid, or you don't have permission.`);
  }

  /** Everything that can be told at once is told before anything is made. */
  async function start(
    caller: Caller,
    { url, token, entities }: TransferRequest,
    signal: AbortSignal,
  ): Promise<number> {
    const { user } = caller;
    if (!user) throw unauthorized();
    await requireEnabled();
    const base = transferApiOf(url);
    const refusal = base === null ? 'is not an address of http or https' : await outbound.refusal(base, 'import');
    if (base === null || refusal !== null) throw plainError(400, `Invalid URL: ${refusal}`);
    for (const entity of entities) await requirePlace(caller, user.id, entity);
    const client = transferClient({ outbound, waits: false, signal }, { base, token });
    try {
      for (const entity of entities) await client.get(pathOf(entity));
    } catch (error) {
      if (error instanceof ProviderError) throw unprocessable(`Import failed: ${error.message}`);
      throw error;
    }
    return await transaction(db, async (tx) => {
      const sealed = secrets.seal(token, purpose);
      const plain = base.replace(/\/api\/v4$/, '');
      const id = await insertTransfer(tx, { user_id: user.id, admin: caller.admin, url: plain, token_sealed: sealed });
      await insertEntities(tx, id, null, entities);
      await addJob(tx, transferTask, { bulk_import_id: id });
      return id;
    });
  }

  async function one(entity: EntityRow, caller: Caller, source: { base: string; token: string }, signal: AbortSignal) {
    const client = transferClient({ outbound, waits: true, signal }, source);
    if (entity.source_type === 'group') {
      const { groups } = deps.namespaces;
      const limits = await transferLimits(settings);
      const largest = (await settings.read()).max_attachment_size * 1024 ** 2;
      const more = { outbound, from: source, limits, relations, urlImports, files: archivedFiles(deps), largest };
      return await transferGroup(entity, { db, groups, client, caller, signal, ...more });
    }
    const projectId = Number((await client.get(pathOf(entity))).id);
    if (!Number.isInteger(projectId)) throw new ProviderError('missing', 'The project is not there');
    const config = {
      provider: 'transfer',
      ...source,
      projectId,
      members: entity.migrate_memberships,
      timeoutStrategy: 'optimistic',
    } as const;
    await projects.start(
      caller,
      {
        config,
        namespace: entity.destination_namespace,
        name: entity.destination_name ?? undefined,
        path: entity.destination_slug,
        // Its own import tells how far it is from here on.
        made: (tx, id) => setEntity(tx, entity.id, { project_id: id, status: 'finished' }),
      },
      signal,
    );
  }

  /** What is wrong with one of them is told with it; the others go on. */
  function reasonOf(error: unknown): string | null {
    if (error instanceof ProviderError) return error.message;
    return error instanceof HttpError && error.status < 500 ? JSON.stringify(error.body) : null;
  }

  async function run(id: number, signal: AbortSignal, last: boolean): Promise<void> {
    const row = await kept(db, id);
    const user = row?.user_id ? await findUser(db, row.user_id) : undefined;
    if (!row?.token_sealed || user?.state !== 'active' || !(await beginTransfer(db, id))) return;
    const caller: Caller = { ...anonymous, user, admin: row.admin && user.admin };
    const source = { base: `${row.url}/api/v4`, token: secrets.open(row.token_sealed, purpose) };
    for (;;) {
      signal.throwIfAborted();
      const entity = await nextEntity(db, id);
      if (!entity) break;
      try {
        await one(entity, caller, source, signal);
      } catch (error) {
        if (signal.aborted) throw error;
        const reason = reasonOf(error);
        if (reason === null && !last) throw error;
        log.warn({ err: error, bulk_import_id: id, entity: entity.id }, 'a part of a transfer failed');
        const said = reason ?? 'An unexpected error occurred';
        const failures = [...(entity.failures as unknown[]), { relation: entity.source_type, line: 0, reason: said }];
        await setEntity(db, entity.id, { status: 'failed', failures: JSON.stringify(failures) });
      }
    }
    await endTransfer(db, id);
  }

  const task: Task = defineTask(
    transferTask.name,
    Type.Object({ bulk_import_id: Type.Integer() }),
    ({ bulk_import_id: id }, { signal, attempt, maxAttempts }) => run(id, signal, attempt >= maxAttempts),
    { maxAttempts: transferTask.maxAttempts, timeout: 12 * hour },
  );

  return {
    start,
    requireEnabled,
    /** False where nothing is in progress. What is there already stays. */
    cancel: (id: number) =>
      transaction(db, async (tx) => {
        const made = await cancelTransfer(tx, id);
        for (const project of made ?? []) await moveImport(tx, project, ['scheduled', 'started'], 'canceled');
        return made !== null;
      }),
    tasks: [task],
  };
}
export type BulkImports = ReturnType<typeof bulkImportService>;
