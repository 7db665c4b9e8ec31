/** Filters of issues between the address and the API. */
import { expect, it } from 'vitest';
import { isFiltered, readIssueFilter } from './issue-filters.ts';
import { filterQuery, orderQuery } from './issue-queries.ts';

it('reads the words of the API, and the names of the ecosystem', () => {
  const filter = readIssueFilter({
    'label_name[]': 'bug',
    milestone_title: 'v1',
    'not[labels]': 'ui,api',
    page: '2',
    x: 1,
  });
  expect(filter).toMatchObject({ labels: 'bug', milestone: 'v1', 'not[labels]': 'ui,api', page: 2 });
  expect(Object.keys(filter)).not.toContain('x');
  expect(filterQuery(filter)).toEqual({
    ...{ scope: 'all', 'labels[]': ['bug'], milestone: 'v1' },
    not: { labels: 'ui,api' },
  });
});

it('an order alone is no filter', () => {
  expect(isFiltered(readIssueFilter({ sort: 'weight' }))).toBe(false);
  expect(isFiltered(readIssueFilter({ confidential: 'true' }))).toBe(true);
  expect(orderQuery({ sort: 'created_at_asc' })).toEqual({ order_by: 'created_at', sort: 'asc' });
  expect(orderQuery({ sort: 'nonsense' })).toEqual({ order_by: 'created_at', sort: 'desc' });
});
