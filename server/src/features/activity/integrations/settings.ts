/** The attributes of an integration: checked, split into what may be shown and what is sealed, and read again. */
import type { Integration } from '../../../kernel/db/rows.ts';
import { invalidParameters, invalidRecord } from '../../../kernel/http/errors.ts';
import type { Outbound } from '../../../kernel/outbound/index.ts';
import type { Secrets } from '../../../kernel/secrets/index.ts';
import type { IntegrationDefinition, IntegrationField } from './definitions.ts';

const purpose = 'integration';

type IntegrationValue = string | number | boolean | readonly string[];
/** All attributes, the secret ones too. */
export type IntegrationValues = Readonly<Record<string, IntegrationValue>>;

type Opener = Pick<Secrets, 'seal' | 'open'>;

export function openedValues(secrets: Pick<Secrets, 'open'>, row: Integration): IntegrationValues {
  const sealed = row.secrets_sealed === null ? {} : JSON.parse(secrets.open(row.secrets_sealed, purpose));
  return { ...(row.properties as Record<string, IntegrationValue>), ...sealed };
}

const originOf = (address: IntegrationValue | undefined) =>
  typeof address === 'string' ? URL.parse(address)?.origin : undefined;

/** The entries of a field that holds several. */
export const entriesOf = (value: unknown): string[] =>
  typeof value === 'string' ? value.split(/[\s,;]+/).filter((entry) => entry !== '') : [];

function without(values: Record<string, IntegrationValue>, fields: readonly IntegrationField[]): void {
  for (const { name } of fields) delete values[name];
}

/**
 * What is kept: what is given over what was there. Secrets belong to the address that they were given for: with another
 * one they have to be given again.
 */
export async function mergedValues(
  definition: IntegrationDefinition,
  before: IntegrationValues,
  given: Readonly<Record<string, unknown>>,
  outbound: Pick<Outbound, 'refusal'>,
): Promise<IntegrationValues> {
  const values: Record<string, IntegrationValue> = { ...before };
  const addresses = definition.fields.filter(({ type, secret }) => type === 'url' && !secret);
  const moved = addresses.some(
    ({ name }) => given[name] !== undefined && originOf(before[name]) !== originOf(given[name] as IntegrationValue),
  );
  if (moved)
    without(
      values,
      definition.fields.filter(({ secret }) => secret),
    );
  for (const { name } of definition.fields) {
    const value = given[name];
    if (value === undefined) continue;
    if (value === null || value === '') delete values[name];
    else values[name] = value as IntegrationValue;
  }
  if (Object.keys(before).length === 0)
    for (const { name, initial } of definition.fields) if (initial !== undefined) values[name] ??= initial;
  const missing = definition.fields.filter(({ name, required }) => required && values[name] === undefined);
  if (missing.length > 0) throw invalidParameters(missing.map(({ name }) => `${name} is missing`));
  for (const { name, type, values: choices, most = Number.POSITIVE_INFINITY } of definition.fields) {
    const value = values[name];
    if (value === undefined) continue;
    if (given[name] !== undefined && entriesOf(value).length > most)
      throw invalidRecord({ [name]: [`can't have more than ${most} entries`] });
    if (choices && !choices.includes(String(value))) throw invalidParameters([`${name} does not have a valid value`]);
    if (type !== 'url' || given[name] === undefined) continue;
    if (!/^https?:$/.test(URL.parse(String(value))?.protocol ?? ''))
      throw invalidRecord({ [name]: ['must be a valid URL'] });
    // Where nothing is sent the address is only for browsers, which may reach what the instance must not.
    const refusal = definition.sends ? await outbound.refusal(String(value), 'integration') : null;
    if (refusal !== null) throw invalidRecord({ [name]: [refusal] });
  }
  return values;
}

/** What is stored of the values. */
export function storedValues(secrets: Opener, definition: IntegrationDefinition, values: IntegrationValues) {
  const secret = new Set(definition.fields.filter((field) => field.secret).map(({ name }) => name));
  const entries = Object.entries(values);
  const hidden = entries.filter(([name]) => secret.has(name));
  return {
    properties: Object.fromEntries(entries.filter(([name]) => !secret.has(name))),
    secrets_sealed: hidden.length === 0 ? null : secrets.seal(JSON.stringify(Object.fromEntries(hidden)), purpose),
  };
}
