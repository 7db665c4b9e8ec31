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
    async merge(ours, theirs, base = null) {
      const options = base === null ? {} : { base: knownSha(base) };
      const result = await git.mergeTree(quarantine, knownSha(ours), knownSha(theirs), options);
      return { tree: result.clean ? result.treeId : null, conflicts: result.conflictPaths };
    },
    async resolve(ours, theirs, files, base = null) {
      const options = base === null ? {} : { base: knownSha(base) };
      const result = await git.mergeTree(quarantine, knownSha(ours), knownSha(theirs), options);
      const left = result.conflictPaths.filter((path) => !files.has(path));
      if (left.length > 0) return { tree: null, conflicts: left };
      const editor = git.createTreeEditor(quarantine, result.treeId);
      for (const [path, text] of files) {
        const action = { path, content: Buffer.from(text ?? '', 'utf8') };
        await editor.apply(text === null ? { action: 'delete', path } : { action: 'update', ...action });
      }
      return { tree: await editor.write(), conflicts: [] };
    },
    async rebase(head, onto, committer, without = null) {
      const result = await git.rebase(quarantine, {
        head: knownSha(head),
        onto: knownSha(onto),
        committer: now(committer),
        without: without === null ? null : knownSha(without),
      });
      return result.status === 'done' ? result.id : null;
    },
    quarantine,
  };
}
