/** Setting a pull mirror up: which repository a project follows, and how. */
import { type AuditOrigin, recordAudit } from '../../../kernel/audit/index.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { PullMirror } from '../../../kernel/db/rows.ts';
import { badRequest, forbidden, invalidRecord, plainError } from '../../../kernel/http/errors.ts';
import type { PortabilityDependencies } from '../index.ts';
import { type AuthMethod, branchesOf, hostKeysOf, sealedAddress } from '../mirrors/address.ts';
import * as queries from './pull-mirrors.queries.ts';
import { purposes, schedulePull } from './pull-mirrors.task.ts';
import { apart } from './schedule.ts';

export interface PullMirrorValues {
  readonly enabled?: boolean;
  readonly url?: string;
  readonly auth_user?: string;
  readonly auth_password?: string;
  readonly mirror_trigger_builds?: boolean;
  readonly only_mirror_protected_branches?: boolean;
  readonly mirror_overwrites_diverged_branches?: boolean;
  readonly mirror_branch_regex?: string | null;
  readonly auth_method?: AuthMethod;
  readonly host_keys?: readonly string[];
}

/** How a mirror is set up with its project. */
interface Setup {
  /** What the address is called in answers about it. */
  readonly field?: string;
  /** Whose pushes updates are; the caller without it. */
  readonly userId?: number;
  /** The project is being imported from the address: the first update comes later. */
  readonly imported?: boolean;
}

interface PullMirrorRequest {
  readonly subject: ProjectSubject;
  readonly caller: Caller;
  readonly origin: AuditOrigin;
}

export const notMirrored = () => plainError(400, 'The project is not mirrored');

/** Characters of an encoded address that a project can store. */
const longestAddress = 2048;

/** The address of a mirror as its project shows it: without what proves us. */
const importUrl = (shown: string) => shown.replace(/^(https?:\/\/)[^/@]*@/, '$1');

/** The address with the name and password that are given beside it. */
function withProof(address: string, { auth_user: user, auth_password: password }: PullMirrorValues): string {
  const url = URL.parse(address.trim());
  if (!url) return address;
  if (user !== undefined) url.username = encodeURIComponent(user);
  if (password !== undefined) url.password = encodeURIComponent(password);
  return url.href;
}

