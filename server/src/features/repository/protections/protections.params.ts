/** Parameters about who may: roles in one number, and lists of roles, users, groups and deploy keys. */
import Type from 'typebox';
import { invalidParameters } from '../../../kernel/http/errors.ts';
import { Bool, Int, List, Optional, Str } from '../../../kernel/http/params/schema.ts';
import type { GrantRow, GrantValues } from './protections.queries.ts';

export type GrantKind = GrantRow['kind'];

const role = 'Lowest role: 0 no one, 30 developers, 40 maintainers, 60 administrators';
const who = {
  access_level: Optional(Int({ description: role })),
  user_id: Optional(Int({ description: 'A member of the project' })),
  group_id: Optional(Int({ description: 'A group that has access to the project' })),
};
const key = { deploy_key_id: Optional(Int({ description: 'A deploy key of the project that may push' })) };
const change = {
  id: Optional(Int({ description: 'The entry to change' })),
  _destroy: Optional(Bool({ description: 'Remove the entry' })),
};
const maxItems = 100;

export const oneLevel = (what: string) => Optional(Int({ description: `${what}: ${role}` }));
export const grantsOf = (description: string) => Optional(List(Type.Object({ ...who }), { maxItems, description }));
export const grantsWithKeys = (description: string) =>
  Optional(List(Type.Object({ ...who, ...key }), { maxItems, description }));
export const changesOf = (description: string) =>
  Optional(List(Type.Object({ ...who, ...change }), { maxItems, description }));
export const changesWithKeys = (description: string) =>
  Optional(List(Type.Object({ ...who, ...key, ...change }), { maxItems, description }));

export const refName = (what: string) =>
  Str({ minLength: 1, maxLength: 1024, pattern: '\\S', description: `Name of the ${what}, or a pattern with \`*\`` });

export interface GivenGrant {
  readonly id?: number;
  readonly _destroy?: boolean;
  readonly access_level?: number;
  readonly user_id?: number;
  readonly group_id?: number;
  readonly deploy_key_id?: number;
}

/** One step of changing who may. */
export type GrantStep =
  | { readonly do: 'add'; readonly values: GrantValues }
  | { readonly do: 'change'; readonly id: number; readonly values: GrantValues }
  | { readonly do: 'remove'; readonly id: number };

const subjects = ['access_level', 'user_id', 'group_id', 'deploy_key_id'] as const;
const roles: readonly number[] = [0, 30, 40, 60];

function checkLevel(name: string, kind: GrantKind, level: number | undefined): void {
  if (level === undefined) return;
  // Where nobody may lift a protection it would stay for ever.
  if (!roles.includes(level) || (kind === 'unprotect' && level === 0))
    throw invalidParameters([`${name} does not have a valid value`]);
}

function valuesOf(name: string, kind: GrantKind, given: GivenGrant): GrantValues {
  const named = subjects.filter((subject) => given[subject] !== undefined);
  const full = (names: readonly string[]) => names.map((each) => `${name}[${each}]`).join(', ');
  if (named.length === 0)
    throw invalidParameters([`${full(subjects)} are missing, exactly one parameter must be provided`]);
  if (named.length > 1) throw invalidParameters([`${full(named)} are mutually exclusive`]);
  checkLevel(`${name}[access_level]`, kind, given.access_level);
  return {
    level: given.access_level ?? null,
    user_id: given.user_id ?? null,
    group_id: given.group_id ?? null,
    deploy_key_id: given.deploy_key_id ?? null,
  };
}

/** In a query `list[][user_id]=1&list[][group_id]=2` is one entry: both are meant. */
function apart(given: GivenGrant): GivenGrant[] {
  const named = subjects.filter((subject) => given[subject] !== undefined);
  return named.length > 1 ? named.map((subject) => ({ [subject]: given[subject] })) : [given];
}

/** What a list asks for. An entry that is only named stays as it is. */
export function stepsOf(kind: GrantKind, given: readonly GivenGrant[]): GrantStep[] {
  const name = `allowed_to_${kind}`;
  return given.flatMap((each): GrantStep[] => {
    const { id } = each;
    if (each._destroy) return id === undefined ? [] : [{ do: 'remove', id }];
    if (id === undefined) return apart(each).map((one) => ({ do: 'add', values: valuesOf(name, kind, one) }));
    if (subjects.every((subject) => each[subject] === undefined)) return [];
    return [{ do: 'change', id, values: valuesOf(name, kind, each) }];
  });
}

const byDefault = 40;

/** Who may with a new rule: the role, which is maintainers where nobody is named, and whoever is named. */
export function newGrants(
  kind: GrantKind,
  level: number | undefined,
  given: readonly GivenGrant[] | undefined,
): GrantStep[] {
  checkLevel(`${kind}_access_level`, kind, level);
  const named = stepsOf(kind, given ?? []);
  const role = level ?? (named.length === 0 ? byDefault : undefined);
  if (role === undefined) return named;
  const values = { level: role, user_id: null, group_id: null, deploy_key_id: null };
  return [{ do: 'add', values }, ...named.filter((step) => !(step.do === 'add' && step.values.level === role))];
}
