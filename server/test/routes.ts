/** Declared routes as requests: what the tests that go through all of them share. */
import type { Namespace, Project } from '../src/kernel/db/rows.ts';
import type { Route } from '../src/kernel/http/route.ts';

/** A group and a project in it. */
export interface Place {
  readonly group: Namespace;
  readonly project: Project;
}

/** The route's path on a place, with children that do not exist. */
export const pathOf = (route: Route, place: Place): string => {
  const parent = route.access.on === 'project' || route.access.on === 'group' ? (route.access.param ?? 'id') : null;
  return route.path
    .replaceAll(/:([a-z_]+)/g, (_, name: string) =>
      name === parent ? String(route.access.on === 'group' ? place.group.id : place.project.id) : '999999',
    )
    .replace(/\*$/, 'absent');
};

/** The handler refuses more than the declaration can say: members leave by themselves, tokens of others look like none. */
export const refusesMore = new Set([
  'GET /personal_access_tokens/:id',
  'DELETE /personal_access_tokens/:id',
  'POST /personal_access_tokens/:id/rotate',
  'POST /projects/:id/access_tokens/:token_id/rotate',
  'POST /groups/:id/access_tokens/:token_id/rotate',
  'DELETE /projects/:id/members/:user_id',
  'DELETE /groups/:id/members/:user_id',
  'DELETE /projects/:id/access_requests/:user_id',
  'DELETE /groups/:id/access_requests/:user_id',
  'POST /groups/:id/projects/:project_id',
  'POST /projects/:id/import_project_members/:project_id',
  'GET /users/:id/associations_count',
  'GET /projects/:id/storage',
  // Bots of the project alone.
  'PUT /projects/:id/merge_requests/:merge_request_iid/reset_approvals',
  // A release that is not there is nobody's to change.
  'PUT /projects/:id/releases/:tag_name',
  'DELETE /projects/:id/releases/:tag_name',
  'POST /projects/:id/releases/:tag_name/evidence',
  'DELETE /projects/:id/releases/:tag_name/assets/links/:link_id',
]);

/** True where a call without parameters cannot change the places: one is required, or the child does not exist. */
export function needsMore(route: Route): boolean {
  const parent = route.access.on === 'project' || route.access.on === 'group' ? (route.access.param ?? 'id') : null;
  const child = [...route.path.matchAll(/:([a-z_]+)/g)].some(([, name]) => name !== parent);
  const required = (route.params as { required?: readonly string[] }).required ?? [];
  return child || required.some((name) => !route.path.includes(`:${name}`));
}
