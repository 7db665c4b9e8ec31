/**
 * The one write path of repositories, for pushes, API commits and merges: objects in a quarantine, policy, refs locked
 * and compared with their expected old values, an intent committed, refs moved, facts committed. The writer holds the
 * repository's lock; whoever takes it next settles what a dead writer left behind.
 *
 * The intent is written over the connection that holds the lock: a writer that lost it writes none and moves nothing.
 * Whoever settles waits until no git moves refs any more, so an intent that he does not see was never acted upon.
 * A ref that moves without git follows its intent at once, in the same turn of the process, if its lock file is still there.
 */
import * as git from '@millrace/git';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction, waitedTooLong, withLock, withRepositoryLock } from '../../../kernel/db/index.ts';
import { forbidden, plainError, unavailable } from '../../../kernel/http/errors.ts';
import type { RepositoryRow, WriteRequest } from '../face.ts';
import { asHttpError, knownSha, type OpenRepository, unmovedReason } from '../reading/git-reader.ts';
import type { RefChange } from './protection.ts';
import { type Push, type PushCheck, type Refusal, refusals } from './push-check.ts';
import { workbench } from './workbench.ts';
import * as queries from './writes.queries.ts';

/**
 * What becomes of moved refs in the database, in the transaction that ends a write: its intents are settled, and what
 * follows is told. Null where somebody else has settled them when the lock was lost in the meantime: he told it as well.
 */
export type Settle = (
  tx: Db,
  repository: RepositoryRow,
  actorId: number | null,
  moved: readonly RefChange[],
  details: queries.IntentDetails,
  intents: readonly number[],
) => Promise<{ readonly generation: number; readonly headMoved: boolean } | null>;

export interface WritePathDependencies<S> {
  readonly db: Db;
  /** Whose repositories are written. */
  readonly owner: queries.Owner;
  readonly repositoryOf: (subject: S) => RepositoryRow;
  /** Connections that do nothing but hold locks: writers wait here, not for a connection that a lock's holder needs. */
  readonly lockDb: Db;
  readonly open: OpenRepository;
  readonly settled: Settle;
  /** Keeps where HEAD points, in the transaction that ends its move. */
  readonly headMoved: (tx: Db, repository: RepositoryRow, branch: string) => Promise<void>;
  /** Every push, API commit and merge passes them, in this order. */
  readonly checks: readonly PushCheck<S>[];
  readonly repository: (db: Db, id: number) => Promise<RepositoryRow | null>;
  /** What commits get that are made here; null for none. */
  readonly stamp: git.CommitStamp | null;
  readonly log: { info(details: object, message: string): void; warn(details: object, message: string): void };
}

/** Answers of git about one ref, which others of the same push need not share. */
const refused: ReadonlySet<git.GitErrorCode> = new Set([
  'conflict',
  'exists',
  'directory_conflict',
  'not_commit',
  'locked',
  'not_found',
]);

const branches = 'refs/heads/';

const updateOf = (change: RefChange): git.RefUpdate => ({
  ref: change.ref as git.RefName,
  old: knownSha(change.before),
  new: knownSha(change.after),
});

export interface RefOutcome {
  readonly ref: string;
  /** Why it did not move; null when it did. */
  readonly reason: string | null;
  /** Set where a check refused it. */
  readonly refusal?: Refusal;
}

/** What a prepared write brings: its quarantine and the refs to move. */
export interface Prepared {
  readonly quarantine: git.Quarantine;
  readonly changes: readonly RefChange[];
}

export interface ApplyOptions<S> {
  readonly subject: S;
  readonly caller: Caller;
  readonly kind: 'push' | 'api' | 'merge';
  readonly pushOptions: readonly string[];
  /** All or nothing. */
  readonly atomic: boolean;
  readonly authorised: boolean;
  readonly author: number | null;
  readonly ownMessage?: boolean | undefined;
  /** Set for a mirror of another repository: rules about what people write here do not apply to what it has. */
  readonly mirrored?: true;
  within?(tx: Db): Promise<void>;
}

