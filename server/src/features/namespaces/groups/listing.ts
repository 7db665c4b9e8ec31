/** What the three lists of groups have in common. */
import type { Static, TObject } from 'typebox';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import {
  keysetPage,
  keysetUnavailable,
  mapPage,
  offsetPage,
  type Page,
  type Paged,
} from '../../../kernel/http/pagination.ts';
import type { NamespacesDependencies } from '../deps.ts';
import { minimumLevel } from '../projects/projects.params.ts';
import { groupJson } from './groups.entity.ts';
import type { listParameters } from './groups.params.ts';
import { groupStatistics } from './groups.queries.ts';
import { countGroups, type GroupFilter, groupOrder, listGroups } from './listing.queries.ts';

type ListParameters = Static<TObject<typeof listParameters>>;

/** Signed-in callers see where they are members, unless they ask for more; nobody is a member of a public list. */
function levelOf(params: ListParameters, caller: Caller): number | undefined {
  const asked = minimumLevel({
    ...(params.owned === undefined ? {} : { owned: params.owned }),
    ...(params.min_access_level === undefined ? {} : { min_access_level: params.min_access_level }),
  });
  if (asked !== undefined) return asked;
  if (caller.user === null || (params.all_available ?? caller.admin)) return undefined;
  return Level.guest;
}

/** Which groups a list is about. */
type Place = Pick<
  GroupFilter,
  'topLevelOnly' | 'parentId' | 'ancestorId' | 'shortPaths' | 'idAfter' | 'idBefore' | 'none'
>;

export function listingHandler(deps: NamespacesDependencies) {
  const { db, externalUrl } = deps;
  return async (caller: Caller, page: Page, params: ListParameters, place: Place): Promise<Paged> => {
    const filter: GroupFilter = {
      ...place,
      minimumLevel: levelOf(params, caller),
      skip: params.skip_groups,
      search: params.search,
      visibility: params.visibility,
    };
    const order = params.order_by ?? 'name';
    const { limit, offset, after } = page;
    const direction = params.sort ?? 'asc';
    const keyset = page.style === 'keyset';
    if (keyset && order === 'similarity') throw keysetUnavailable();
    const [rows, total] = await Promise.all([
      listGroups(db, caller, filter, { order, direction, limit, offset, after }),
      keyset ? null : countGroups(db, caller, filter),
    ]);
    const found =
      keyset && order !== 'similarity'
        ? keysetPage(page, rows, groupOrder(order, direction).cursorOf)
        : offsetPage(page, rows, total);
    const ids = found.items.map(({ id }) => id);
    const statistics = params.statistics && caller.admin ? await groupStatistics(db, ids) : null;
    return mapPage(found, (group) =>
      groupJson(group, {
        externalUrl,
        repositoryStorage: caller.admin ? deps.repositoryStorage : null,
        statistics: statistics?.get(group.id),
      }),
    );
  };
}
