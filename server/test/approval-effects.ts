/** What the settings of approvals do: looked at before and after each is changed. */
import type { AccountEffect } from './account-effects.ts';
import type { World } from './ci.ts';

/** `world` is asked when a case runs. */
export function approvalEffects(world: () => World): Readonly<Record<string, AccountEffect>> {
  /** Whether the instance decides the setting of a project. */
  const locked = (name: string) => async () => {
    const { app, owner } = world();
    const { id } = await world().project();
    const path = `/projects/${id}/merge_request_approval_setting`;
    const { body } = await app.api<Record<string, { locked: boolean }>>('GET', path, { token: owner.token });
    return body[name]?.locked;
  };
  const effect = (name: string) => ({ value: true, look: locked(name), before: false, after: true });
  return {
    disable_overriding_approvers_per_merge_request: effect('allow_overrides_to_approver_list_per_merge_request'),
    prevent_merge_requests_author_approval: effect('allow_author_approval'),
    prevent_merge_requests_committers_approval: effect('allow_committer_approval'),
  };
}