export interface WritePath<S = ProjectSubject> {
  /** Builds and applies a write of the product itself; throws when any part of it is refused. */
  write(request: WriteRequest<S>): Promise<void>;
  /** Holds the repository's lock, with what dead writers left settled. */
  exclusively<T>(project: RepositoryRow, work: () => Promise<T>): Promise<T>;
  /** Policy, intent, refs, facts; only inside `exclusively`. The quarantine is used up. */
  apply(prepared: Prepared, options: ApplyOptions<S>): Promise<RefOutcome[]>;
  /** Points HEAD to a branch: HEAD and the row move together, also when the writer dies between. */
  moveHead(project: RepositoryRow, branch: string): Promise<void>;
  /** Settles what dead writers left in any repository. */
  sweep(): Promise<void>;
}

export function writePath<S>(deps: WritePathDependencies<S>): WritePath<S> {
  const { db, open, owner, settled } = deps;
  // Connections that hold the lock of a repository here, by its id.
  const holders = new Map<number, Db>();

  async function apply(prepared: Prepared, options: ApplyOptions<S>): Promise<RefOutcome[]> {
    const project = deps.repositoryOf(options.subject);
    const { quarantine, changes } = prepared;
    const { credential } = options.caller;
    const details: queries.IntentDetails = {
      via: options.kind,
      pushOptions: options.pushOptions,
      ...(credential.kind === 'job' ? { jobId: credential.job.id } : {}),
      ...(options.atomic && changes.length > 1 ? { atomic: true } : {}),
    };
    const { subject, caller, kind, authorised, author, ownMessage, pushOptions } = options;
    const push = { subject, caller, kind, authorised, author, ownMessage, pushOptions, changes, quarantine };
    let mover: git.RefMover | undefined;
    const judged = async () => {
      await stillConnected(push);
      // Checks of a push may last, and no other ref moves meanwhile; those of one commit take as long as git's start.
      if (kind !== 'push' && !git.movesAlone(changes.map(updateOf))) mover = git.startRefMover(open(project));
      return options.mirrored ? new Map<string, Refusal>() : await refusals(push, deps.checks);
    };
    try {
      const rejected = await judged().catch(async (error: unknown) => {
        await git.discardQuarantine(quarantine);
        throw error;
      });
      return await movedUnless(rejected, prepared, options, details, mover);
    } finally {
      mover?.close();
    }
  }

  /** Moves what no check refused, and tells of it. */
  async function movedUnless(
    rejected: ReadonlyMap<string, Refusal>,
    { quarantine, changes }: Prepared,
    options: ApplyOptions<S>,
    details: queries.IntentDetails,
    mover: git.RefMover | undefined,
  ): Promise<RefOutcome[]> {
    const project = deps.repositoryOf(options.subject);
    const actorId = options.caller.user?.id ?? null;
    const allowed = options.atomic && rejected.size > 0 ? [] : changes.filter((change) => !rejected.has(change.ref));
    const outcomes = new Map<string, string | null>(
      changes.map((change) => [
        change.ref,
        rejected.get(change.ref)?.reason ??
          (allowed.includes(change) ? null : 'Another ref of the atomic push was refused.'),
      ]),
    );
    const outcomesOf = (): RefOutcome[] =>
      changes.map(({ ref }) => {
        const refusal = rejected.get(ref);
        return { ref, reason: outcomes.get(ref) ?? null, ...(refusal ? { refusal } : {}) };
      });
    if (allowed.length === 0) {
      await git.discardQuarantine(quarantine);
      return outcomesOf();
    }
    const { intents, moved } = await move(project, quarantine, allowed, outcomes, {
      kind: options.kind,
      actorId,
      atomic: options.atomic,
      details,
      mover,
    });
    const next = await transaction(db, async (tx) => {
      if (moved.length === 0) return null;
      const after = await settled(tx, project, actorId, moved, details, intents);
      await options.within?.(tx);
      return after;
    });
    if (next && !next.headMoved) {
      const { generation } = next;
      await git.advanceSnapshot(
        open(project),
        generation - 1,
        generation,
        moved.map((change) => ({ ref: change.ref as git.RefName, new: knownSha(change.after) })),
      );
    }
    return outcomesOf();
  }

  /** What was found connected before the lock was taken may have lost its ground since; then the checks speak. */
  async function stillConnected({ quarantine, changes }: Push<S>): Promise<void> {
    if (await git.prunedSince(quarantine))
      await git.checkConnectivity(
        quarantine,
        changes.map(({ after }) => knownSha(after)),
      );
  }

  /** Brings the objects in and moves the refs: together, or each for itself where they may differ and did. */
  async function move(
    project: RepositoryRow,
    quarantine: git.Quarantine,
    allowed: readonly RefChange[],
    outcomes: Map<string, string | null>,
    about: Pick<queries.OpenIntent, 'kind' | 'actorId' | 'details'> & {
      readonly atomic: boolean;
      readonly mover: git.RefMover | undefined;
    },
  ): Promise<{ intents: number[]; moved: RefChange[] }> {
    const held = holders.get(project.id);
    if (held === undefined) throw new Error('a repository is written without its lock');
    const done: { readonly id: number; readonly changes: readonly RefChange[] }[] = [];
    const together = async (changes: readonly RefChange[]) => {
      let intent: number | null = null;
      try {
        // Asked again where the lock of the reference was lost: only who still holds that of the repository goes on.
        const lastWord = async () => {
          intent = await intended(held, project, changes, about, intent);
        };
        await git.updateRefs(open(project), changes.map(updateOf), lastWord, about.mover);
      } catch (error) {
        // What did move counts, whatever failed after it.
        if (intent !== null) await settleOne(project, { ...about, id: intent, changes });
        throw error;
      }
      if (intent !== null) done.push({ id: intent, changes });
    };
    const alone = async (change: RefChange) => {
      try {
        await together([change]);
      } catch (error) {
        if (!git.isGitError(error) || !refused.has(error.code)) throw error;
        outcomes.set(change.ref, unmovedReason(error));
      }
    };
    try {
      await git.migrateQuarantine(quarantine);
      if (about.atomic)
        await together(allowed).catch((error: unknown) => {
          if (about.kind !== 'push' || !git.isGitError(error) || !refused.has(error.code)) throw error;
          for (const { ref } of allowed) outcomes.set(ref, unmovedReason(error));
        });
      else if (allowed.length === 1) await Promise.all(allowed.map(alone));
      else
        await together(allowed).catch(async (error: unknown) => {
          if (!git.isGitError(error) || !refused.has(error.code)) throw error;
          for (const change of allowed) await alone(change);
        });
    } catch (error) {
      await git.discardQuarantine(quarantine);
      for (const { id, changes } of done) await settleOne(project, { ...about, id, changes });
      throw error;
    }
    return { intents: done.map(({ id }) => id), moved: done.flatMap(({ changes }) => changes) };
  }

  /** The last word before refs move. */
  async function intended(
    held: Db,
    project: RepositoryRow,
    changes: readonly RefChange[],
    about: Pick<queries.OpenIntent, 'kind' | 'actorId' | 'details'>,
    said: number | null = null,
  ): Promise<number> {
    try {
      if (said !== null) {
        if (await queries.isOpenIntent(held, said)) return said;
        throw new Error('somebody else has settled the write');
      }
      return await queries.insertIntent(held, owner, {
        ownerId: project.id,
        kind: about.kind,
        actorId: about.actorId,
        changes,
        details: about.details,
      });
    } catch (error) {
      deps.log.warn({ err: error, [owner]: project.id }, 'the lock of a repository was lost before its refs moved');
      throw unavailable('the lock of the repository was lost, nothing was changed');
    }
  }

  /** HEAD is one line of one file: it has moved, or it has not. */
  async function settleHead(project: RepositoryRow, id: number, after: string): Promise<number> {
    const moved = (await git.headRef(open(project))) === after;
    await transaction(db, async (tx) => {
      const ours = await queries.settleIntents(tx, [id], moved ? 'applied' : 'abandoned');
      if (ours === 1 && moved) await deps.headMoved(tx, project, after.slice(branches.length));
    });
    return moved ? 1 : 0;
  }

  /** Decides by the refs themselves what became of an intent; returns how many of its refs moved. */
  async function settleOne(
    project: RepositoryRow,
    intent: Pick<queries.OpenIntent, 'id' | 'actorId' | 'changes' | 'details'>,
  ): Promise<number> {
    const repo = open(project);
    const [first] = intent.changes;
    if (first?.ref === 'HEAD') return await settleHead(project, intent.id, first.after);
    const hasMoved = async (change: RefChange) =>
      ((await git.readRef(repo, change.ref as git.RefName)) ?? git.ZERO_SHA) === change.after;
    const moved: RefChange[] = [];
    const left: RefChange[] = [];
    // When the intent was written every ref had its old value, and nobody writes between: so equal means moved.
    for (const change of intent.changes) ((await hasMoved(change)) ? moved : left).push(change);
    if (intent.details.atomic && moved.length > 0 && left.length > 0) {
      // All or nothing, and a part is visible already: the rest follows.
      await git.updateRefs(repo, left.map(updateOf)).then(
        () => moved.push(...left),
        (error: unknown) => deps.log.warn({ err: error, intent: intent.id }, 'an atomic write stays in part'),
      );
    }
    await transaction(db, async (tx) => {
      if (moved.length === 0) await queries.settleIntents(tx, [intent.id], 'abandoned');
      else await settled(tx, project, intent.actorId, moved, intent.details, [intent.id]);
    });
    return moved.length;
  }

  /** Settles intents whose writer is gone, and removes what it left lying about. */
  async function settleOpen(project: RepositoryRow, open_: readonly queries.OpenIntent[]): Promise<void> {
    if (open_.length === 0) return;
    const repo = open(project);
    // Waits for a git that outlived its writer.
    await git.guarded(repo, 'refs', () => git.removeStaleLocks(repo, { exclusive: true }));
    for (const intent of open_) {
      const moved = await settleOne(project, intent);
      deps.log.warn(
        { [owner]: project.id, intent: intent.id, moved, of: intent.changes.length },
        'settled a write whose process ended',
      );
    }
    await git.removeStaleQuarantines(repo);
  }

  async function exclusively<T>(project: RepositoryRow, work: () => Promise<T>): Promise<T> {
    try {
      const alone = async (held: Db, left: readonly queries.OpenIntent[]) => {
        await settleOpen(project, left);
        holders.set(project.id, held);
        try {
          return await work();
        } finally {
          // Whoever came after a lost lock stays the holder.
          if (holders.get(project.id) === held) holders.delete(project.id);
        }
      };
      if (owner === 'project_id') {
        const take = (held: Db, key: string) => queries.lockRepository(held, key, project.id);
        return await withRepositoryLock(deps.lockDb, project.id, take, alone);
      }
      return await withLock(deps.lockDb, [owner === 'wiki_id' ? 'wiki' : 'snippet', project.id], async (held) =>
        alone(held, await queries.openIntents(db, owner, project.id)),
      );
    } catch (error) {
      if (waitedTooLong(error)) throw unavailable('the repository is being written by others');
      throw asHttpError(error);
    }
  }

  return {
    exclusively,
    apply,
    async write(request) {
      const project = deps.repositoryOf(request.subject);
      await exclusively(project, async () => {
        const quarantine = await git.createQuarantine(open(project), deps.stamp);
        let changes: readonly RefChange[];
        try {
          changes = await request.build(workbench(quarantine));
        } catch (error) {
          await git.discardQuarantine(quarantine);
          throw error;
        }
        const outcomes = await apply(
          { quarantine, changes },
          {
            subject: request.subject,
            caller: request.caller,
            kind: request.kind,
            pushOptions: request.pushOptions ?? [],
            atomic: true,
            authorised: request.authorised ?? false,
            author: request.author ?? null,
            ownMessage: request.ownMessage,
            ...(request.within ? { within: request.within } : {}),
          },
        );
        const refused = outcomes.find((outcome) => outcome.reason !== null);
        if (refused?.reason)
          throw refused.refusal?.kind === 'content' || request.refusedAs === 400
            ? plainError(400, refused.reason)
            : forbidden(refused.reason);
      });
    },
    moveHead: (project, branch) =>
      exclusively(project, async () => {
        const held = holders.get(project.id) ?? db;
        const repo = open(project);
        const change = { ref: 'HEAD', before: (await git.headRef(repo)) ?? '', after: `${branches}${branch}` };
        const details = { via: 'api', pushOptions: [] } as const;
        const id = await intended(held, project, [change], { kind: 'head', actorId: null, details });
        try {
          await git.setDefaultBranch(repo, branch);
        } finally {
          await settleHead(project, id, change.after);
        }
      }),
    async sweep() {
      for (const id of await queries.withOldIntents(db, owner, 60)) {
        const project = await deps.repository(db, id);
        // One that is busy or whose storage is away must not keep the others waiting.
        if (project)
          await exclusively(project, async () => undefined).catch((error: unknown) =>
            deps.log.warn({ err: error, [owner]: id }, 'open writes could not be settled'),
          );
      }
    },
  };
}
