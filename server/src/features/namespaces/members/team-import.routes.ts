/** Taking the direct members of one project over into another. */
import Type from 'typebox';
import { canOnProject } from '../../../kernel/authz/can.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { Count, Entity, MapOf, Sometimes, Text } from '../../../kernel/http/entity.ts';
import { HttpError, notFound, unprocessable } from '../../../kernel/http/errors.ts';
import { IdOrPath, Int } from '../../../kernel/http/params/schema.ts';
import type { ParentLoader } from '../../../kernel/http/parents.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { NamespacesDependencies } from '../deps.ts';
import type { MemberRow } from './members.entity.ts';
import { listMembers } from './members.queries.ts';
import type { MemberService } from './members.service.ts';
import { placeOf, reasonOf } from './rules.ts';

const TeamImported = Entity('TeamImported', {
  status: Text({ description: '`success`, or `error` when some could not be added' }),
  message: Sometimes(MapOf(Text(), { description: 'Reasons by username' })),
  total_members_count: Sometimes(Count({ description: 'How many were to be added' })),
});

/** Each membership is one of its own, with its audit event and mail; more than these would keep a request too long. */
const most = 1000;

/** Accounts of tokens stay where their tokens are. */
const isBot = ({ user_type }: MemberRow) => user_type === 'project_bot' || user_type === 'group_bot';

export function teamImportRoutes(
  { db }: NamespacesDependencies,
  parents: Pick<ParentLoader, 'project'>,
  members: MemberService,
): Route[] {
  const directOf = (subject: ProjectSubject, caller: Caller) =>
    listMembers(db, caller, placeOf(subject), 'direct', {}, { limit: most + 1, offset: 0 });

  return [
    route({
      credentials: ['token', 'session'],
      tag: 'Members',
      method: 'POST',
      path: '/projects/:id/import_project_members/:project_id',
      summary: 'Add the direct members of another project',
      access: { on: 'project', ability: 'admin_project_member' },
      params: Type.Object({
        id: IdOrPath('Project'),
        project_id: Int({ description: 'Id of the project whose members are added' }),
      }),
      responses: { 201: TeamImported },
      errors: [422],
      handler: async ({ params, caller, subject }) => {
        const source = await parents.project(String(params.project_id), caller);
        if (!source || !canOnProject(caller, 'read_project', source)) throw notFound('Project');
        if (!canOnProject(caller, 'read_project_member', source)) throw unprocessable('Forbidden');
        const [there, here] = await Promise.all([directOf(source, caller), directOf(subject, caller)]);
        if (there.length > most || here.length > most)
          throw unprocessable(`Projects with more than ${most} direct members cannot be imported from or to`);
        const known = new Set(here.map(({ id }) => id));
        const wanted = there.filter((row) => !known.has(row.id) && !isBot(row));
        // Maintainers make no owners: those of the other project become maintainers here.
        const highest = caller.admin ? Level.owner : subject.level;
        const failed: Record<string, string> = {};
        for (const row of wanted) {
          try {
            const terms = { level: Math.min(row.level, highest), expiresAt: row.expires_at };
            await members.add(caller, subject, await members.findPerson(row.id), terms);
          } catch (error) {
            if (!(error instanceof HttpError)) throw error;
            failed[row.username] = reasonOf(error);
          }
        }
        return Object.keys(failed).length === 0
          ? { status: 'success' }
          : { status: 'error', message: failed, total_members_count: wanted.length };
      },
    }),
  ];
}
