/** What the three lists of groups have in common. */
import type { Static, TObject } from 'typebox';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';
import {
  keysetPage,
  keysetUnavailable,
  mapPage,
  offsetPage,
  type Page,
  type Paged,
} from '../../../kernel/http/pagination.ts';
import { customAttributesOf } from '../custom-attributes/custom-attributes.queries.ts';
import type { NamespacesDependencies } from '../deps.ts';
import { ownedAmong } from '../namespaces/namespaces.queries.ts';
import { minimumLevel } from '../projects/projects.params.ts';
import { shownStorage } from '../projects/storages.ts';
import { groupStatistics } from '../statistics/statistics.queries.ts';
import { groupJson } from './groups.entity.ts';
import type { listParameters } from './groups.params.ts';
import { type GroupFilter, groupOrder, listGroups } from './listing.queries.ts';

type ListParameters = Partial<Static<TObject<typeof listParameters>>>;

/** Signed-in callers see where they are members, unless they ask for more; nobody is a member of a public list. */
function levelOf(params: ListParameters, caller: Caller): number | undefined {
  const asked = minimumLevel({
    ...(params.owned === undefined ? {} : { owned: params.owned }),
    ...(params.min_access_level === undefined ? {} : { min_access_level: params.min_access_level }),
  });
  if (asked !== undefined) return asked;
  if (caller.user === null || (params.all_available ?? caller.admin)) return undefined;
  return Level.minimal;
}

/** Which groups a list is about. */
type Place = Pick<
  GroupFilter,
  | 'topLevelOnly'
  | 'parentId'
  | 'ancestorId'
  | 'sharedWith'
  | 'invitedTo'
  | 'shortPaths'
  | 'idAfter'
  | 'idBefore'
  | 'none'
>;

/** Groups of a page as the caller sees them. */
function groupPresenter(deps: NamespacesDependencies) {
  const { db, externalUrl } = deps;
  return async (
    groups: readonly Namespace[],
    caller: Caller,
    options: { readonly statistics?: boolean | undefined; readonly customAttributes?: boolean | undefined } = {},
  ) => {
    const ids = groups.map(({ id }) => id);
    const restricted = groups.filter((group) => group.ip_restriction_ranges !== null).map(({ id }) => id);
    const [statistics, attributes, owned] = await Promise.all([
      options.statistics && caller.admin ? groupStatistics(db, ids) : null,
      options.customAttributes && caller.admin ? customAttributesOf(db, 'group', ids) : null,
      caller.user && !caller.admin && restricted.length > 0 ? ownedAmong(db, restricted, caller.user.id) : null,
    ]);
    return (group: Namespace) =>
      groupJson(group, {
        externalUrl,
        repositoryStorage: shownStorage(caller, deps.repositoryStorages),
        owner: caller.admin || (owned?.has(group.id) ?? false),
        statistics: statistics?.get(group.id),
        customAttributes: attributes?.get(group.id),
      });
  };
}

export function listingHandler(deps: NamespacesDependencies) {
  const { db } = deps;
  const present = groupPresenter(deps);
  return async (caller: Caller, page: Page, params: ListParameters, place: Place): Promise<Paged> => {
    const filter: GroupFilter = {
      ...place,
      minimumLevel: levelOf(params, caller),
      skip: params.skip_groups,
      search: params.search,
      visibility: params.visibility,
      active: params.active,
      archived: params.archived,
      markedForDeletionOn: params.marked_for_deletion_on,
      ...(caller.admin ? { customAttributes: params.custom_attributes } : {}),
    };
    const order = params.order_by ?? 'name';
    const { limit, offset, after } = page;
    const direction = params.sort ?? 'asc';
    const keyset = page.style === 'keyset';
    if (keyset && order === 'similarity') throw keysetUnavailable();
    const window = { order, direction, limit, offset, after };
    const { items: rows, total } = await listGroups(db, caller, filter, window, { counted: !keyset });
    const found =
      keyset && order !== 'similarity'
        ? keysetPage(page, rows, groupOrder(order, direction).cursorOf)
        : offsetPage(page, rows, total);
    const options = { statistics: params.statistics, customAttributes: params.with_custom_attributes };
    return mapPage(found, await present(found.items, caller, options));
  };
}
