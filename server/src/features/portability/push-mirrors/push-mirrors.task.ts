/** Pushing to mirrors: after each change of a repository, in the background, one push of a mirror at a time. */
import Type from 'typebox';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Project, PushMirror } from '../../../kernel/db/rows.ts';
import { type FactConsumer, onMany, repositoryUpdated } from '../../../kernel/events/index.ts';
import { addJob, defineTask, Unreached } from '../../../kernel/queue/index.ts';
import { caretakersOf, findProjectSubject } from '../../namespaces/index.ts';
import type { PortabilityDependencies } from '../index.ts';
import type { MirrorPurposes } from '../mirrors/address.ts';
import { mirroredBranches } from '../mirrors/branches.ts';
import { mirrorOffer, mirrorRemote, NotMirrored, pushTo, withoutProof } from '../mirrors/remote-http.ts';
import { largeOverSsh, openSshSession, type SshSession, sshRemote } from '../mirrors/remote-ssh.ts';
import { rememberHostKey } from '../mirrors/runs.queries.ts';
import type { Remote } from '../project-archives/lfs-source.ts';
import { sendLarge } from './lfs-target.ts';
import { planOf } from './plan.ts';
import { beginPush, enabledMirrors, endPush, pathOf } from './push-mirrors.queries.ts';

export const purposes: MirrorPurposes = { address: 'push mirror', key: 'key of a push mirror' };
const pushTask = { name: 'portability.push_mirror', maxAttempts: 5 };
/** Of one push, in hours. */
const longest = 1;
/** Between the beginnings of two pushes, in milliseconds: what changes meanwhile goes together. */
const apart = 30_000;
const errorLength = 1000;
/** Objects of Git LFS in one request. */
const largeAtOnce = 100;
/** Why objects did not arrive, in one error; with more the rest is left for the next time. */
const mostReasons = 10;

/** A mirror that is connected to: what it has, and a push to it. */
type MirrorSession = Pick<SshSession, 'offer' | 'push' | 'close'> & {
  /** Where its objects of Git LFS go. */
  large(): Promise<Remote>;
};

/** A push of the mirror, now or later; one that waits already is moved, or keeps its time. */
export const schedulePush = (
  db: Db,
  id: number,
  runAt = new Date(),
  jobKeyMode: 'replace' | 'preserve_run_at' = 'replace',
): Promise<void> => addJob(db, pushTask, { mirror_id: id }, { jobKey: `push-mirror:${id}`, runAt, jobKeyMode });

type Dependencies = Pick<
  PortabilityDependencies,
  'db' | 'settings' | 'outbound' | 'secrets' | 'repository' | 'mail' | 'externalUrl'
>;

