/** Which files differ between commits, without their patches. */
import * as git from '@millrace/git';
import type { RepositoryAccess } from '../face.ts';
import { knownSha, type OpenRepository } from '../reading/git-reader.ts';
import type { RepositoryReader } from '../reading/reader.ts';

export function changesOf(deps: {
  readonly open: OpenRepository;
  readonly reader: Pick<RepositoryReader, 'commit'>;
}): Pick<RepositoryAccess, 'changes' | 'changedPaths' | 'changedFiles'> {
  const { open, reader } = deps;
  return {
    async changes(project, sha) {
      const repo = open(project);
      const { parents } = await reader.commit(project, sha);
      const parent = parents[0] === undefined ? null : knownSha(parents[0]);
      const files = await git.changedFiles(repo, parent, knownSha(sha), { renames: false });
      const paths = (wanted: (file: (typeof files)[number]) => boolean) =>
        files.filter(wanted).map(({ newPath }) => newPath);
      return {
        added: paths(({ newFile }) => newFile),
        modified: paths(({ newFile, deletedFile }) => !newFile && !deletedFile),
        removed: paths(({ deletedFile }) => deletedFile),
      };
    },
    async changedPaths(project, from, to) {
      const files = await git.changedFiles(open(project), /^0+$/.test(from) ? null : knownSha(from), knownSha(to));
      return [...new Set(files.flatMap((file) => [file.oldPath, file.newPath]))];
    },
    async changedFiles(project, from, to) {
      return (await git.changedFiles(open(project), knownSha(from), knownSha(to))).length;
    },
  };
}
