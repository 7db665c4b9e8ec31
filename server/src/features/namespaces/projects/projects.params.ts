/** Parameters of lists of projects. */
import type { Static, TObject } from 'typebox';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { invalidParameters } from '../../../kernel/http/errors.ts';
import {
  Bool,
  DateParam,
  DateTimeParam,
  Hash,
  IdOrPath,
  Int,
  List,
  OneOf,
  Optional,
  Str,
} from '../../../kernel/http/params/schema.ts';
import { visibilities } from '../naming/naming.ts';
import type { ProjectFilter } from './listing.queries.ts';
import type { ListOptions } from './listing.ts';

const orders = [
  'id',
  'name',
  'path',
  'created_at',
  'updated_at',
  'last_activity_at',
  'similarity',
  'star_count',
  'repository_size',
  'storage_size',
  'packages_size',
  'wiki_size',
] as const;
/** Orders that only administrators may ask for; for others the usual one. */
const adminOrders: ReadonlySet<string> = new Set(['repository_size', 'storage_size', 'packages_size', 'wiki_size']);

/** Filters that every list of projects knows. */
export const listParameters = {
  archived: Optional(Bool({ description: 'Only archived projects, or only those that are not' })),
  visibility: Optional(OneOf(visibilities, { description: 'Who may see it' })),
  order_by: Optional(OneOf(orders, { description: 'Default `created_at`; sizes for administrators only' })),
  sort: Optional(OneOf(['asc', 'desc'], { description: 'Default `desc`' })),
  search: Optional(Str({ description: 'Only those whose name or description contains this text' })),
  simple: Optional(Bool({ default: false, description: 'The short form' })),
  owned: Optional(Bool({ default: false, description: 'Only those that the caller owns' })),
  topic: Optional(List(Str(), { commas: true, description: 'All of these' })),
  topic_id: Optional(Int({ description: 'The same by the id of one topic' })),
  starred: Optional(Bool({ default: false, description: 'Only those that the caller starred' })),
  with_issues_enabled: Optional(Bool({ default: false, description: 'Only projects with issues switched on' })),
  with_merge_requests_enabled: Optional(
    Bool({ default: false, description: 'Only projects with merge requests switched on' }),
  ),
  min_access_level: Optional(Int({ description: 'The lowest level of the caller' })),
  with_custom_attributes: Optional(Bool({ default: false, description: 'Administrators only' })),
  custom_attributes: Optional(Hash(Str(), { description: 'Administrators only: values that they must have' })),
};

/** Filters of the instance-wide list and of a user's projects. */
export const wideListParameters = {
  ...listParameters,
  active: Optional(Bool({ description: 'Neither archived nor waiting for removal' })),
  search_namespaces: Optional(Bool({ description: 'Also search in the paths of namespaces' })),
  membership: Optional(Bool({ default: false, description: "The caller's own" })),
  statistics: Optional(Bool({ default: false, description: 'Also give sizes; for reporters and above' })),
  id_after: Optional(Int({ description: 'Only those with an id above this' })),
  id_before: Optional(Int({ description: 'Only those with an id below this' })),
  last_activity_after: Optional(DateTimeParam({ description: 'Only those with activity at or after this time' })),
  last_activity_before: Optional(DateTimeParam({ description: 'Only those with activity at or before this time' })),
  updated_after: Optional(DateTimeParam({ description: 'Only those changed at or after this time' })),
  updated_before: Optional(DateTimeParam({ description: 'Only those changed at or before this time' })),
  marked_for_deletion_on: Optional(DateParam({ description: 'Only those that wait for removal since this day' })),
  repository_storage: Optional(Str({ description: 'Administrators only' })),
  imported: Optional(Bool({ default: false, description: 'Only those that the caller brought from elsewhere' })),
  with_programming_language: Optional(Str({ description: 'Only those with code in this language' })),
  include_pending_delete: Optional(
    Bool({ default: false, description: 'Also those that are being removed; administrators only' }),
  ),
};

type ListParameters = Static<TObject<typeof listParameters>>;
type WideListParameters = Static<TObject<typeof wideListParameters>>;

const grantable = [5, 10, 15, 20, 30, 40, 50];

/** A role that is asked for, as it is; 400 with the parameter's name for what is none. */
export function askedLevel(name: string, value: number | undefined): number | undefined {
  if (value !== undefined && !grantable.includes(value))
    throw invalidParameters([`${name} does not have a valid value`]);
  return value;
}

/** The caller's lowest level that a list asks for; undefined for everything visible. */
export function minimumLevel(params: {
  readonly owned?: boolean;
  readonly membership?: boolean;
  readonly min_access_level?: number;
}): number | undefined {
  const wanted = askedLevel('min_access_level', params.min_access_level);
  const levels = [wanted ?? 0, params.owned ? 50 : 0, params.membership ? 10 : 0];
  const highest = Math.max(...levels);
  return highest === 0 ? undefined : highest;
}

export function filterOf(params: ListParameters, caller: Caller): ProjectFilter {
  return {
    archived: params.archived,
    visibility: params.visibility,
    search: params.search,
    topics: params.topic,
    topicId: params.topic_id,
    // Nobody in particular has starred nothing.
    starredBy: params.starred ? (caller.user?.id ?? 0) : undefined,
    issuesEnabled: params.with_issues_enabled,
    mergeRequestsEnabled: params.with_merge_requests_enabled,
    minimumLevel: minimumLevel(params),
    ...(caller.admin ? { customAttributes: params.custom_attributes } : {}),
  };
}

export function wideFilterOf(params: WideListParameters, caller: Caller): ProjectFilter {
  return {
    ...filterOf(params, caller),
    importedBy: params.imported ? (caller.user?.id ?? 0) : undefined,
    // Empty asks for nothing.
    language: params.with_programming_language || undefined,
    includePendingDelete: caller.admin && params.include_pending_delete === true,
    minimumLevel: minimumLevel(params),
    active: params.active,
    searchNamespaces: params.search_namespaces,
    idAfter: params.id_after,
    idBefore: params.id_before,
    activityAfter: params.last_activity_after,
    activityBefore: params.last_activity_before,
    updatedAfter: params.updated_after,
    updatedBefore: params.updated_before,
    markedForDeletionOn: params.marked_for_deletion_on,
    ...(caller.admin ? { repositoryStorage: params.repository_storage } : {}),
  };
}

/** How a list is ordered and told. */
export const listOptions = (
  params: ListParameters & { readonly statistics?: boolean },
  caller: Caller,
): ListOptions => ({
  order:
    params.order_by !== undefined && adminOrders.has(params.order_by) && !caller.admin ? undefined : params.order_by,
  direction: params.sort,
  simple: params.simple,
  statistics: params.statistics,
  customAttributes: params.with_custom_attributes,
});

export const projectId = { id: IdOrPath('Project') };