export function pushMirrorTasks(deps: Dependencies) {
  const { db, outbound, secrets } = deps;

  /** Connects to the mirror, by whatever protocol its address has. Throws NotMirrored with the reason. */
  async function session(address: string, mirror: PushMirror, signal: AbortSignal): Promise<MirrorSession> {
    const ssh = sshRemote(address);
    if (ssh && mirror.ssh_private_key_sealed) {
      const privateKey = secrets.open(mirror.ssh_private_key_sealed, purposes.key);
      const opened = await openSshSession(outbound, ssh, { privateKey, hostKeys: mirror.host_keys }, signal);
      if (mirror.host_keys.length === 0) await rememberHostKey(db, 'push_mirrors', mirror.id, opened.hostKey);
      // Another connection, to the server that this one is to.
      const proof = { privateKey, hostKeys: [opened.hostKey] };
      return { ...opened, large: () => largeOverSsh(outbound, ssh, proof, 'upload', signal) };
    }
    const remote = mirrorRemote(address);
    if (remote === null) throw new NotMirrored('The address is not one of http or https');
    const offer = await mirrorOffer(outbound, remote, signal);
    const push: MirrorSession['push'] = (commands, pack) => pushTo(outbound, remote, { offer, commands, pack }, signal);
    return { offer, push, large: async () => remote, close: () => undefined };
  }

  /** Brings the mirror to what the project has. Throws NotMirrored with the reason. */
  async function push(address: string, mirror: PushMirror, project: Project, signal: AbortSignal): Promise<void> {
    const there = await session(address, mirror, signal);
    try {
      await pushIn(there, mirror, project, signal);
    } finally {
      there.close();
    }
  }

  async function pushIn(there: MirrorSession, mirror: PushMirror, project: Project, signal: AbortSignal) {
    const { offer } = there;
    const ours = await deps.repository.outgoing(project, signal);
    const theirs = new Map(offer.refs.map(({ ref, id }) => [ref, id] as const));
    const known = await ours.known([...theirs.values()]);
    const rules = { mirrors: await mirroredBranches(db, mirror), keepDivergent: mirror.keep_divergent_refs };
    const { commands, diverged } = await planOf(ours, theirs, known, rules, project.default_branch);
    // Before the branches that point at them: servers refuse those otherwise.
    const unsent = await sentLarge(there, project, signal);
    const refused: string[] = [];
    if (commands.length > 0) {
      const deletes = offer.capabilities.has('delete-refs');
      const isThere = (each: (typeof commands)[number]) => !/^0+$/.test(each.new);
      const sent = commands.filter((each) => deletes || isThere(each));
      const wanted = sent.filter(isThere).map((each) => each.new);
      const pack = wanted.length > 0 ? await ours.pack(wanted, [...known]) : null;
      if (sent.length > 0) for (const [ref, reason] of await there.push(sent, pack)) refused.push(`${ref}: ${reason}`);
    }
    if (refused.length > 0) throw new NotMirrored(`The server refused ${refused.join('; ')}`);
    if (unsent.length > 0) throw new NotMirrored(`Objects of Git LFS were not sent: ${unsent.join('; ')}`);
    if (diverged.length > 0)
      throw new NotMirrored(`These have diverged at the mirror and were kept: ${diverged.join(', ')}`);
  }

  /** Sends the objects of Git LFS that the mirror lacks; answers why some did not arrive. */
  async function sentLarge({ large }: MirrorSession, project: Project, signal: AbortSignal) {
    const reasons: string[] = [];
    const subject = await findProjectSubject(db, String(project.id), null);
    if (!subject?.project.lfs_enabled) return reasons;
    let remote: Remote | null = null;
    for await (const some of deps.repository.allLarge(project.id, largeAtOnce)) {
      try {
        remote ??= await large();
      } catch (error) {
        if (!(error instanceof NotMirrored) || error.again) throw error;
        return [error.message];
      }
      reasons.push(...(await sendLarge(outbound, remote, some, signal)));
      // The rest would not arrive either.
      if (reasons.length > mostReasons) break;
    }
    return reasons.slice(0, mostReasons);
  }

  /** Ends the push of a job. Maintainers and Owners are told of a failure, once until it works again. */
  async function end(mirror: PushMirror, project: Project, job: string, how: Parameters<typeof endPush>[3]) {
    await transaction(db, async (tx) => {
      if (!(await endPush(tx, mirror.id, job, how)) || !deps.mail.configured) return;
      const path = await pathOf(tx, project);
      for (const { name, email } of await caretakersOf(tx, project))
        await deps.mail.send(tx, {
          to: email,
          subject: `${project.name} | Remote mirror update failed`,
          paragraphs: [
            `Hello ${name},`,
            `The push mirror ${mirror.url} of the project ${path} could not be updated:`,
            how.error ?? '',
            'You get no further messages about this mirror until an update succeeds.',
          ],
          action: { label: 'Mirror settings', url: `${deps.externalUrl}/${path}/-/settings/repository` },
        });
    });
  }

  const task = defineTask(
    pushTask.name,
    Type.Object({ mirror_id: Type.Integer() }),
    async ({ mirror_id: id }, { signal, jobId, attempt, maxAttempts }) => {
      const begun = await beginPush(db, id, jobId, longest * 2);
      if (begun === 'busy') return await schedulePush(db, id, new Date(Date.now() + apart));
      if (begun === null) return;
      const { mirror, project } = begun;
      const { mirror_available: available } = await deps.settings.read();
      if (!available && !mirror.by_admin)
        return await end(mirror, project, jobId, {
          status: 'failed',
          error: 'Push mirrors are switched off on this instance (mirror_available)',
        });
      const address = secrets.open(mirror.address_sealed, purposes.address);
      try {
        await push(address, mirror, project, signal);
        await end(mirror, project, jobId, { status: 'finished', error: null });
      } catch (error) {
        const again = !(error instanceof NotMirrored) || error.again;
        const told = withoutProof(error instanceof NotMirrored ? error.message : 'The push could not be made', address);
        const over = !again || attempt >= maxAttempts;
        await end(mirror, project, jobId, { status: over ? 'failed' : 'to_retry', error: told.slice(0, errorLength) });
        if (!(error instanceof NotMirrored)) throw error;
        if (!over) throw new Unreached(`push mirror ${id}: ${told}`);
      }
    },
    { maxAttempts: pushTask.maxAttempts, timeout: longest * 3_600_000 },
  );

  const consumers: FactConsumer[] = [
    {
      name: 'portability.push_mirrors',
      handlers: [
        onMany(repositoryUpdated, async ([update]) => {
          const projectId = update?.project_id ?? null;
          const mirrors = projectId === null ? [] : await enabledMirrors(db, projectId);
          for (const { id, last_update_started_at: last } of mirrors) {
            const due = Math.max(Date.now(), (last?.getTime() ?? 0) + apart);
            await schedulePush(db, id, new Date(due), 'preserve_run_at');
          }
        }),
      ],
    },
  ];

  return { tasks: [task], consumers };
}
