/** Stars: what people keep an eye on. */
import Type from 'typebox';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { Entity, ListOf, Timestamp } from '../../../kernel/http/entity.ts';
import { unauthorized } from '../../../kernel/http/errors.ts';
import { mapPresent, offsetPage } from '../../../kernel/http/pagination.ts';
import { Optional, Str } from '../../../kernel/http/params/schema.ts';
import { answer, Empty, type Route, route } from '../../../kernel/http/route.ts';
import { findReferences, UserReference, userReference } from '../../identity/index.ts';
import type { NamespacesDependencies } from '../deps.ts';
import type { PresentProjects } from '../projects/presenter.ts';
import { Project } from '../projects/projects.entity.ts';
import { projectId } from '../projects/projects.params.ts';
import type { ProjectService } from '../projects/projects.service.ts';
import { addStar, countStarrers, listStarrers, removeStar } from './stars.queries.ts';

const common = { credentials: ['token', 'session'], tag: 'Around projects' } as const;
const Starrer = Entity('Starrer', { starred_since: Timestamp(), user: UserReference });

export function starRoutes(
  { db, externalUrl }: NamespacesDependencies,
  projects: Pick<ProjectService, 'reload'>,
  present: PresentProjects,
): Route[] {
  async function changed(subject: ProjectSubject, caller: Caller, change: typeof addStar) {
    if (!caller.user) throw unauthorized();
    if (!(await change(db, caller.user.id, subject.project.id))) return answer(304);
    return (await present([await projects.reload(subject.project, caller)], caller))[0];
  }

  return [
    ...(['star', 'unstar'] as const).map((action) =>
      route({
        ...common,
        method: 'POST',
        path: `/projects/:id/${action}`,
        summary: action === 'star' ? 'Star a project' : 'Unstar a project',
        access: { on: 'project', ability: 'star_project' },
        params: Type.Object(projectId),
        responses: { 201: Project, 304: Empty },
        handler: ({ subject, caller }) => changed(subject, caller, action === 'star' ? addStar : removeStar),
      }),
    ),
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/starrers',
      summary: 'List users who starred a project',
      access: { on: 'project', ability: 'read_project' },
      params: Type.Object({
        ...projectId,
        search: Optional(Str({ description: 'Only those whose name or username contains this text' })),
      }),
      pagination: 'offset',
      responses: { 200: ListOf(Starrer) },
      handler: async ({ subject, caller, params, page }) => {
        const seer = { id: caller.user?.id ?? null, admin: caller.admin };
        const { id } = subject.project;
        const [rows, total] = await Promise.all([
          listStarrers(db, id, params.search, seer, page),
          countStarrers(db, id, params.search, seer),
        ]);
        const users = await findReferences(
          db,
          rows.map(({ user_id }) => user_id),
        );
        return mapPresent(offsetPage(page, rows, total), ({ user_id, created_at }) => {
          const user = users.get(user_id);
          return user && { starred_since: created_at, user: userReference(user, externalUrl) };
        });
      },
    }),
  ];
}
