/** Serialisers of responses: what they are made of, and that the same is made once. */
import Type from 'typebox';
import { expect, it } from 'vitest';
import { serialiser } from './serialise.ts';

const made = (limit?: number) =>
  Type.Object({
    id: Type.Integer(),
    of: Type.Union([Type.Object({ name: Type.String(limit === undefined ? {} : { maxLength: limit }) }), Type.Null()]),
  });

it('writes what is declared and nothing else', () => {
  const write = serialiser(made());
  expect(write({ id: 1, of: { name: 'x', secret: 'y' }, secret: 'z' })).toBe('{"id":1,"of":{"name":"x"}}');
  expect(write({ id: 1, of: null })).toBe('{"id":1,"of":null}');
  expect(() => write({ of: null })).toThrow('id');
});

it('is compiled once for all schemas that say the same, and for each that says something else', () => {
  const all = [made(), made(), made(3), Type.Array(made())].map((schema) => serialiser(schema));
  expect(all[1]).toBe(all[0]);
  expect(new Set(all).size).toBe(3);
});
