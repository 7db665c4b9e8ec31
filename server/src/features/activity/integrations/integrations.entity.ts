/** Integrations as the API shows them; what is secret in them is left out. */
import type { Static } from 'typebox';
import Type from 'typebox';
import {
  AnyJson,
  Entity,
  Fields,
  Flag,
  Id,
  ListOf,
  MapOf,
  Nullable,
  Sometimes,
  Text,
  Timestamp,
  Word,
} from '../../../kernel/http/entity.ts';
import { type IntegrationDefinition, type IntegrationEvent, integrationEvents } from './definitions.ts';
import type { EffectiveIntegration } from './integrations.queries.ts';

const events = Object.fromEntries(integrationEvents.map((event) => [event, Flag()])) as Record<
  IntegrationEvent,
  ReturnType<typeof Flag>
>;

const basic = {
  id: Id(),
  title: Text(),
  slug: Text(),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  active: Flag(),
  ...events,
  commit_events: Flag(),
  alert_events: Flag(),
  incident_events: Flag(),
  comment_on_event_enabled: Flag(),
  inherited: Flag({ description: 'The settings of a group above or of the instance count' }),
};

export const IntegrationBasic = Entity('IntegrationBasic', basic);
export const IntegrationDetails = Entity('Integration', {
  ...basic,
  properties: MapOf(AnyJson(), { description: 'Attributes that are not secret' }),
});

export function integrationJson(
  { title, slug }: IntegrationDefinition,
  { row, inherited }: EffectiveIntegration,
): Static<typeof IntegrationBasic> {
  const on = new Set(row.events);
  const flags = Object.fromEntries(integrationEvents.map((event) => [event, on.has(event)])) as Record<
    IntegrationEvent,
    boolean
  >;
  const properties = row.properties as Readonly<Record<string, unknown>>;
  return {
    id: row.id,
    title,
    slug,
    created_at: row.created_at,
    updated_at: row.updated_at,
    active: row.active,
    ...flags,
    // Commits are pushes; alerts and incidents are not there.
    commit_events: on.has('push_events'),
    alert_events: false,
    incident_events: false,
    comment_on_event_enabled: properties.comment_on_event_enabled !== false,
    inherited,
  };
}

export const integrationDetailsJson = (
  definition: IntegrationDefinition,
  found: EffectiveIntegration,
): Static<typeof IntegrationDetails> => ({
  ...integrationJson(definition, found),
  properties: found.row.properties as Record<string, unknown>,
});

export const IntegrationTried = Entity('IntegrationTried', { message: Text() });

export const IntegrationKind = Entity('IntegrationDefinition', {
  slug: Text(),
  title: Text(),
  acts: Flag({ description: 'False: its attributes are stored, and nothing is sent' }),
  events: ListOf(Text()),
  fields: ListOf(
    Fields({
      name: Text(),
      type: Word(['text', 'url', 'flag', 'number', 'choice', 'list']),
      required: Flag(),
      secret: Flag(),
      description: Text(),
      values: Sometimes(Nullable(Type.Array(Type.String()))),
      default: AnyJson({
        description: 'What counts where it is not given when the integration is set up; null: nothing',
      }),
    }),
  ),
});

export const integrationKindJson = (definition: IntegrationDefinition): Static<typeof IntegrationKind> => ({
  slug: definition.slug,
  title: definition.title,
  acts: definition.acts,
  events: [...definition.events],
  fields: definition.fields.map(({ name, type, description, required, secret, values, fallback, initial }) => ({
    name,
    type,
    required: required ?? false,
    secret: secret ?? false,
    description,
    values: values ? [...values] : null,
    default: initial ?? fallback ?? null,
  })),
});
