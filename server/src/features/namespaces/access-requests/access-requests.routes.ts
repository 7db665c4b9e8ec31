/** Routes of requests for access; the same below groups and projects. */
import Type from 'typebox';
import { entityOfPlace, originOf, recordAudit } from '../../../kernel/audit/index.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { accessRequestFacts, recordFact, toInstant } from '../../../kernel/events/index.ts';
import { Entity, ListOf, Timestamp } from '../../../kernel/http/entity.ts';
import { forbidden, plainError, recordNotFound, unauthorized } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { IdOrPath, Int, Optional } from '../../../kernel/http/params/schema.ts';
import { answer, Empty, type Route, route } from '../../../kernel/http/route.ts';
import type { Mail } from '../../../kernel/mail/index.ts';
import { UserReference, userReference } from '../../identity/index.ts';
import { sendsMail } from '../members/entry.queries.ts';
import { Member } from '../members/members.entity.ts';
import type { MemberPresenter } from '../members/members.routes.ts';
import type { MemberService } from '../members/members.service.ts';
import { type MemberSubject, nameOf, placeOf, requireAdministration } from '../members/rules.ts';
import {
  countRequesters,
  deciders,
  deleteRequest,
  insertRequest,
  listRequesters,
  type RequesterRow,
} from './access-requests.queries.ts';
import { accessDenied, accessWanted } from './mail-templates.ts';

const AccessRequester = Entity('AccessRequester', {
  ...UserReference.properties,
  requested_at: Timestamp({ description: 'When they asked' }),
});

export interface AccessRequestDependencies {
  readonly db: Db;
  readonly externalUrl: string;
  readonly mail: Pick<Mail, 'configured' | 'send'>;
  readonly members: MemberService;
  readonly presenter: Pick<MemberPresenter, 'one'>;
}

const parents = [
  {
    noun: 'group',
    base: '/groups/:id/access_requests',
    ask: { on: 'group', ability: 'request_group_access' },
    see: { on: 'group', ability: 'read_group' },
    decide: { on: 'group', ability: 'admin_group_member' },
  },
  {
    noun: 'project',
    base: '/projects/:id/access_requests',
    ask: { on: 'project', ability: 'request_project_access' },
    see: { on: 'project', ability: 'read_project' },
    decide: { on: 'project', ability: 'admin_project_member' },
  },
] as const;

const one = { limit: 1, offset: 0 };

export function accessRequestRoutes(deps: AccessRequestDependencies): Route[] {
  const { db, externalUrl, mail, members } = deps;
  const json = ({ requested_at, ...user }: RequesterRow) => ({ ...userReference(user, externalUrl), requested_at });

  const record = (
    tx: Db,
    event: keyof typeof accessRequestFacts,
    subject: MemberSubject,
    userId: number,
    requestedAt: Date,
    actorId: number | null,
  ) =>
    recordFact(
      tx,
      accessRequestFacts[event],
      { user_id: userId, requested_at: toInstant(requestedAt) },
      {
        project_id: subject.kind === 'project' ? subject.project.id : null,
        namespace_id: subject.kind === 'group' ? subject.group.id : subject.project.namespace_id,
        actor_id: actorId,
      },
    );

  async function requester(subject: MemberSubject, userId: number): Promise<RequesterRow> {
    const [row] = await listRequesters(db, placeOf(subject), userId, one);
    if (!row) throw recordNotFound();
    return row;
  }

  async function ask(context: { caller: Caller; subject: MemberSubject; clientAddress: string }) {
    const { caller, subject } = context;
    const { user } = caller;
    if (!user) throw unauthorized();
    const enabled =
      subject.kind === 'project' ? subject.project.request_access_enabled : subject.group.request_access_enabled;
    if (!enabled || subject.level > Level.none) throw forbidden();
    await transaction(db, async (tx) => {
      if (!(await insertRequest(tx, placeOf(subject), user.id))) throw plainError(400, 'User already exists in source');
      await recordAudit(tx, {
        ...originOf(context),
        entity: entityOfPlace(subject),
        event: 'access_requested',
        details: {},
        target: { type: 'User', id: user.id, details: user.username },
      });
      await record(tx, 'created', subject, user.id, new Date(), user.id);
      if (!mail.configured || !(await sendsMail(tx, placeOf(subject)))) return;
      for (const decider of await deciders(tx, placeOf(subject)))
        await mail.send(tx, accessWanted(decider, user, nameOf(subject, externalUrl)));
    });
    return json(await requester(subject, user.id));
  }

  return parents.flatMap(({ noun, base, ask: asking, see, decide }) => {
    const id = { id: IdOrPath(noun === 'group' ? 'Group' : 'Project') };
    const user = { ...id, user_id: Int({ description: 'Id of the user who asks' }) };
    const common = { credentials: ['token', 'session'], tag: 'Members' } as const;
    return [
      route({
        ...common,
        method: 'GET',
        path: base,
        summary: `List access requests to a ${noun}`,
        access: decide,
        params: Type.Object(id),
        pagination: 'offset',
        responses: { 200: ListOf(AccessRequester) },
        handler: async ({ subject, page }) => {
          const place = placeOf(subject);
          const rows = await listRequesters(db, place, null, page);
          return mapPage(offsetPage(page, rows, await countRequesters(db, place)), json);
        },
      }),
      route({
        ...common,
        method: 'POST',
        path: base,
        summary: `Request access to a ${noun}`,
        access: asking,
        params: Type.Object(id),
        responses: { 201: AccessRequester },
        handler: ask,
      }),
      route({
        ...common,
        method: 'PUT',
        path: `${base}/:user_id/approve`,
        summary: `Approve an access request to a ${noun}`,
        access: decide,
        params: Type.Object({
          ...user,
          access_level: Optional(
            Int({
              default: 30,
              description: 'Role: 10 guest, 15 planner, 20 reporter, 30 developer, 40 maintainer, 50 owner',
            }),
          ),
        }),
        responses: { 201: Member },
        errors: [409],
        handler: async ({ caller, subject, params }) => {
          const { id: userId } = await requester(subject, params.user_id);
          const terms = { level: params.access_level ?? Level.developer, expiresAt: null };
          await members.add(caller, subject, await members.findPerson(userId), terms);
          return answer(201, await deps.presenter.one(caller, subject, 'direct', userId));
        },
      }),
      route({
        ...common,
        method: 'DELETE',
        path: `${base}/:user_id`,
        summary: `Deny an access request to a ${noun}, or withdraw your own`,
        access: see,
        params: Type.Object(user),
        responses: { 204: Empty },
        conditional: 'A request is there or not: it never changes.',
        handler: async (context) => {
          const { caller, subject, params } = context;
          const own = caller.user?.id === params.user_id;
          if (!own) requireAdministration(caller, subject);
          const row = await requester(subject, params.user_id);
          await transaction(db, async (tx) => {
            if (!(await deleteRequest(tx, placeOf(subject), row.id))) throw recordNotFound();
            await recordAudit(tx, {
              ...originOf(context),
              entity: entityOfPlace(subject),
              event: own ? 'access_request_withdrawn' : 'access_request_denied',
              details: {},
              target: { type: 'User', id: row.id, details: row.username },
            });
            const fact = own ? 'withdrawn' : 'denied';
            await record(tx, fact, subject, row.id, row.requested_at, caller.user?.id ?? null);
            if (!own && mail.configured && (await sendsMail(tx, placeOf(subject))))
              await mail.send(tx, accessDenied(row, nameOf(subject, externalUrl)));
          });
        },
      }),
    ];
  });
}
