/**
 * Settings that the ecosystem has not: limits of Millrace that an administrator sees and changes. One line each, with
 * `own: true`.
 */
import { whole } from '../row.ts';

export const own = {
  offset_pagination_limit: whole('api', 50_000, 'Highest row that pages by number reach; 0 for any', {
    own: true,
    acts: 'lists',
  }),
};
