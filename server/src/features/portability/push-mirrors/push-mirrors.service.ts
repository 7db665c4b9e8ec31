/** Setting push mirrors up: what may be pushed to, who may, and what is told of it. */
import { type AuditOrigin, recordAudit } from '../../../kernel/audit/index.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { PushMirror } from '../../../kernel/db/rows.ts';
import { badRequest, forbidden, invalidRecord, recordNotFound } from '../../../kernel/http/errors.ts';
import { linearPattern } from '../../repository/index.ts';
import type { PortabilityDependencies } from '../index.ts';
import * as queries from './push-mirrors.queries.ts';
import { keyPurpose, purpose, schedulePush } from './push-mirrors.task.ts';
import { maskedAddress, mirrorRemote } from './remote.ts';
import { sshRemote } from './remote-ssh.ts';
import { mirrorKeyPair, readHostKey } from './ssh-keys.ts';

/** Mirrors of one project. */
const most = 10;
const notValid = 'is not a valid HTTP or SSH address; addresses of SSH have no password';

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

  /** The sealed address and what is shown of it; over SSH with a new key. */
  async function addressOf(entered: string, method: MirrorValues['auth_method']) {
    const address = entered.trim();
    const ssh = sshRemote(address);
    const url = ssh?.url ?? mirrorRemote(address)?.url;
    const refusal = url === undefined ? notValid : await outbound.refusal(url, 'mirror');
    if (refusal !== null) throw invalidRecord({ url: [refusal] });
    const auth_method = ssh ? 'ssh_public_key' : 'password';
    if (method !== undefined && method !== auth_method)
      throw invalidRecord({ auth_method: [`must be ${auth_method} for this URL`] });
    const proof = ssh ? await mirrorKeyPair() : null;
    return {
      url: maskedAddress(address),
      address_sealed: secrets.seal(address, purpose),
      auth_method,
      ssh_public_key: proof?.public ?? null,
      ssh_private_key_sealed: proof && secrets.seal(proof.private, keyPurpose),
    } as const;
  }

  /** Keys of the server as they are stored. Throws 400 for what is none. */
  function hostKeysOf({ host_keys: given }: MirrorValues, method: PushMirror['auth_method']) {
    if (given === undefined) return {};
    if (given.length > 0 && method !== 'ssh_public_key') throw invalidRecord({ host_keys: ['are for SSH URLs'] });
    const read = given.map(readHostKey);
    const keys = read.filter((key) => key !== null);
    if (keys.length < read.length) throw invalidRecord({ host_keys: ['must be public SSH keys, one each'] });
    return { host_keys: [...new Set(keys)] };
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
      const address = await addressOf(url, values.auth_method);
      const hostKeys = hostKeysOf(values, address.auth_method);
      const { id } = request.subject.project;
      return await transaction(db, async (tx) => {
        if ((await queries.countLocked(tx, id)) >= most)
          throw invalidRecord({ base: [`A project has at most ${most} push mirrors`] });
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
      const branches = branchesOf(values);
      return await transaction(db, async (tx) => {
        const found = await queries.lockMirror(tx, request.subject.project.id, id);
        if (!found) throw recordNotFound();
        if (values.auth_method !== undefined && values.auth_method !== found.auth_method)
          throw invalidRecord({ auth_method: [`must be ${found.auth_method} for this URL`] });
        const saved = await queries.updateMirror(tx, id, {
          ...branches,
          ...hostKeysOf(values, found.auth_method),
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
