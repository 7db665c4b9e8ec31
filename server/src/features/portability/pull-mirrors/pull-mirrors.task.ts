/** Updating pull mirrors: every minute those whose time has come, as many at once as the instance allows. */
import type { Sha } from '@millrace/git';
import Type from 'typebox';
import type { Acting } from '../../../kernel/authz/acting.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Project, PullMirror } from '../../../kernel/db/rows.ts';
import { addJob, addJobs, type CronItem, defineTask } from '../../../kernel/queue/index.ts';
import type { PortabilityDependencies } from '../index.ts';
import type { MirrorPurposes } from '../mirrors/address.ts';
import { mirroredBranches } from '../mirrors/branches.ts';
import { NotMirrored, withoutProof } from '../mirrors/remote-http.ts';
import { rememberHostKey } from '../mirrors/runs.queries.ts';
import type { LargeFile } from '../project-archives/lfs-source.ts';
import type { UrlImports } from '../project-archives/url-imports.ts';
import { differing, planOf } from './plan.ts';
import { beginPull, dueMirrors, endPull, markScheduled, underWay } from './pull-mirrors.queries.ts';
import { asNotMirrored, type PullSession, pullSession } from './remote.ts';
import { apart, delayAfter } from './schedule.ts';

export const purposes: MirrorPurposes = { address: 'pull mirror', key: 'key of a pull mirror' };
const pullTask = { name: 'portability.pull_mirror', maxAttempts: 3 };
/** Of one update, in hours. */
const longest = 1;
const errorLength = 1000;
/** Ids that tell the other side what is here. */
const mostHave = 1000;
/** Refs that are named in an error. */
const named = 10;
const mebibyte = 1024 ** 2;

const jobOf = (id: number) => ({ payload: { mirror_id: id }, jobKey: `pull-mirror:${id}` });

/** An update of the mirror, now or later; one that waits already is moved. */
export const schedulePull = (db: Db, id: number, runAt = new Date()): Promise<void> =>
  addJob(db, pullTask, jobOf(id).payload, { jobKey: jobOf(id).jobKey, runAt });

const listed = (refs: readonly string[]) =>
  `${refs.slice(0, named).join(', ')}${refs.length > named ? ` and ${refs.length - named} more` : ''}`;

type Dependencies = Pick<PortabilityDependencies, 'db' | 'settings' | 'outbound' | 'secrets' | 'repository' | 'log'> &
  Pick<PortabilityDependencies, 'actingAs'>;

