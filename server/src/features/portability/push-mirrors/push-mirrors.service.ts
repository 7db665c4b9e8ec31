/** Setting push mirrors up: what may be pushed to, who may, and what is told of it. */
import { type AuditOrigin, recordAudit } from '../../../kernel/audit/index.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { PushMirror } from '../../../kernel/db/rows.ts';
import { badRequest, forbidden, invalidRecord, recordNotFound } from '../../../kernel/http/errors.ts';
import { linearPattern } from '../../repository/index.ts';
import type { PortabilityDependencies } from '../index.ts';
import * as queries from './push-mirrors.queries.ts';
import { purpose, schedulePush } from './push-mirrors.task.ts';
import { maskedAddress, mirrorRemote } from './remote.ts';

/** Mirrors of one project. */
const most = 10;

export interface MirrorValues {
  readonly enabled?: boolean;
  readonly only_protected_branches?: boolean;
  readonly mirror_branch_regex?: string | null;
  readonly keep_divergent_refs?: boolean;
}

export interface MirrorRequest {
  readonly subject: ProjectSubject;
  readonly caller: Caller;
  readonly origin: AuditOrigin;
}

export function pushMirrorService(deps: Pick<PortabilityDependencies, 'db' | 'settings' | 'outbound' | 'secrets'>) {
  const { db, outbound, secrets } = deps;

  /** Everybody else has mirrors only where the instance lets them. */
  async function requireAvailable({ caller }: Pick<MirrorRequest, 'caller'>): Promise<void> {
    const { mirror_available: available } = await deps.settings.read();
    if (!available && !caller.admin) throw forbidden('Push mirrors are switched off on this instance');
  }

  /** The rule that is given switches the other off; one alone can be. */
  function branchesOf(values: MirrorValues) {
    const pattern = values.mirror_branch_regex || null;
    if (pattern !== null && values.only_protected_branches)
      throw invalidRecord({ mirror_branch_regex: ['cannot be used with only_protected_branches'] });
    if (pattern !== null && linearPattern(pattern) === null)
      throw invalidRecord({ mirror_branch_regex: ['is not a valid regular expression (RE2)'] });
    if (pattern !== null) return { mirror_branch_regex: pattern, only_protected_branches: false };
    return {
      ...(values.mirror_branch_regex === undefined && !values.only_protected_branches
        ? {}
        : { mirror_branch_regex: null }),
      ...(values.only_protected_branches === undefined
        ? {}
        : { only_protected_branches: values.only_protected_branches }),
    };
  }

  /** The sealed address and what is shown of it. */
  async function addressOf(entered: string) {
    const address = entered.trim();
    const remote = mirrorRemote(address);
    const refusal = remote === null ? 'is not a valid HTTP address' : await outbound.refusal(remote.url, 'mirror');
    if (remote === null || refusal !== null) throw invalidRecord({ url: [refusal ?? 'is not a valid HTTP address'] });
    return { url: maskedAddress(address), address_sealed: secrets.seal(address, purpose) };
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
      const branches = branchesOf(values);
      const address = await addressOf(url);
      const { id } = request.subject.project;
      return await transaction(db, async (tx) => {
        if ((await queries.countLocked(tx, id)) >= most)
          throw invalidRecord({ base: [`A project has at most ${most} push mirrors`] });
        const made = await queries.insertMirror(tx, {
          project_id: id,
          ...address,
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
      const branches = branchesOf(values);
      return await transaction(db, async (tx) => {
        const found = await queries.lockMirror(tx, request.subject.project.id, id);
        if (!found) throw recordNotFound();
        const saved = await queries.updateMirror(tx, id, {
          ...branches,
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
