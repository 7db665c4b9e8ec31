/** Setting push mirrors up: what may be pushed to, who may, and what is told of it. */
import { type AuditOrigin, recordAudit } from '../../../kernel/audit/index.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { PushMirror } from '../../../kernel/db/rows.ts';
import { badRequest, forbidden, invalidRecord, recordNotFound } from '../../../kernel/http/errors.ts';
import type { PortabilityDependencies } from '../index.ts';
import { branchesOf, hostKeysOf, sealedAddress } from '../mirrors/address.ts';
import * as queries from './push-mirrors.queries.ts';
import { purposes, schedulePush } from './push-mirrors.task.ts';

/** Mirrors of one project that are switched on. */
const most = 10;

export interface MirrorValues {
  readonly enabled?: boolean;
  readonly only_protected_branches?: boolean;
  readonly mirror_branch_regex?: string | null;
  readonly keep_divergent_refs?: boolean;
  readonly auth_method?: PushMirror['auth_method'];
  readonly host_keys?: readonly string[];
}

export interface MirrorRequest {
  readonly subject: ProjectSubject;
  readonly caller: Caller;
  readonly origin: AuditOrigin;
}

const ruleOf = ({ only_protected_branches: protectedOnly, mirror_branch_regex: pattern }: MirrorValues) =>
  branchesOf({ protectedOnly, pattern }, 'only_protected_branches');

export function pushMirrorService(deps: Pick<PortabilityDependencies, 'db' | 'settings' | 'outbound' | 'secrets'>) {
  const { db } = deps;

  /** Everybody else has mirrors only where the instance lets them. */
  async function requireAvailable({ caller }: Pick<MirrorRequest, 'caller'>): Promise<void> {
    const { mirror_available: available } = await deps.settings.read();
    if (!available && !caller.admin) throw forbidden('Push mirrors are switched off on this instance');
  }

  async function requireRoom(tx: Db, projectId: number): Promise<void> {
    if ((await queries.countEnabled(tx, projectId)) >= most)
      throw invalidRecord({ base: [`A project has at most ${most} enabled push mirrors`] });
  }

  const recorded = (tx: Db, { subject, origin }: MirrorRequest, event: string, mirror: PushMirror) => {
    const { project, namespace } = subject;
    return recordAudit(tx, {
      ...origin,
      entity: { type: 'Project', id: project.id, path: `${namespace.full_path}/${project.path}` },
      event: `push_mirror_${event}`,
      details: { url: mirror.url, enabled: mirror.enabled },
      target: { type: 'PushMirror', id: mirror.id, details: mirror.url },
    });
  };

  /** What is switched on is pushed to at once. */
  async function begun(tx: Db, mirror: PushMirror): Promise<PushMirror> {
    if (!mirror.enabled) return mirror;
    await schedulePush(tx, mirror.id);
    return await queries.updateMirror(tx, mirror.id, { update_status: 'scheduled' });
  }

  return {
    requireAvailable,

    async create(request: MirrorRequest, url: string, values: MirrorValues): Promise<PushMirror> {
      await requireAvailable(request);
      const branches = ruleOf(values);
      const address = await sealedAddress(deps, purposes, url, values.auth_method);
      const hostKeys = hostKeysOf(values.host_keys, address.auth_method);
      const { id } = request.subject.project;
      return await transaction(db, async (tx) => {
        if (values.enabled) await requireRoom(tx, id);
        const made = await queries.insertMirror(tx, {
          project_id: id,
          ...address,
          ...hostKeys,
          enabled: values.enabled ?? false,
          only_protected_branches: false,
          mirror_branch_regex: null,
          ...branches,
          keep_divergent_refs: values.keep_divergent_refs ?? false,
          by_admin: request.caller.admin,
        });
        await recorded(tx, request, 'created', made);
        return await begun(tx, made);
      });
    },

    async update(request: MirrorRequest, id: number, values: MirrorValues): Promise<PushMirror> {
      await requireAvailable(request);
      const branches = ruleOf(values);
      return await transaction(db, async (tx) => {
        const found = await queries.lockMirror(tx, request.subject.project.id, id);
        if (!found) throw recordNotFound();
        if (values.auth_method !== undefined && values.auth_method !== found.auth_method)
          throw invalidRecord({ auth_method: [`must be ${found.auth_method} for this URL`] });
        if (values.enabled && !found.enabled) await requireRoom(tx, found.project_id);
        const saved = await queries.updateMirror(tx, id, {
          ...branches,
          ...hostKeysOf(values.host_keys, found.auth_method),
          ...(values.enabled === undefined ? {} : { enabled: values.enabled }),
          ...(values.keep_divergent_refs === undefined ? {} : { keep_divergent_refs: values.keep_divergent_refs }),
          by_admin: request.caller.admin,
        });
        await recorded(tx, request, 'updated', saved);
        return found.enabled || found.update_status === 'started' ? saved : await begun(tx, saved);
      });
    },

    async remove(request: MirrorRequest, id: number, unmodifiedSince: (at: Date) => void): Promise<void> {
      await requireAvailable(request);
      await transaction(db, async (tx) => {
        const found = await queries.lockMirror(tx, request.subject.project.id, id);
        if (!found) throw recordNotFound();
        unmodifiedSince(found.updated_at);
        await queries.deleteMirror(tx, id);
        await recorded(tx, request, 'deleted', found);
      });
    },

    /** Pushes now, without waiting for a change. */
    async sync(request: MirrorRequest, id: number): Promise<void> {
      await requireAvailable(request);
      await transaction(db, async (tx) => {
        const found = await queries.lockMirror(tx, request.subject.project.id, id);
        if (!found) throw recordNotFound();
        if (!found.enabled) throw badRequest('The mirror is switched off');
        await schedulePush(tx, id);
        await queries.markScheduled(tx, [id]);
      });
    },
  };
}
export type PushMirrors = ReturnType<typeof pushMirrorService>;