export function pullMirrorTasks(deps: Dependencies, imports: Pick<UrlImports, 'fetchLarge'>) {
  const { db, outbound, secrets } = deps;

  const session = async (mirror: PullMirror, address: string, signal: AbortSignal): Promise<PullSession> => {
    const sealed = mirror.ssh_private_key_sealed;
    const proof = sealed && { privateKey: secrets.open(sealed, purposes.key), hostKeys: mirror.host_keys };
    const opened = await pullSession(outbound, address, proof, signal);
    if (opened.hostKey !== null && mirror.host_keys.length === 0)
      await rememberHostKey(db, 'pull_mirrors', mirror.id, opened.hostKey);
    return opened;
  };

  /** Brings the project to what the other repository has. Throws NotMirrored with the reason. */
  async function pull(mirror: PullMirror, acting: Acting, there: PullSession, signal: AbortSignal): Promise<void> {
    const { project } = acting.subject;
    const ours = await deps.repository.outgoing(project, signal);
    const changes = differing(ours, there.offer, await mirroredBranches(db, mirror));
    if (changes.length === 0) return;
    const ids = changes.map(({ after }) => after);
    const here = await ours.known(ids);
    const missing = ids.filter((id) => !here.has(id));
    if (missing.length === 0) return await move(mirror, acting, { changes, pack: null, there }, signal);
    const offered = await ours.known(there.offer.refs.map(({ id }) => id));
    const tips = ours.refs.map(({ id }) => id).filter((id) => !offered.has(id));
    const have = [...offered, ...tips].slice(0, mostHave) as Sha[];
    await there.fetch([...new Set(missing)], have, (pack) => move(mirror, acting, { changes, pack, there }, signal));
  }

  /** Moves the refs to what the pack brings, with its objects of Git LFS. */
  async function move(
    mirror: PullMirror,
    acting: Acting,
    source: {
      readonly changes: ReturnType<typeof differing>;
      readonly pack: AsyncIterable<Buffer> | null;
      readonly there: PullSession;
    },
    signal: AbortSignal,
  ): Promise<void> {
    const { max_import_remote_file_size: megabytes } = await deps.settings.read();
    const { project } = acting.subject;
    const diverged: string[] = [];
    let lost: readonly { readonly reason: string }[] = [];
    const refused = await deps.repository.mirrored(acting, source, {
      maxBytes: megabytes === 0 ? Number.MAX_SAFE_INTEGER : megabytes * mebibyte,
      signal,
      pushOptions: mirror.trigger_builds ? [] : ['ci.no_pipeline'],
      choose: async (changes, isAncestor) => {
        const plan = await planOf(changes, mirror.overwrites_diverged_branches, isAncestor);
        diverged.push(...plan.diverged);
        return plan.changes;
      },
      large: async (pointers) => {
        if (pointers.size === 0) return;
        const wanted = [...pointers.values()];
        lost = await fetchLarge(project, source.there, wanted, signal);
      },
    });
    const reasons = [
      ...(refused.size > 0
        ? [`Not updated: ${listed([...refused].map(([ref, reason]) => `${ref} (${reason})`))}`]
        : []),
      ...(diverged.length > 0 ? [`These have diverged and were kept: ${listed(diverged)}`] : []),
      ...(lost.length > 0 ? [`Git LFS objects are missing: ${listed(lost.map(({ reason }) => reason))}`] : []),
    ];
    if (reasons.length > 0) throw new NotMirrored(reasons.join('; '));
  }

  /** Why objects of Git LFS did not come. */
  async function fetchLarge(project: Project, there: PullSession, wanted: readonly LargeFile[], signal: AbortSignal) {
    if (!project.lfs_enabled) return [];
    try {
      return (await imports.fetchLarge(project, await there.large(), { wanted, unread: 0 }, signal)).failures;
    } catch (error) {
      if (error instanceof NotMirrored) return [{ reason: error.message }];
      throw error;
    }
  }

  /** Who the changes are made by, and the project as it is now. */
  async function actingFor(mirror: PullMirror): Promise<Acting> {
    const { mirror_available: available } = await deps.settings.read();
    if (!available && !mirror.by_admin)
      throw new NotMirrored('Mirrors are switched off on this instance (mirror_available)');
    const acting = mirror.user_id === null ? null : await deps.actingAs(mirror.user_id, mirror.project_id);
    if (!acting) throw new NotMirrored('The user who set up the mirror is gone or blocked: save the mirror again');
    return acting;
  }

  const task = defineTask(
    pullTask.name,
    Type.Object({ mirror_id: Type.Integer() }),
    async ({ mirror_id: id }, { signal, jobId }) => {
      const mirror = await beginPull(db, id, jobId, longest * 2);
      if (mirror === 'busy') return await schedulePull(db, id, new Date(Date.now() + apart));
      if (mirror === null) return;
      const address = secrets.open(mirror.address_sealed, purposes.address);
      const error = await update(mirror, address, signal);
      const { mirror_max_delay: maxDelay } = await deps.settings.read();
      const nextIn = delayAfter(error === null ? 0 : mirror.failures + 1, maxDelay);
      await endPull(db, id, jobId, { error: error?.slice(0, errorLength) ?? null, nextIn });
      await scheduleDue(true);
    },
    { maxAttempts: pullTask.maxAttempts, timeout: longest * 3_600_000 },
  );

  /** Why the update failed; null where it did not. */
  async function update(mirror: PullMirror, address: string, signal: AbortSignal): Promise<string | null> {
    let there: PullSession | undefined;
    try {
      const acting = await actingFor(mirror);
      there = await session(mirror, address, signal);
      await pull(mirror, acting, there, signal);
      return null;
    } catch (thrown) {
      const error = asNotMirrored(thrown);
      if (error instanceof NotMirrored) return withoutProof(error.message, address);
      signal.throwIfAborted();
      deps.log.warn({ err: thrown, project: mirror.project_id }, 'a pull mirror could not be updated');
      return 'The update could not be made';
    } finally {
      there?.close();
    }
  }

  /** Puts mirrors whose time has come into the queue; `freed` only where enough others are through. */
  async function scheduleDue(freed = false): Promise<void> {
    const { mirror_max_capacity: capacity, mirror_capacity_threshold: threshold } = await deps.settings.read();
    await transaction(db, async (tx) => {
      const free = capacity - (await underWay(tx, longest * 2));
      if (free <= 0 || (freed && free < threshold)) return;
      const due = await dueMirrors(tx, free, longest * 2);
      if (due.length === 0) return;
      await markScheduled(tx, due);
      await addJobs(tx, pullTask, due.map(jobOf));
    });
  }

  const schedule = defineTask('portability.schedule_pull_mirrors', Type.Object({}), () => scheduleDue(), {
    maxAttempts: 1,
  });
  const cron: CronItem[] = [{ schedule: '* * * * *', task: schedule.name }];
  return { tasks: [task, schedule], cron };
}
