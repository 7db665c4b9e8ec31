/** Repositories of forks: complete copies, so that nothing that happens to the source touches them. */
import * as git from '@millrace/git';
import type { Db } from '../../../kernel/db/index.ts';
import type { RepositoryRow } from '../face.ts';
import type { OpenRepository } from '../reading/git-reader.ts';
import type { WritePath } from '../writes/write-path.ts';
import { bumpServiceRefs, protectDefaultBranch } from '../writes/writes.queries.ts';

/** Refs that people made; the others are about merge requests and pipelines of the source. */
const copied = (ref: string, branches: readonly string[] | null) =>
  branches === null
    ? ref.startsWith('refs/heads/') || ref.startsWith('refs/tags/')
    : branches.some((name) => ref === `refs/heads/${name}`);

export function repositoryCopies(deps: {
  readonly db: Db;
  readonly open: OpenRepository;
  readonly shared: git.Git;
  readonly exclusively: WritePath['exclusively'];
}) {
  const { db, open } = deps;
  return {
    /** Copies a repository to a new project's place. What a copy that was interrupted left behind goes first. */
    async copied(source: RepositoryRow, target: RepositoryRow, branches: readonly string[] | null): Promise<void> {
      await git.removeRepository(deps.shared, open(target).path);
      await deps.exclusively(source, () => git.copyRepository(open(source), open(target).path));
      // Somebody may have looked at the empty repository that was here: what they saw is not to be believed.
      deps.shared.forget(open(target).path);
      const repo = open(target);
      const { refs } = await git.refsSnapshot(repo, target.refs_generation);
      const gone = refs.filter(({ ref }) => !copied(ref, branches));
      if (gone.length > 0)
        await git.updateRefs(
          repo,
          gone.map(({ ref }) => ({ ref, new: git.ZERO_SHA })),
        );
      const branch = target.default_branch;
      if (branch !== null) await git.setDefaultBranch(repo, branch);
      if (refs.length === gone.length) return;
      if (branch !== null && refs.some(({ ref }) => ref === `refs/heads/${branch}`))
        await protectDefaultBranch(db, target.id, branch);
      await bumpServiceRefs(db, target.id);
    },
  };
}
