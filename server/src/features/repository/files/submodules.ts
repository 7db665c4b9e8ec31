/** Pointing a submodule to another commit: a commit of its own. */
import * as git from '@millrace/git';
import Type from 'typebox';
import { plainError, unauthorized } from '../../../kernel/http/errors.ts';
import { IdOrPath, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { CommitDetail } from '../commits/commits.entity.ts';
import { committerOf } from '../commits/committer.ts';
import type { CommitDetails } from '../commits/detail.ts';
import { knownSha } from '../reading/git-reader.ts';
import type { WritePath } from '../writes/write-path.ts';

export function submoduleRoutes(deps: { readonly writes: WritePath; readonly details: CommitDetails }): Route[] {
  return [
    route({
      method: 'PUT',
      path: '/projects/:id/repository/submodules/:submodule',
      summary: 'Update the commit of a submodule',
      tag: 'Repositories',
      credentials: ['token', 'session'],
      access: { on: 'project', ability: 'push_code' },
      params: Type.Object({
        id: IdOrPath('Id or path of the project'),
        submodule: Str({ minLength: 1, maxLength: 4096, description: 'Path of the submodule' }),
        commit_sha: Str({ pattern: '^[0-9a-f]{40}$', description: 'Commit of the other repository, in full' }),
        branch: Str({ minLength: 1, maxLength: 1024, description: 'Branch that gets the commit' }),
        commit_message: Optional(Str({ maxLength: 1_048_576, description: 'Message of the commit' })),
      }),
      responses: { 200: CommitDetail },
      errors: [409],
      handler: async ({ params, subject, caller }) => {
        const { submodule, commit_sha: target, branch } = params;
        const user = caller.user;
        if (!user) throw unauthorized();
        const ref = git.branchRef(branch);
        const message = params.commit_message || `Update submodule ${submodule} with oid ${target}`;
        let made = '';
        await deps.writes.write({
          subject,
          caller,
          kind: 'api',
          async build({ quarantine }) {
            const tip = ref === null ? null : await git.readRef(quarantine.base, ref);
            if (ref === null || tip === null) {
              const empty = !(await git.hasRefs(quarantine.base, 'refs/heads/'));
              throw plainError(
                400,
                empty ? 'The repository is empty' : 'You can only create or edit files when you are on a branch',
              );
            }
            const entry = await git.lookupPath(quarantine.repo, tip, submodule);
            if (entry?.type !== 'commit') throw plainError(400, 'Invalid submodule path');
            if (entry.id === target) throw plainError(400, `The submodule ${submodule} is already at ${target}`);
            const editor = git.createTreeEditor(quarantine, await git.treeOf(quarantine.repo, tip));
            await editor.apply({ action: 'put', path: submodule, id: knownSha(target), mode: '160000' });
            const committer = committerOf(user);
            made = await git.createCommit(quarantine, {
              tree: await editor.write(),
              parents: [tip],
              author: committer,
              committer,
              message,
            });
            return [{ ref, before: tip, after: made }];
          },
        });
        return await deps.details.of(subject, caller, made, true);
      },
    }),
  ];
}
