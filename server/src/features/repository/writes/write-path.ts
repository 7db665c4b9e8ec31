/**
 * The one write path of repositories, for pushes, API commits and merges: objects in a quarantine, policy, an intent
 * committed, refs moved with expected old values, facts committed. The writer holds the repository's lock; whoever takes
 * it next settles what a dead writer left behind.
 */
import * as git from '@millrace/git';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction, withRepositoryLock } from '../../../kernel/db/index.ts';
import { forbidden, plainError, unavailable } from '../../../kernel/http/errors.ts';
import type { RepositoryRow, WriteRequest } from '../face.ts';
import { commitGraphDue } from '../maintenance/maintenance.ts';
import { asHttpError, knownSha, type OpenRepository } from '../reading/git-reader.ts';
import type { RefChange } from './protection.ts';
import { type PushCheck, type Refusal, refusals } from './push-check.ts';
import { workbench } from './workbench.ts';
import * as queries from './writes.queries.ts';

export interface WritePathDependencies {
  readonly db: Db;
  /** Connections that do nothing but hold locks: writers wait here, not for a connection that a lock's holder needs. */
  readonly lockDb: Db;
  readonly open: OpenRepository;
  readonly recordFact: (
    tx: Db,
    fact: { kind: 'push'; projectId: number; actorId: number | null; payload: Record<string, unknown> },
  ) => Promise<void>;
  readonly announce: (tx: Db, topic: string) => Promise<void>;
  /** Every push, API commit and merge passes them, in this order. */
  readonly checks: readonly PushCheck[];
  readonly project: (db: Db, id: number) => Promise<RepositoryRow | null>;
  readonly log: { info(details: object, message: string): void; warn(details: object, message: string): void };
}

const zero = /^0+$/;
const statementTimeout = '57014';

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

export interface ApplyOptions {
  readonly subject: ProjectSubject;
  readonly caller: Caller;
  readonly kind: 'push' | 'api' | 'merge';
  readonly pushOptions: readonly string[];
  /** All or nothing. */
  readonly atomic: boolean;
  readonly authorised: boolean;
  within?(tx: Db): Promise<void>;
}

export interface WritePath {
  /** Builds and applies a write of the product itself; throws when any part of it is refused. */
  write(request: WriteRequest): Promise<void>;
  /** Holds the repository's lock, with what dead writers left settled. */
  exclusively<T>(project: RepositoryRow, work: () => Promise<T>): Promise<T>;
  /** Policy, intent, refs, facts; only inside `exclusively`. The quarantine is used up. */
  apply(prepared: Prepared, options: ApplyOptions): Promise<RefOutcome[]>;
  /** Settles what dead writers left in any repository. */
  sweep(): Promise<void>;
}

