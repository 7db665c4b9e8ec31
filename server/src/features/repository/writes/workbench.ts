/** Making objects in a quarantine, for slices that do not know git. */
import * as git from '@millrace/git';
import type { Signature, Workbench } from '../face.ts';
import { knownSha } from '../reading/git-reader.ts';

const now = (signature: Signature): git.Person => ({
  name: signature.name,
  email: signature.email,
  seconds: Math.floor(Date.now() / 1000),
});

export function workbench(quarantine: git.Quarantine): Workbench {
  return {
    commit: (commit) =>
      git.createCommit(quarantine, {
        tree: knownSha(commit.tree),
        parents: commit.parents.map(knownSha),
        author: now(commit.author),
        committer: now(commit.committer),
        message: commit.message,
      }),
    async edit(commit, files) {
      const tree = await git.treeOf(quarantine.repo, knownSha(commit));
      const editor = git.createTreeEditor(quarantine, tree);
      for (const [path, text] of files)
        await editor.apply({ action: 'update', path, content: Buffer.from(text, 'utf8') });
      return await editor.write();
    },
    async merge(ours, theirs) {
      const result = await git.mergeTree(quarantine, knownSha(ours), knownSha(theirs));
      return { tree: result.clean ? result.treeId : null, conflicts: result.conflictPaths };
    },
    async rebase(head, onto, committer) {
      const result = await git.rebase(quarantine, {
        head: knownSha(head),
        onto: knownSha(onto),
        committer: now(committer),
      });
      return result.status === 'done' ? result.id : null;
    },
    quarantine,
  };
}
