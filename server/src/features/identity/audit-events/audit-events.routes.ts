/** Routes of audit events: of the instance, of a group, of a project. */
import Type from 'typebox';
import { type AuditFilter, auditOrder, countAudit, findAudit, listAudit } from '../../../kernel/audit/index.ts';
import { canOnGroup, canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, GroupSubject, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { invalidParameters, notFound } from '../../../kernel/http/errors.ts';
import { keysetPage, mapPage, offsetPage, type Page } from '../../../kernel/http/pagination.ts';
import { DateTimeParam, IdOrPath, Int, OneOf, Optional } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { instanceEntityNames } from '../../../kernel/names.ts';
import { AuditEventEntity, auditEvent } from './audit-events.entity.ts';

const common = { credentials: ['token', 'session'], tag: 'Audit events' } as const;
const times = {
  created_after: Optional(DateTimeParam({ description: 'At this time or later' })),
  created_before: Optional(DateTimeParam({ description: 'At this time or earlier' })),
};
/** Not in the ecosystem: the pages filter by it. */
const author = { author_id: Optional(Int({ description: 'Only what this user did' })) };
const entityTypes = ['User', 'Group', 'Project', ...instanceEntityNames] as const;

/** What people see of their own account. */
const authenticationEvents = [
  'user_signed_in',
  'user_sign_in_failed',
  'user_sign_in_refused',
  'user_locked',
  'user_unlocked',
  'user_signed_out',
  'user_signed_out_elsewhere',
  'user_session_ended',
  'admin_mode_entered',
  'admin_mode_left',
  'user_password_updated',
  'user_password_reset_requested',
  'user_totp_added',
  'user_totp_removed',
  'user_security_key_added',
  'user_security_key_removed',
  'user_recovery_codes_created',
  'user_two_factor_disabled',
  'user_impersonation_started',
  'user_impersonation_stopped',
];

interface Times {
  readonly created_after?: Date;
  readonly created_before?: Date;
}
const between = ({ created_after, created_before }: Times): AuditFilter => ({
  createdAfter: created_after,
  createdBefore: created_before,
});

type Place = ProjectSubject | GroupSubject;
const entityOf = (subject: Place): AuditFilter =>
  subject.kind === 'project'
    ? { entityType: 'Project', entityId: subject.project.id }
    : { entityType: 'Group', entityId: subject.group.id };

/** Those in charge see everybody's events, the others their own. */
const seesAll = (caller: Caller, subject: Place): boolean =>
  subject.kind === 'project'
    ? canOnProject(caller, 'read_audit_events', subject)
    : canOnGroup(caller, 'read_group_audit_events', subject);

export function auditEventRoutes(db: Db): Route[] {
  async function pageOfEvents(filter: AuditFilter, page: Page) {
    const rows = await listAudit(db, filter, page);
    const paged =
      page.style === 'keyset'
        ? keysetPage(page, rows, auditOrder.cursorOf)
        : offsetPage(page, rows, await countAudit(db, filter));
    return mapPage(paged, auditEvent);
  }

  async function one(id: number, filter: AuditFilter) {
    const event = await findAudit(db, id, filter);
    if (!event) throw notFound('Audit Event');
    return auditEvent(event);
  }

  const ofPlace = (subject: Place, caller: Caller, params: Times & { author_id?: number }): AuditFilter => ({
    ...entityOf(subject),
    ...between(params),
    authorId: params.author_id,
    ...(seesAll(caller, subject) ? {} : { ownOf: caller.user?.id ?? 0 }),
  });

  return [
    route({
      ...common,
      method: 'GET',
      path: '/audit_events',
      summary: 'List audit events of the instance, newest first',
      access: { on: 'instance', ability: 'admin' },
      params: Type.Object({
        ...times,
        ...author,
        entity_type: Optional(OneOf(entityTypes, { description: 'What the events are about' })),
        entity_id: Optional(Int({ description: 'Together with `entity_type`' })),
      }),
      pagination: 'both',
      responses: { 200: ListOf(AuditEventEntity) },
      handler: ({ params, page }) => {
        const { entity_type: type, entity_id: entityId, author_id: authorId } = params;
        if (entityId !== undefined && type === undefined) throw invalidParameters(['entity_type is missing']);
        const entityType = type === instanceEntityNames[1] ? 'Instance' : type;
        return pageOfEvents({ ...between(params), entityType, entityId, authorId }, page);
      },
    }),
    route({
      ...common,
      // For the page alone: a token that leaked should not tell where its owner signs in.
      credentials: ['session'],
      method: 'GET',
      path: '/user/authentication_events',
      summary: 'List your sign-ins, failed attempts and credential changes, newest first',
      access: { on: 'instance', ability: 'signed_in' },
      params: Type.Object(times),
      pagination: 'both',
      responses: { 200: ListOf(AuditEventEntity) },
      handler: ({ params, page, caller }) => {
        const filter = { entityType: 'User', entityId: caller.user?.id ?? 0, events: authenticationEvents } as const;
        return pageOfEvents({ ...between(params), ...filter }, page);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/audit_events/:id',
      summary: 'Get an audit event',
      access: { on: 'instance', ability: 'admin' },
      params: Type.Object({ id: Int({ description: 'Id of the event' }) }),
      responses: { 200: AuditEventEntity },
      handler: ({ params }) => one(params.id, {}),
    }),
    ...(
      [
        {
          noun: 'group',
          base: '/groups/:id/audit_events',
          own: { on: 'group', ability: 'read_own_group_audit_events' },
          all: { on: 'group', ability: 'read_group_audit_events' },
        },
        {
          noun: 'project',
          base: '/projects/:id/audit_events',
          own: { on: 'project', ability: 'read_own_audit_events' },
          all: { on: 'project', ability: 'read_audit_events' },
        },
      ] as const
    ).flatMap(({ noun, base, own, all }) => [
      route({
        ...common,
        method: 'GET',
        path: base,
        summary: `List audit events of a ${noun}, newest first; your own if you do not administer it`,
        access: own,
        params: Type.Object({ id: IdOrPath(noun), ...times, ...author }),
        pagination: 'both',
        responses: { 200: ListOf(AuditEventEntity) },
        handler: ({ params, subject, caller, page }) => pageOfEvents(ofPlace(subject, caller, params), page),
      }),
      route({
        ...common,
        method: 'GET',
        path: `${base}/:audit_event_id`,
        summary: `Get an audit event of a ${noun}`,
        access: all,
        params: Type.Object({ id: IdOrPath(noun), audit_event_id: Int({ description: 'Id of the event' }) }),
        responses: { 200: AuditEventEntity },
        handler: ({ params, subject }) => one(params.audit_event_id, entityOf(subject)),
      }),
    ]),
  ];
}
