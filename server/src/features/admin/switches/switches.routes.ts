/** Routes of the switches, which the API calls features. */
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { invalidParameters } from '../../../kernel/http/errors.ts';
import { Bool, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { type Gate, type Switches, type SwitchName, switchDefinitions } from '../../../kernel/switches/index.ts';
import { definitionJson, Feature, FeatureDefinition, featureJson } from './switches.entity.ts';

const common = {
  credentials: ['token', 'session'],
  tag: 'Features',
  access: { on: 'instance', ability: 'admin' },
} as const;

const name = Str({ description: 'Name of the switch' });
/** Scripts of the ecosystem turn on what is always on here: those names are kept and listed like others. */
const newName = Str({ minLength: 1, maxLength: 255, description: 'Name of the switch; an unknown one has no effect' });
/** Single people, groups and projects cannot be chosen: a switch that was meant for one must not turn for everybody. */
const targets = ['feature_group', 'user', 'group', 'namespace', 'project', 'repository'] as const;
const refusedTargets = Object.fromEntries(
  targets.map((target) => [target, Optional(Str({ description: 'Not supported; refused unless it is empty' }))]),
) as Record<(typeof targets)[number], ReturnType<typeof Optional<ReturnType<typeof Str>>>>;

type Key = 'percentage_of_actors' | 'percentage_of_time';

function gateOf(value: unknown, key: Key): Partial<Gate> {
  const text = typeof value === 'object' ? '' : String(value).trim().toLowerCase();
  const all = { percentage_of_time: null, percentage_of_actors: null };
  if (text === 'true' || text === '100') return { enabled: true, ...all };
  if (text === 'false' || text === '0') return { enabled: false, ...all };
  if (!/^[1-9]\d?$/.test(text)) throw invalidParameters(['value does not have a valid value']);
  return { enabled: false, [key]: Number(text) };
}

export function switchRoutes(switches: Switches): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: '/features',
      summary: 'List feature switches that were set',
      params: Type.Object({}),
      responses: { 200: ListOf(Feature) },
      handler: async () => (await switches.gates()).map(featureJson),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/features/definitions',
      summary: 'List all feature switches',
      params: Type.Object({}),
      responses: { 200: ListOf(FeatureDefinition) },
      handler: async () => (Object.keys(switchDefinitions) as SwitchName[]).map(definitionJson),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/features/:name',
      summary: 'Set a feature switch',
      params: Type.Object({
        name: newName,
        value: Type.Unsafe<unknown>({
          type: ['string', 'integer', 'boolean'],
          description: '`true`, `false`, or a percentage from 0 to 100',
        }),
        key: Optional(
          OneOf(['percentage_of_actors', 'percentage_of_time', ''], {
            default: 'percentage_of_time',
            description: 'What the percentage is of; an actor is a project or group. Empty as when it is absent',
          }),
        ),
        force: Optional(Bool({ description: 'Accepted; changes nothing' })),
        ...refusedTargets,
      }),
      responses: { 201: Feature },
      handler: async (context) => {
        const { params } = context;
        const target = targets.find((each) => params[each]);
        if (target) throw invalidParameters([`${target} is not supported`]);
        const gate = gateOf(params.value, params.key || 'percentage_of_time');
        return featureJson(await switches.set(params.name, gate, originOf(context)));
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/features/:name',
      summary: 'Delete a feature switch; its default applies again',
      conditional: 'The answer is the same whether it was set or not.',
      params: Type.Object({ name }),
      responses: { 204: Empty },
      handler: (context) => switches.reset(context.params.name, originOf(context)),
    }),
  ];
}
