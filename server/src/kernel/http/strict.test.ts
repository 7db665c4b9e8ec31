/** The strict comparison of answers with their schema. */
import Type from 'typebox';
import { expect, it } from 'vitest';
import {
  Day,
  Decimal,
  Entity,
  Fields,
  Flag,
  Id,
  ListOf,
  MapOf,
  Nullable,
  Sometimes,
  Text,
  Timestamp,
} from './entity.ts';
import { strictDifferences } from './strict.ts';

const Thing = Entity('Thing', {
  id: Id(),
  at: Nullable(Timestamp()),
  day: Nullable(Day()),
  share: Decimal(),
  part: Nullable(Fields({ name: Text(), on: Sometimes(Flag()) })),
  labels: MapOf(Text()),
});
const exact = { id: 1, at: new Date(), day: null, share: 1, part: { name: 'a' }, labels: { any: 'key' } };

it('finds nothing in what is exact', () => {
  expect(strictDifferences(ListOf(Thing), [exact, { ...exact, part: null, share: 0.5, extra: undefined }])).toEqual([]);
});

it('names what would be dropped, what is missing and what has another type, with its path', () => {
  const { share: _, ...missing } = exact;
  expect(strictDifferences(Thing, missing)).toEqual(['body.share is required and has no value']);
  expect(strictDifferences(ListOf(Thing), [{ ...exact, part: { name: 'a', off: 1 } }])).toEqual([
    'body[0].part.off is not declared and would be dropped',
  ]);
  expect(strictDifferences(Thing, { ...exact, id: '1' })).toEqual(['body.id is string instead of integer']);
  expect(strictDifferences(Thing, { ...exact, labels: { a: 1 } })).toEqual([
    'body.labels.a is integer instead of string',
  ]);
  expect(strictDifferences(Thing, null)).toEqual(['body is null instead of object']);
});

it('accepts any of several shapes', () => {
  const either = Type.Union([Thing, Type.Boolean()]);
  expect(strictDifferences(either, true)).toEqual([]);
  expect(strictDifferences(either, exact)).toEqual([]);
  expect(strictDifferences(either, 3)).toHaveLength(1);
});