export function writePath(deps: WritePathDependencies): WritePath {
  const { db, open } = deps;

  /** The facts of moved refs, with the rows that follow from them. */
  async function settled(
    tx: Db,
    project: RepositoryRow,
    actorId: number | null,
    moved: readonly RefChange[],
    details: queries.IntentDetails,
  ): Promise<{ generation: number; headMoved: boolean }> {
    const generation = await queries.bumpGeneration(tx, project.id);
    const headMoved = await firstBranch(tx, project, moved);
    for (const change of moved) {
      await deps.recordFact(tx, {
        kind: 'push',
        projectId: project.id,
        actorId,
        payload: {
          ref: change.ref,
          before: change.before,
          after: change.after,
          push_options: details.pushOptions,
          via: details.via,
        },
      });
    }
    await commitGraphDue(tx, project.id, generation, details.via);
    await deps.announce(tx, `project:${project.id}:refs`);
    return { generation, headMoved };
  }

  /**
   * The first branch of an empty repository becomes the default one, and is protected as the namespace says. True when
   * HEAD was pointed elsewhere.
   */
  async function firstBranch(tx: Db, project: RepositoryRow, moved: readonly RefChange[]): Promise<boolean> {
    const created = moved.flatMap(({ ref, before, after }) =>
      zero.test(before) && !zero.test(after) && ref.startsWith('refs/heads/') ? [ref.slice(11)] : [],
    );
    if (created.length === 0) return false;
    const repo = open(project);
    const current = project.default_branch;
    const currentExists =
      current !== null &&
      !created.includes(current) &&
      (await git.readRef(repo, `refs/heads/${current}` as git.RefName)) !== null;
    if (currentExists) return false;
    const chosen = current !== null && created.includes(current) ? current : created[0];
    if (chosen === undefined) return false;
    if (chosen !== current) await queries.setDefaultBranch(tx, project.id, chosen);
    // The default branch of a project without commits may have been renamed in its row only.
    const headMoved = (await git.defaultBranch(repo)) !== chosen;
    if (headMoved) await git.setDefaultBranch(repo, chosen);
    const levels = await queries.defaultProtection(tx, project.id);
    if (levels) await queries.protectBranch(tx, project.id, chosen, levels);
    return headMoved;
  }

  async function apply(prepared: Prepared, options: ApplyOptions): Promise<RefOutcome[]> {
    const project = options.subject.project;
    const { quarantine, changes } = prepared;
    const actorId = options.caller.user?.id ?? null;
    const details: queries.IntentDetails = { via: options.kind, pushOptions: options.pushOptions };
    const { subject, caller, kind, authorised } = options;
    const push = { subject, caller, kind, authorised, changes, quarantine };
    const refused = await refusals(push, deps.checks).catch(async (error: unknown) => {
      await git.discardQuarantine(quarantine);
      throw error;
    });
    const allowed = options.atomic && refused.size > 0 ? [] : changes.filter((change) => !refused.has(change.ref));
    const outcomes = new Map<string, string | null>(
      changes.map((change) => [
        change.ref,
        refused.get(change.ref)?.reason ??
          (allowed.includes(change) ? null : 'Another ref of the atomic push was refused.'),
      ]),
    );
    const outcomesOf = (): RefOutcome[] =>
      changes.map(({ ref }) => {
        const refusal = refused.get(ref);
        return { ref, reason: outcomes.get(ref) ?? null, ...(refusal ? { refusal } : {}) };
      });
    if (allowed.length === 0) {
      await git.discardQuarantine(quarantine);
      return outcomesOf();
    }
    const intent = await queries.insertIntent(db, {
      projectId: project.id,
      kind: options.kind,
      actorId,
      quarantine: null,
      changes: allowed,
      details,
    });
    let moved: readonly RefChange[] = [];
    try {
      await git.migrateQuarantine(quarantine);
      const updates = allowed.map((change) => ({
        ref: change.ref as git.RefName,
        old: knownSha(change.before),
        new: knownSha(change.after),
      }));
      if (options.atomic) {
        await git.updateRefs(open(project), updates);
        moved = allowed;
      } else {
        const results = await git.updateRefsSeparately(open(project), updates);
        for (const result of results) if (result.error) outcomes.set(result.ref, reasonOf(result.error));
        moved = allowed.filter((change) => outcomes.get(change.ref) === null);
      }
    } catch (error) {
      await git.discardQuarantine(quarantine);
      // What did move counts, whatever failed after it.
      await settleOne(project, { id: intent, actorId, changes: allowed, details });
      throw error;
    }
    const next = await transaction(db, async (tx) => {
      await queries.settleIntent(tx, intent, moved.length > 0 ? 'applied' : 'abandoned');
      if (moved.length === 0) return null;
      const after = await settled(tx, project, actorId, moved, details);
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

  /** Decides by the refs themselves what became of an intent; returns how many of its refs moved. */
  async function settleOne(
    project: RepositoryRow,
    intent: Pick<queries.OpenIntent, 'id' | 'actorId' | 'changes' | 'details'>,
  ): Promise<number> {
    const repo = open(project);
    const moved: RefChange[] = [];
    for (const change of intent.changes) {
      const now = (await git.readRef(repo, change.ref as git.RefName)) ?? git.ZERO_SHA;
      if (now === change.after) moved.push(change);
    }
    await transaction(db, async (tx) => {
      await queries.settleIntent(tx, intent.id, moved.length > 0 ? 'applied' : 'abandoned');
      if (moved.length > 0) await settled(tx, project, intent.actorId, moved, intent.details);
    });
    return moved.length;
  }

  /** Settles intents whose writer is gone, and removes what it left lying about. */
  async function settleOpen(project: RepositoryRow): Promise<void> {
    const open_ = await queries.openIntents(db, project.id);
    if (open_.length === 0) return;
    const repo = open(project);
    await git.removeStaleLocks(repo);
    for (const intent of open_) {
      const moved = await settleOne(project, intent);
      deps.log.warn(
        { project: project.id, intent: intent.id, moved, of: intent.changes.length },
        'settled a write whose process ended',
      );
    }
    await git.removeStaleQuarantines(repo);
  }

  async function exclusively<T>(project: RepositoryRow, work: () => Promise<T>): Promise<T> {
    try {
      return await withRepositoryLock(deps.lockDb, project.id, async () => {
        await settleOpen(project);
        return work();
      });
    } catch (error) {
      // The statement's time limit ended the wait for the lock.
      if ((error as { code?: unknown }).code === statementTimeout)
        throw unavailable('the repository is being written by others');
      throw asHttpError(error);
    }
  }

  return {
    exclusively,
    apply,
    async write(request) {
      const project = request.subject.project;
      await exclusively(project, async () => {
        const quarantine = await git.createQuarantine(open(project));
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
            ...(request.within ? { within: request.within } : {}),
          },
        );
        const refused = outcomes.find((outcome) => outcome.reason !== null);
        if (refused?.reason)
          throw refused.refusal?.kind === 'content' ? plainError(400, refused.reason) : forbidden(refused.reason);
      });
    },
    async sweep() {
      for (const id of await queries.projectsWithOldIntents(db, 60)) {
        const project = await deps.project(db, id);
        if (project) await exclusively(project, async () => undefined);
      }
    },
  };
}

const reasonOf = (error: git.GitError): string => {
  if (error.code === 'conflict' || error.code === 'exists') return 'the ref was changed at the same time: fetch first';
  if (error.code === 'directory_conflict') return 'a ref with a conflicting name exists';
  return error.code === 'locked' ? 'the ref is locked' : 'the ref could not be updated';
};
