/** A switch as the features API shows it. */
import type { Static } from 'typebox';
import Type from 'typebox';
import { AnyJson, Entity, Fields, Flag, ListOf, Nullable, Text } from '../../../kernel/http/entity.ts';
import { isSwitch, type NamedGate, type SwitchName, switchDefinitions } from '../../../kernel/switches/index.ts';

export const FeatureDefinition = Entity('FeatureDefinition', {
  name: Text(),
  description: Text({ description: 'What the switch does' }),
  introduced_by_url: Nullable(Text()),
  rollout_issue_url: Nullable(Text()),
  milestone: Text(),
  log_state_changes: Nullable(Flag()),
  type: Text(),
  group: Nullable(Text({ description: 'Kind of status' })),
  default_enabled: Flag(),
});

export const Feature = Entity('Feature', {
  name: Text(),
  state: Type.Unsafe<'on' | 'off' | 'conditional'>({ type: 'string', enum: ['on', 'off', 'conditional'] }),
  gates: ListOf(Fields({ key: Text(), value: AnyJson({ description: 'A boolean or a percentage' }) })),
  definition: Type.Unsafe<Static<typeof FeatureDefinition> | null>({
    ...FeatureDefinition,
    type: ['object', 'null'],
  }),
});

export function definitionJson(name: SwitchName): Static<typeof FeatureDefinition> {
  const { description, milestone, defaultEnabled } = switchDefinitions[name];
  return {
    name,
    description,
    introduced_by_url: null,
    rollout_issue_url: null,
    milestone,
    log_state_changes: null,
    type: 'ops',
    group: null,
    default_enabled: defaultEnabled,
  };
}

export function featureJson(gate: NamedGate): Static<typeof Feature> {
  const partly = [
    { key: 'percentage_of_actors', value: gate.percentage_of_actors },
    { key: 'percentage_of_time', value: gate.percentage_of_time },
  ].filter(({ value }) => value !== null);
  return {
    name: gate.name,
    state: gate.enabled ? 'on' : partly.length > 0 ? 'conditional' : 'off',
    gates: [{ key: 'boolean', value: gate.enabled }, ...partly],
    definition: isSwitch(gate.name) ? definitionJson(gate.name) : null,
  };
}
