/** The filter of accounts in addresses. */
import { expect, test } from 'vitest';
import { readUserFilter, userQuery } from './user-filter.ts';

test('the address gives what the API takes', () => {
  expect(userQuery(readUserFilter({ search: 'ada', filter: 'admins', sort: 'name_asc' }))).toEqual({
    search: 'ada',
    filter: 'admins',
    order_by: 'name',
    sort: 'asc',
  });
});

test('what the address makes up is left out', () => {
  expect(readUserFilter({ search: 42, filter: 'toString', sort: 'colour' })).toEqual({ search: '42' });
  expect(userQuery(readUserFilter({}))).toEqual({ order_by: 'id', sort: 'desc' });
});
