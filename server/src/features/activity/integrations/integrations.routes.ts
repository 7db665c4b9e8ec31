/** Routes of integrations of projects, groups and the instance; `/services` is their older name for projects. */
import type { TProperties } from 'typebox';
import Type from 'typebox';
import { type AuditOrigin, entityOfPlace, instanceEntity, originOf, recordAudit } from '../../../kernel/audit/index.ts';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { invalidRecord, notFound, unauthorized, unprocessable } from '../../../kernel/http/errors.ts';
import { Bool, IdOrPath, Int, List, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import type { Outbound } from '../../../kernel/outbound/index.ts';
import type { Secrets } from '../../../kernel/secrets/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import type { Place } from '../../namespaces/index.ts';
import type { HookEvent, HookMessage } from '../webhooks/index.ts';
import { integrationsAllowed } from './allowed.ts';
import { allFields, definitionOf, definitions, type IntegrationField, integrationEvents } from './definitions.ts';
import type { IntegrationDelivery } from './delivery.ts';
import {
  IntegrationBasic,
  IntegrationDetails,
  IntegrationKind,
  IntegrationTried,
  integrationDetailsJson,
  integrationJson,
  integrationKindJson,
} from './integrations.entity.ts';
import {
  clearIntegration,
  effectiveIntegrations,
  type IntegrationPlace,
  saveIntegration,
} from './integrations.queries.ts';
import { mergedValues, openedValues, storedValues } from './settings.ts';
import { isTracker } from './trackers.ts';

export interface IntegrationRouteDependencies {
  readonly db: Db;
  readonly settings: Pick<Settings, 'read'>;
  readonly outbound: Pick<Outbound, 'refusal'>;
  readonly secrets: Pick<Secrets, 'seal' | 'open'>;
  readonly delivery: Pick<IntegrationDelivery, 'sendEvent'>;
  /** An event that an integration is tested with: something that exists, or why nothing does. */
  readonly sample: (place: Place, event: HookEvent, user: User) => Promise<HookMessage | string>;
}

const common = { credentials: ['token', 'session'], tag: 'Integrations' } as const;
const slug = Str({ minLength: 1, maxLength: 64, description: 'Name of the integration, for instance `slack`' });

const parameterOf = ({ type, description, most = 0 }: IntegrationField) => {
  if (type === 'flag') return Optional(OrNull(Bool({ description })));
  if (type === 'number') return Optional(OrNull(Int({ minimum: 0, maximum: 2_147_483_647, description })));
  if (type === 'list') return Optional(OrNull(List(Str({ maxLength: 255 }), { maxItems: 100, description })));
  return Optional(OrNull(Str({ maxLength: Math.max(10_000, 100 * most), description })));
};
/** All fields of all integrations: those of others than the named one are ignored. */
const attributes: TProperties = {
  ...Object.fromEntries([...allFields.values()].map((field) => [field.name, parameterOf(field)])),
  ...Object.fromEntries(
    integrationEvents.map((event) => [
      event,
      Optional(Bool({ description: `Sends ${event.replace(/_events$/, '').replaceAll('_', ' ')} events` })),
    ]),
  ),
  use_inherited_settings: Optional(
    Bool({ description: 'Uses the settings of the nearest group above or of the instance' }),
  ),
  active: Optional(Bool({ description: 'Whether it acts; default true' })),
};

/** Where integrations are set; `services` is the older name that clients of projects still use. */
const settings = [
  {
    access: { on: 'project', ability: 'admin_hook' },
    base: '/projects/:id/integrations',
    parent: { id: IdOrPath('Project') },
    of: 'of a project',
    tested: true,
  },
  {
    access: { on: 'project', ability: 'admin_hook' },
    base: '/projects/:id/services',
    parent: { id: IdOrPath('Project') },
    of: 'of a project',
    tested: true,
    deprecated: true,
  },
  {
    access: { on: 'group', ability: 'admin_group_hook' },
    base: '/groups/:id/integrations',
    parent: { id: IdOrPath('Group') },
    of: 'of a group and of everything below it',
    tested: false,
  },
  {
    access: { on: 'instance', ability: 'admin' },
    base: '/admin/integrations',
    parent: {},
    of: 'of the instance: the default of all groups and projects',
    tested: false,
  },
] as const;

type Subject = Place | undefined;

function placeOf(subject: Subject): IntegrationPlace {
  if (!subject) return { kind: 'instance' };
  return subject.kind === 'project'
    ? { kind: 'project', id: subject.project.id, groupIds: subject.namespace.traversal_ids }
    : { kind: 'group', id: subject.group.id, groupIds: subject.group.traversal_ids };
}

type Audit = AuditOrigin & Pick<Parameters<typeof recordAudit>[1], 'entity'>;

export function integrationRoutes(deps: IntegrationRouteDependencies): Route[] {
  const { db, secrets } = deps;

  function defined(name: string) {
    const definition = definitionOf(name);
    if (!definition) throw notFound('Integration');
    return definition;
  }

  async function found(place: IntegrationPlace, name: string) {
    const definition = defined(name);
    const [effective] = await effectiveIntegrations(db, place, definition.slug);
    if (!effective) throw notFound('Integration');
    return { definition, effective };
  }

  async function show(place: IntegrationPlace, name: string) {
    const { definition, effective } = await found(place, name);
    return integrationDetailsJson(definition, effective);
  }

  async function list(place: IntegrationPlace) {
    const all = await effectiveIntegrations(db, place);
    const allowed = await integrationsAllowed(deps.settings);
    return all.flatMap((each) => {
      const definition = definitionOf(each.row.slug);
      return each.row.active && definition && allowed(each.row.slug) ? [integrationJson(definition, each)] : [];
    });
  }

  /** A word of a text names an issue of one tracker. */
  async function refuseSecondTracker(place: IntegrationPlace, slug: string): Promise<void> {
    if (!isTracker(slug)) return;
    const all = await effectiveIntegrations(db, place);
    if (!all.some(({ row }) => row.active && row.slug !== slug && isTracker(row.slug))) return;
    const message = 'Another issue tracker is already in use. Only one issue tracker service can be active at a time';
    throw invalidRecord({ base: [message] });
  }

  async function set(place: IntegrationPlace, params: Readonly<Record<string, unknown>>, audit: Audit) {
    const definition = defined(String(params.slug));
    if (params.active !== false && !(await integrationsAllowed(deps.settings))(definition.slug))
      throw invalidRecord({ base: ['This instance does not allow the integration'] });
    const [before] = await effectiveIntegrations(db, place, definition.slug);
    const own = before && !before.inherited ? before.row : undefined;
    const inherits = params.use_inherited_settings === true && place.kind !== 'instance';
    const values = inherits
      ? {}
      : await mergedValues(definition, own ? openedValues(secrets, own) : {}, params, deps.outbound);
    if (place.kind === 'project' && !inherits && params.active !== false)
      await refuseSecondTracker(place, definition.slug);
    // On by default, as clients expect.
    const events = definition.events.filter((event) =>
      typeof params[event] === 'boolean' ? params[event] : own ? own.events.includes(event) : true,
    );
    const row = await transaction(db, async (tx) => {
      const saved = await saveIntegration(tx, place, definition.slug, {
        active: params.active !== false,
        inherited: inherits,
        events: inherits ? [] : events,
        ...storedValues(secrets, definition, values),
      });
      const details = { integration: definition.slug, active: saved.active, inherited: saved.inherited };
      await recordAudit(tx, { ...audit, event: 'integration_updated', details });
      return saved;
    });
    const [effective = { row, inherited: false }] = await effectiveIntegrations(db, place, definition.slug);
    return integrationDetailsJson(definition, effective);
  }

  async function disable(place: IntegrationPlace, name: string, audit: Audit) {
    const definition = defined(name);
    const [before] = await effectiveIntegrations(db, place, definition.slug);
    // Two that switch it off leave one event; what was never set leaves none.
    await transaction(db, async (tx) => {
      if (!(await clearIntegration(tx, place, definition.slug)) || !before) return;
      const details = { integration: definition.slug };
      await recordAudit(tx, { ...audit, event: 'integration_disabled', details });
    });
  }

  async function tryOut(subject: ProjectSubject, name: string, user: User | null) {
    if (!user) throw unauthorized();
    const { definition, effective } = await found(placeOf(subject), name);
    if (!definition.sends) throw unprocessable('This integration sends nothing');
    const sent = ['push_events', 'pipeline_events', 'merge_requests_events'] as const;
    const event = sent.find((each) => effective.row.events.includes(each));
    if (!event) throw unprocessable('Enable push, pipeline or merge request events first');
    const message = await deps.sample(subject, event, user);
    if (typeof message === 'string') throw unprocessable(message);
    try {
      const told = { ...message, switch: event };
      const outcome = await deps.delivery.sendEvent(effective.row, subject.project.id, told, true);
      if (!outcome.ok) throw unprocessable(outcome.message);
      return { message: outcome.message };
    } catch (error) {
      if (error instanceof Error && error.name === 'NotReached') throw unprocessable(error.message);
      throw error;
    }
  }

  const everywhere = settings.flatMap(({ access, base, parent, of, tested, ...aged }) => {
    const each = { ...common, ...aged, access };
    const older = 'deprecated' in aged ? ' (older name of the route)' : '';
    const auditOf = (context: Parameters<typeof originOf>[0] & { readonly subject: Subject }): Audit => ({
      ...originOf(context),
      entity: context.subject ? entityOfPlace(context.subject) : instanceEntity,
    });
    return [
      route({
        ...each,
        method: 'GET',
        path: base,
        summary: `List active integrations ${of}${older}`,
        params: Type.Object(parent),
        responses: { 200: ListOf(IntegrationBasic) },
        handler: ({ subject }) => list(placeOf(subject)),
      }),
      route({
        ...each,
        method: 'GET',
        path: `${base}/:slug`,
        summary: `Get an integration ${of}${older}`,
        params: Type.Object({ ...parent, slug }),
        responses: { 200: IntegrationDetails },
        handler: ({ subject, params }) => show(placeOf(subject), params.slug),
      }),
      route({
        ...each,
        method: 'PUT',
        path: `${base}/:slug`,
        summary: `Set an integration ${of}${older}`,
        params: Type.Object({ ...parent, slug, ...attributes }),
        responses: { 200: IntegrationDetails },
        handler: (context) => set(placeOf(context.subject), context.params, auditOf(context)),
      }),
      route({
        ...each,
        method: 'DELETE',
        path: `${base}/:slug`,
        summary: `Disable an integration ${of}${older}`,
        params: Type.Object({ ...parent, slug }),
        conditional: 'Disabling it again changes nothing.',
        responses: { 204: Empty },
        handler: (context) => disable(placeOf(context.subject), context.params.slug, auditOf(context)),
      }),
      ...(tested
        ? [
            route({
              ...common,
              ...aged,
              access: { on: 'project', ability: 'admin_hook' },
              method: 'POST',
              path: `${base}/:slug/test`,
              summary: `Test an integration of a project${older}`,
              params: Type.Object({ id: IdOrPath('Project'), slug }),
              responses: { 201: IntegrationTried },
              errors: [422],
              handler: ({ subject, params, caller }) => tryOut(subject, params.slug, caller.user),
            }),
          ]
        : []),
    ];
  });

  return [
    route({
      ...common,
      method: 'GET',
      path: '/integrations',
      summary: 'List available integrations with their attributes',
      access: { on: 'instance', ability: 'signed_in' },
      params: Type.Object({}),
      responses: { 200: ListOf(IntegrationKind) },
      handler: async () => definitions.map(integrationKindJson),
    }),
    ...everywhere,
  ];
}
