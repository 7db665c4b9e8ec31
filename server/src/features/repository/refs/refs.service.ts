/** Creating and deleting branches and tags through the write path. */
import * as git from '@millrace/git';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { notFound, plainError, unauthorized } from '../../../kernel/http/errors.ts';
import type { CommitService } from '../commits/commits.service.ts';
import { knownSha } from '../reading/git-reader.ts';
import type { RefData, RepositoryReader } from '../reading/reader.ts';
import type { WritePath } from '../writes/write-path.ts';

export interface RefService {
  createBranch(subject: ProjectSubject, caller: Caller, name: string, from: string): Promise<void>;
  deleteBranch(subject: ProjectSubject, caller: Caller, ref: RefData): Promise<void>;
  /** Deletes a branch whose commits `into` contains by now; one that points at `into` itself has no commits of its own. */
  deleteMerged(subject: ProjectSubject, caller: Caller, name: string, into: string): Promise<void>;
  createTag(
    subject: ProjectSubject,
    caller: Caller,
    name: string,
    from: string,
    message: string | undefined,
    /** Rows that come with it, told the commit. */
    within?: (tx: Db, commit: string) => Promise<void>,
  ): Promise<RefData>;
  deleteTag(subject: ProjectSubject, caller: Caller, ref: RefData): Promise<void>;
}

export function refService(deps: {
  reader: RepositoryReader;
  writes: WritePath;
  commits: Pick<CommitService, 'create'>;
}): RefService {
  const { reader, writes } = deps;

  /**
   * Begins an empty repository with the default branch that a branch is to be made from, as the ecosystem does: its first
   * commit has an empty README. Null where something else is asked for, or branches exist.
   */
  async function begin(subject: ProjectSubject, caller: Caller, from: string): Promise<string | null> {
    const { project } = subject;
    if (from !== (project.default_branch ?? 'main') || (await reader.branches(project)).length > 0) return null;
    return await deps.commits.create(subject, caller, {
      branch: from,
      message: 'Add README.md',
      actions: [{ action: 'create', file_path: 'README.md', content: '' }],
    });
  }

  /** Points a new ref at what `target` makes. */
  async function create(
    subject: ProjectSubject,
    caller: Caller,
    ref: string,
    taken: string,
    target: (bench: { quarantine: git.Quarantine }) => Promise<string>,
    within?: (tx: Db) => Promise<void>,
  ): Promise<void> {
    await writes.write({
      subject,
      caller,
      kind: 'api',
      async build(bench) {
        if ((await git.readRef(bench.quarantine.base, ref as git.RefName)) !== null) throw badRequestPlain(taken);
        return [{ ref, before: git.ZERO_SHA, after: await target(bench) }];
      },
      ...(within ? { within } : {}),
    });
  }

  const remove = (subject: ProjectSubject, caller: Caller, ref: string, noun: string) =>
    writes.write({
      subject,
      caller,
      kind: 'api',
      async build(bench) {
        const now = await git.readRef(bench.quarantine.base, ref as git.RefName);
        if (now === null) throw notFound(noun);
        return [{ ref, before: now, after: git.ZERO_SHA }];
      },
    });

  return {
    async createBranch(subject, caller, name, from) {
      if (git.branchNameProblem(name) !== null) throw badRequestPlain('Branch name is invalid');
      const known = await reader.resolve(subject.project, from);
      const target = known ?? (await begin(subject, caller, from));
      if (target === null) throw badRequestPlain(`Failed to create branch '${name}': invalid reference name '${from}'`);
      // The default branch itself was asked for, and has just been made.
      if (known === null && name === from) return;
      await create(subject, caller, `refs/heads/${name}`, 'Branch already exists', async () => target);
    },
    deleteBranch: (subject, caller, ref) => remove(subject, caller, `refs/heads/${ref.name}`, 'Branch'),
    deleteMerged: (subject, caller, name, into) =>
      writes.write({
        subject,
        caller,
        kind: 'api',
        async build({ quarantine: { base } }) {
          const ref = `refs/heads/${name}`;
          const now = await git.readRef(base, ref as git.RefName);
          if (now === null || now === into || !(await git.isAncestor(base, now, knownSha(into)))) return [];
          return [{ ref, before: now, after: git.ZERO_SHA }];
        },
      }),
    async createTag(subject, caller, name, from, message, within) {
      if (git.tagNameProblem(name) !== null) throw badRequestPlain('Tag name invalid');
      const commit = await reader.resolve(subject.project, from);
      if (commit === null) throw badRequestPlain(`Target ${from} is invalid`);
      const user = caller.user;
      if (!user) throw unauthorized();
      // As git keeps it: whole seconds.
      const taggedAt = new Date(Math.floor(Date.now() / 1000) * 1000);
      let target = commit;
      const tagged = async (bench: { quarantine: git.Quarantine }) => {
        if (!message) return commit;
        const tagger = {
          name: user.name,
          email: user.commit_email ?? user.email,
          seconds: taggedAt.getTime() / 1000,
        };
        target = await git.createTag(bench.quarantine, {
          target: knownSha(commit),
          targetType: 'commit',
          name,
          tagger,
          message,
        });
        return target;
      };
      const rows = within && ((tx: Db) => within(tx, commit));
      await create(subject, caller, `refs/tags/${name}`, `Tag ${name} already exists`, tagged, rows);
      return { name, commit, target, message: message ? message.trimEnd() : null, taggedAt: message ? taggedAt : null };
    },
    deleteTag: (subject, caller, ref) => remove(subject, caller, `refs/tags/${ref.name}`, 'Tag'),
  };
}

const badRequestPlain = (message: string) => plainError(400, message);
