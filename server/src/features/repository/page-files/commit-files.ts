/** `/-/commit/SHA.diff` and `.patch`: a commit as git prints it, for `git apply` and `git am`. */
import { notFound } from '../../../kernel/http/errors.ts';
import type { PageFile } from '../../../kernel/http/page-files.ts';
import { streamed } from '../../../kernel/http/route.ts';
import type { RepositoryAccess } from '../face.ts';
import type { RepositoryReader } from '../reading/reader.ts';

/** Text that a browser shows and never interprets. */
const patchType = 'text/plain; charset=utf-8';

export function commitFile(
  reader: Pick<RepositoryReader, 'resolve' | 'commit'>,
  access: Pick<RepositoryAccess, 'rawDiff' | 'mails'>,
): PageFile {
  return {
    name: 'commit',
    pattern: /^commit\/(?<sha>[0-9a-f]{7,64})\.(?<form>diff|patch)$/,
    ability: 'read_code',
    scopes: ['api', 'read_api', 'read_repository'],
    async handler({ subject: { project }, params }) {
      const id = await reader.resolve(project, params.sha ?? '');
      if (id === null) throw notFound('Commit');
      const [parent = null] = (await reader.commit(project, id)).parents;
      const open = async () =>
        params.form === 'diff' ? await access.rawDiff(project, parent, id) : await access.mails(project, null, id);
      return streamed(open, patchType, { ETag: `"${id}"` });
    },
  };
}