export function pullMirrorService(deps: Pick<PortabilityDependencies, 'db' | 'settings' | 'outbound' | 'secrets'>) {
  const { db, secrets } = deps;

  /** Everybody else has mirrors only where the instance lets them. */
  async function requireAvailable({ caller }: Pick<PullMirrorRequest, 'caller'>): Promise<void> {
    const { mirror_available: available } = await deps.settings.read();
    if (!available && !caller.admin) throw forbidden('Mirrors are switched off on this instance');
  }

  /** The address that is to be stored; null to keep what is there. A name and password alone go with the address that is there. */
  function addressOf(values: PullMirrorValues, found: PullMirror | undefined): string | null {
    if (values.url !== undefined) return withProof(values.url, values);
    if (values.auth_user === undefined && values.auth_password === undefined) return null;
    if (!found) throw invalidRecord({ url: ["can't be blank"] });
    return withProof(secrets.open(found.address_sealed, purposes.address), values);
  }

  /** Checks everything and answers what saves it, in a transaction and for the project as it is then. */
  async function prepare(
    { caller, origin }: Omit<PullMirrorRequest, 'subject'>,
    before: PullMirror | undefined,
    values: PullMirrorValues,
    { field = 'url', userId, imported = false }: Setup = {},
  ) {
    if (!caller.user) throw forbidden('403 Forbidden');
    const entered = addressOf(values, before);
    const method = values.auth_method;
    const address = entered === null ? null : await sealedAddress(deps, purposes, entered, method, field);
    if (address && importUrl(address.url).length > longestAddress)
      throw invalidRecord({ [field]: [`is too long (maximum is ${longestAddress} characters)`] });
    const rule = branchesOf(
      { protectedOnly: values.only_mirror_protected_branches, pattern: values.mirror_branch_regex },
      'only_mirror_protected_branches',
    );
    const by = { user_id: userId ?? caller.user.id, by_admin: caller.admin };
    return async (tx: Db, { project, namespace }: ProjectSubject): Promise<PullMirror> => {
      const found = await queries.lockMirror(tx, project.id);
      const chosen = address?.auth_method ?? found?.auth_method;
      if (!chosen) throw invalidRecord({ [field]: ["can't be blank"] });
      if (method !== undefined && method !== chosen)
        throw invalidRecord({ auth_method: [`must be ${chosen} for this URL`] });
      // The same address over SSH keeps its key pair: it is known at the server.
      const same = address !== null && found?.auth_method === 'ssh_public_key' && found.url === address.url;
      const moved = address !== null && !same;
      const changed = {
        ...(moved ? { ...address, host_keys: [], last_error: null, failures: 0, run_job: null } : {}),
        ...hostKeysOf(values.host_keys, chosen),
        ...rule,
        ...by,
        ...(values.enabled === undefined ? {} : { enabled: values.enabled }),
        ...(values.mirror_trigger_builds === undefined ? {} : { trigger_builds: values.mirror_trigger_builds }),
        ...(values.mirror_overwrites_diverged_branches === undefined
          ? {}
          : { overwrites_diverged_branches: values.mirror_overwrites_diverged_branches }),
      };
      const saved =
        found || !address
          ? await queries.updateMirror(tx, found?.id ?? 0, changed)
          : await queries.insertMirror(tx, {
              ...{ enabled: false, trigger_builds: false, overwrites_diverged_branches: false },
              ...{ only_protected_branches: false, mirror_branch_regex: null },
              ...changed,
              ...address,
              project_id: project.id,
            });
      await queries.setMirror(tx, project.id, saved.enabled, moved ? importUrl(saved.url) : null);
      await recordAudit(tx, {
        ...origin,
        entity: { type: 'Project', id: project.id, path: `${namespace.full_path}/${project.path}` },
        event: found ? 'pull_mirror_updated' : 'pull_mirror_created',
        details: { url: saved.url, enabled: saved.enabled },
        target: { type: 'PullMirror', id: saved.id, details: saved.url },
      });
      const waits = saved.update_status === 'scheduled' ? ({ update_status: 'none' } as const) : {};
      if (!saved.enabled) return await queries.updateMirror(tx, saved.id, { next_update_at: null, ...waits });
      if (imported) return await queries.updateMirror(tx, saved.id, { next_update_at: new Date(Date.now() + apart) });
      // One that runs for the address before is not waited for: what becomes of it is not written down.
      if (!moved && (found?.enabled || saved.update_status === 'started')) return saved;
      await schedulePull(tx, saved.id);
      await queries.updateMirror(tx, saved.id, { update_status: 'none', failures: 0 });
      await queries.markScheduled(tx, [saved.id]);
      return { ...saved, update_status: 'scheduled' as const };
    };
  }

  return {
    requireAvailable,
    prepare,

    async save({ subject, caller, origin }: PullMirrorRequest, values: PullMirrorValues): Promise<PullMirror> {
      await requireAvailable({ caller });
      const save = await prepare({ caller, origin }, await queries.findMirror(db, subject.project.id), values);
      return await transaction(db, (tx) => save(tx, subject));
    },

    /** Updates now, or as soon as five minutes have passed since the last time. */
    async sync(request: Pick<PullMirrorRequest, 'subject' | 'caller'>): Promise<void> {
      await requireAvailable(request);
      await transaction(db, async (tx) => {
        const found = await queries.lockMirror(tx, request.subject.project.id);
        if (!found?.enabled) throw notMirrored();
        const { archived, import_status: imported } = request.subject.project;
        if (archived) throw badRequest('The project is archived');
        // What failed may be tried again at once; an import is waited for.
        const last =
          imported === 'scheduled' || imported === 'started'
            ? Date.now()
            : found.update_status === 'failed'
              ? 0
              : (found.last_update_started_at?.getTime() ?? 0);
        await queries.updateMirror(tx, found.id, { failures: 0 });
        await schedulePull(tx, found.id, new Date(Math.max(Date.now(), last + apart)));
        await queries.markScheduled(tx, [found.id]);
      });
    },
  };
}
export type PullMirrors = ReturnType<typeof pullMirrorService>;
