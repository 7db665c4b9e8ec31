/** Which files differ between commits, without their patches. */
import * as git from '@millrace/git';
import type { RepositoryAccess } from '../face.ts';
import { knownSha, type OpenRepository } from '../reading/git-reader.ts';
import type { RepositoryReader } from '../reading/reader.ts';
import type { DiffLimits } from './diff-limits.ts';

/** Lines of larger changes of one file are not followed. */
const largestPatch = 10 * 1024 ** 2;

export function changesOf(deps: {
  readonly open: OpenRepository;
  readonly reader: Pick<RepositoryReader, 'commit'>;
  readonly diffLimits: DiffLimits;
}): Pick<RepositoryAccess, 'changes' | 'changedPaths' | 'changedFiles' | 'filePatch'> {
  const { open, reader } = deps;
  const limits = { maxPatchBytes: largestPatch, maxBytes: 2 * largestPatch, maxLines: 1_000_000 };
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
    async filePatch(project, from, to, path, side) {
      const repo = open(project);
      const isMeant = (file: { oldPath: string; newPath: string; newFile: boolean; deletedFile: boolean }) =>
        side === 'old' ? file.oldPath === path && !file.newFile : file.newPath === path && !file.deletedFile;
      const file = (await git.changedFiles(repo, knownSha(from), knownSha(to))).find(isMeant);
      if (!file) return null;
      const paths = [...new Set([file.oldPath, file.newPath])];
      const { files } = await git.diff(repo, knownSha(from), knownSha(to), { paths, limits, context: 0 });
      const found = files.find(isMeant);
      const readable = found && !found.tooLarge && !found.collapsed && !found.binary;
      return {
        old_path: file.oldPath,
        new_path: file.newPath,
        deleted: file.deletedFile,
        diff: readable ? found.patch : null,
      };
    },
    async changedFiles(project, from, to) {
      const { length } = await git.changedFiles(open(project), knownSha(from), knownSha(to));
      const { maxFiles } = await deps.diffLimits();
      return length > maxFiles ? `${maxFiles}+` : String(length);
    },
  };
}
