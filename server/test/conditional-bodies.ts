/** What is made before it is deleted with the client's date. */
import type { World } from './ci.ts';
import { buildGroup, unique } from './factories.ts';

export const deployToken = { name: 'x', scopes: ['read_repository'] };
export const accessToken = { name: 'x', scopes: ['api'] };
export const application = { name: 'x', redirect_uri: 'https://client.example/', scopes: 'api' };
export const packageRule = () => ({
  package_name_pattern: unique('kept'),
  package_type: 'generic',
  minimum_access_level_for_push: 'owner',
});

interface Below {
  inside(base: string, json: object): Promise<{ readonly url: string }>;
  /** The address of a fresh merge request. */
  mergeRequest(): Promise<string>;
  /** Below a project. */
  at(noun: string): string;
  world(): World;
}
/** What is deleted around reviews. */
export function reviewTargets({ inside, mergeRequest, at, world }: Below) {
  const rule = () => ({ name: unique('rule'), approvals_required: 1 });
  const one = '/projects/:id/merge_requests/:merge_request_iid';
  return {
    [one]: async () => ({ url: await mergeRequest() }),
    [`${one}/draft_notes/:draft_note_id`]: async () => inside(`${await mergeRequest()}/draft_notes`, { note: 'x' }),
    [`${one}/approval_rules/:approval_rule_id`]: async () => inside(`${await mergeRequest()}/approval_rules`, rule()),
    '/projects/:id/approval_rules/:approval_rule_id': () => inside(at('approval_rules'), rule()),
    '/groups/:id/approval_rules/:approval_rule_id': async () =>
      inside(`/groups/${(await buildGroup(world().app, { owner: world().admin.user })).id}/approval_rules`, rule()),
  };
}
