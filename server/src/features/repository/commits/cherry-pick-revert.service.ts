/** Cherry-pick and revert: the change of one commit put on, or taken back from, the tip of a branch. */
import * as git from '@millrace/git';
import type { Caller, CallerUser, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { forbidden, HttpError, notFound, unauthorized } from '../../../kernel/http/errors.ts';
import type { RepositoryAccess } from '../face.ts';
import { asHttpError, knownSha, type OpenRepository } from '../reading/git-reader.ts';
import type { RepositoryReader } from '../reading/reader.ts';
import type { WritePath } from '../writes/write-path.ts';
import { committerOf } from './committer.ts';

export interface CommitToApply {
  readonly kind: 'cherry-pick' | 'revert';
  /** Full id of the commit. */
  readonly commit: string;
  /** Short name of the branch that gets the new commit. */
  readonly branch: string;
  /** Default: the commit's own message with where it is from, or that it is reverted. */
  readonly message: string | undefined;
}

export interface CherryPickRevertService {
  /** Returns the id of the new commit; refuses with 400 `{message, error_code}` where there is nothing to do, or a conflict. */
  apply(subject: ProjectSubject, caller: Caller, commitToApply: CommitToApply): Promise<string>;
  /** Refuses as `apply` would, and changes nothing. */
  attempt(subject: ProjectSubject, caller: Caller, commitToApply: CommitToApply): Promise<void>;
}

const refusal = (kind: CommitToApply['kind'], code: 'empty' | 'conflict'): HttpError => {
  const [verb, done] = kind === 'revert' ? ['revert', 'reverted'] : ['cherry-pick', 'cherry-picked'];
  const reason =
    code === 'empty'
      ? `The branch has its result already: it may have been ${done} before.`
      : 'A more recent commit has changed the same lines.';
  return new HttpError(400, {
    message: `Sorry, we cannot ${verb} this commit automatically. ${reason}`,
    error_code: code,
  });
};

export function cherryPickRevertService(deps: {
  readonly open: OpenRepository;
  readonly reader: RepositoryReader;
  readonly writes: WritePath;
  readonly access: Pick<RepositoryAccess, 'mayPush'>;
}): CherryPickRevertService {
  /** The tip that the change goes onto, and who commits; everything that is refused before objects are made. */
  async function prepared(subject: ProjectSubject, caller: Caller, { branch }: CommitToApply) {
    if (!caller.user) throw unauthorized();
    const ref = git.branchRef(branch);
    if (ref === null || (await git.readRef(deps.open(subject.project), ref)) === null) throw notFound('Branch');
    if (!(await deps.access.mayPush(subject, caller, branch)))
      throw forbidden('You are not allowed to push into this branch');
    return { ref, user: caller.user };
  }

  async function applied(
    quarantine: git.Quarantine,
    onto: git.Sha,
    user: CallerUser,
    { kind, commit, message }: CommitToApply,
  ): Promise<git.Sha> {
    const original = await git.readCommit(quarantine.repo, knownSha(commit));
    if (!original) throw notFound('Commit');
    const picked = `${original.message.trimEnd()}\n\n(cherry picked from commit ${commit})\n`;
    const text = message ?? (kind === 'cherry-pick' ? picked : undefined);
    const options = { onto, committer: committerOf(user), ...(text === undefined ? {} : { message: text }) };
    const replayOf = kind === 'revert' ? git.revert : git.cherryPick;
    const result = await replayOf(quarantine, knownSha(commit), options);
    if (result.status !== 'done') throw refusal(kind, result.status);
    return result.id;
  }

  return {
    async apply(subject, caller, commitToApply) {
      const { ref, user } = await prepared(subject, caller, commitToApply);
      let made = '';
      await deps.writes.write({
        subject,
        caller,
        kind: 'api',
        async build({ quarantine }) {
          const tip = await git.readRef(quarantine.base, ref);
          if (tip === null) throw notFound('Branch');
          made = await applied(quarantine, tip, user, commitToApply);
          return [{ ref, before: tip, after: made }];
        },
      });
      return made;
    },
    async attempt(subject, caller, commitToApply) {
      const { ref, user } = await prepared(subject, caller, commitToApply);
      try {
        const repo = deps.open(subject.project);
        const tip = await git.readRef(repo, ref);
        if (tip === null) throw notFound('Branch');
        const quarantine = await git.createQuarantine(repo);
        try {
          await applied(quarantine, tip, user, commitToApply);
        } finally {
          await git.discardQuarantine(quarantine);
        }
      } catch (error) {
        throw asHttpError(error);
      }
    },
  };
}
