/** `/-/merge_requests/1.diff` and `.patch`: the changes as one patch, or its commits as mails for `git am`. */
import { Readable } from 'node:stream';
import { recordNotFound } from '../../../kernel/http/errors.ts';
import type { PageFile } from '../../../kernel/http/page-files.ts';
import { streamed } from '../../../kernel/http/route.ts';
import * as queries from './merge-requests.queries.ts';
import type { MergeRequestDependencies } from './merge-requests.service.ts';

export function patchFile({
  db,
  repository,
}: Pick<MergeRequestDependencies, 'db'> & {
  readonly repository: Pick<MergeRequestDependencies['repository'], 'rawDiff' | 'mails'>;
}): PageFile {
  return {
    name: 'merge-request',
    pattern: /^merge_requests\/(?<iid>[1-9]\d{0,8})\.(?<form>diff|patch)$/,
    ability: 'read_merge_request',
    scopes: ['api', 'read_api', 'read_repository'],
    async handler({ subject, params }) {
      const row = await queries.byIid(db, subject.project.id, Number(params.iid));
      if (!row) throw recordNotFound();
      const { base_sha: base, head_sha: head } = row;
      const open = async () => {
        if (base === null || head === null) return Readable.from([]);
        return params.form === 'diff'
          ? await repository.rawDiff(subject.project, base, head)
          : await repository.mails(subject.project, base, head);
      };
      return streamed(open, 'text/plain; charset=utf-8', { ETag: `"${base}-${head}"` });
    },
  };
}
