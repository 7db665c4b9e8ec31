/** The API of cherry-pick and revert. */
import Type from 'typebox';
import { Entity, Text } from '../../../kernel/http/entity.ts';
import { Bool, IdOrPath, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { answer, type Route, route } from '../../../kernel/http/route.ts';
import type { CherryPickRevertService, CommitToApply } from './cherry-pick-revert.service.ts';
import { CommitDetail } from './commits.entity.ts';
import type { CommitDetails } from './detail.ts';

const DryRun = Entity('DryRun', { dry_run: Text({ description: '`success`: the change fits' }) });

const common = {
  id: IdOrPath('Id or path of the project'),
  sha: Str({ description: 'Hash, branch or tag' }),
  branch: Str({ minLength: 1, maxLength: 1024, description: 'Branch that gets the new commit' }),
  dry_run: Optional(Bool({ default: false, description: 'Only try it: nothing is committed' })),
};

export function cherryPickRevertRoutes(details: CommitDetails, service: CherryPickRevertService): Route[] {
  const make = (
    kind: CommitToApply['kind'],
    path: string,
    summary: string,
    more: { message?: ReturnType<typeof Optional> },
  ) =>
    route({
      method: 'POST',
      path: `/projects/:id/repository/commits/:sha/${path}`,
      summary,
      tag: 'Commits',
      credentials: ['token', 'session'],
      scopes: ['api'],
      access: { on: 'project', ability: 'push_code' },
      params: Type.Object({ ...common, ...more }),
      responses: { 200: DryRun, 201: CommitDetail },
      handler: async ({ params, subject, caller }) => {
        const commit = await details.resolved(subject, params.sha);
        const commitToApply = {
          kind,
          commit,
          branch: params.branch,
          message: (params as { message?: string }).message,
        };
        if (!params.dry_run)
          return answer(
            201,
            await details.of(subject, caller, await service.apply(subject, caller, commitToApply), true),
          );
        await service.attempt(subject, caller, commitToApply);
        return { dry_run: 'success' };
      },
    });
  return [
    make('cherry-pick', 'cherry_pick', 'Cherry-pick a commit onto a branch', {
      message: Optional(Str({ minLength: 1, maxLength: 1_048_576, description: 'Message of the new commit' })),
    }),
    make('revert', 'revert', 'Revert a commit on a branch', {}),
  ];
}
