/** The order of the list of merge requests, as it stands in the address. */
import { expect, it } from 'vitest';
import { mergeRequestOrder } from './merge-requests.ts';

it('the order in the address becomes order_by and sort of the API', () => {
  expect(mergeRequestOrder(undefined)).toEqual({ order_by: 'created_at', sort: 'desc' });
  expect(mergeRequestOrder('updated_desc')).toEqual({ order_by: 'updated_at', sort: 'desc' });
  expect(mergeRequestOrder('milestone_due_asc')).toEqual({ order_by: 'milestone_due', sort: 'asc' });
  expect(mergeRequestOrder('title_asc')).toEqual({ order_by: 'title', sort: 'asc' });
  expect(mergeRequestOrder('nonsense_up')).toEqual({ order_by: 'created_at', sort: 'desc' });
});
