/** Parameter names, coercion and the reasons given. */
import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { HttpError } from '../errors.ts';
import { parseUrlEncoded, type RawObject } from './nested.ts';
import {
  Bool,
  DateParam,
  DateTimeParam,
  Float,
  Hash,
  Int,
  List,
  OneOf,
  OneOrMore,
  Optional,
  OrNull,
  Str,
} from './schema.ts';
import { parseDateTime, validateParameters } from './validate.ts';

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const parse = (text: string) => plain(parseUrlEncoded(text));
const reason = (run: () => unknown): unknown => {
  try {
    run();
  } catch (error) {
    if (error instanceof HttpError) return error.body;
    throw error;
  }
  return 'accepted';
};

describe('names of form and query parameters', () => {
  it('[1/what-the-service-does/6 name[]=<value>] repeats are arrays, brackets with a key are hashes', () => {
    expect(parse('a[]=1&a[]=2&b[x]=3&b[y][z]=4&c=5')).toEqual({ a: ['1', '2'], b: { x: '3', y: { z: '4' } }, c: '5' });
    expect(parse('not[labels]=bug&filter%5Benvironment_scope%5D=production')).toEqual({
      not: { labels: 'bug' },
      filter: { environment_scope: 'production' },
    });
  });

  it('arrays of hashes start a new element where a key repeats, as Ruby clients send them', () => {
    expect(
      parse('actions[][action]=create&actions[][file_path]=a&actions[][action]=delete&actions[][file_path]=b'),
    ).toEqual({
      actions: [
        { action: 'create', file_path: 'a' },
        { action: 'delete', file_path: 'b' },
      ],
    });
    expect(parse('position[line_range][start][line_code]=x_1_2')).toEqual({
      position: { line_range: { start: { line_code: 'x_1_2' } } },
    });
  });

  it('decodes plus and percent, keeps the last of equal scalars, and takes an odd name literally', () => {
    expect(parse('q=a+b%2Bc&q=d&x[=1&[]=2&=3')).toEqual({ q: 'd', 'x[': '1', '[]': '2' });
  });

  it('refuses a name that is both a value and a structure, deep nesting, and bad encoding', () => {
    expect(reason(() => parseUrlEncoded('a=1&a[]=2'))).toEqual({ message: expect.stringContaining('parameter a') });
    expect(reason(() => parseUrlEncoded(`a${'[x]'.repeat(40)}=1`))).toEqual({ message: expect.stringContaining('32') });
    expect(reason(() => parseUrlEncoded('a=%ff'))).toEqual({ message: expect.stringContaining('percent-encoded') });
  });

  it('[1/what-the-service-does/6] does not reach prototypes', () => {
    parseUrlEncoded('__proto__[polluted]=1&constructor[prototype][polluted]=1');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

const schema = Type.Object({
  id: Int(),
  name: Optional(Str({ maxLength: 5 })),
  flag: Optional(Bool()),
  ratio: Optional(Float()),
  at: Optional(DateTimeParam()),
  on: Optional(DateParam()),
  state: Optional(OneOf(['opened', 'closed'])),
  labels: Optional(List(Str(), { commas: true })),
  ids: Optional(List(Int())),
  scope: Optional(OneOrMore(OneOf(['pending', 'running']))),
  env: Optional(Hash(Str())),
  limit: Optional(Int({ minimum: 1, default: 20 })),
  parent: Optional(OrNull(Int())),
  steps: Optional(List(Type.Object({ action: Str(), force: Optional(Bool()) }))),
});
const text = (query: string) => plain(validateParameters(schema, parseUrlEncoded(query), new Set()));
const json = (body: unknown) =>
  plain(validateParameters(schema, body as RawObject, new Set(Object.keys(body as object))));

describe('validation', () => {
  it('coerces text, gives defaults, drops what is not declared', () => {
    expect(text('id=7&flag=True&ratio=1.5&labels=a,b&ids[]=1&ids[]=2&unknown=1&on=2026-01-31')).toEqual({
      id: 7,
      flag: true,
      ratio: 1.5,
      labels: ['a', 'b'],
      ids: [1, 2],
      limit: 20,
      on: '2026-01-31',
    });
    for (const word of ['true', '1', 'yes', 'on', 'True'])
      expect(text(`id=1&flag=${word}`)).toMatchObject({ flag: true });
    for (const word of ['false', '0', 'no', 'off', 'False'])
      expect(text(`id=1&flag=${word}`)).toMatchObject({ flag: false });
  });

  it('[1/errors/7] names every reason in one message', () => {
    expect(reason(() => text('flag=maybe&state=x&limit=0&name=toolong'))).toEqual({
      error:
        'id is missing, name is too long (maximum is 5 characters), flag is invalid, state does not have a valid value, limit does not have a valid value',
    });
  });

  it('[1/errors/7] security 4 12: an array or a hash where a scalar is expected is refused, in text and in JSON', () => {
    expect(reason(() => text('id=1&name[]=a'))).toEqual({ error: 'name is invalid' });
    expect(reason(() => text('id=1&name[x]=a'))).toEqual({ error: 'name is invalid' });
    expect(reason(() => json({ id: 1, name: ['a'] }))).toEqual({ error: 'name is invalid' });
    expect(reason(() => json({ id: [1] }))).toEqual({ error: 'id is invalid' });
  });

  it('takes JSON strictly, null as not given, and null as null only where the schema says so', () => {
    expect(reason(() => json({ id: '1' }))).toEqual({ error: 'id is invalid' });
    expect(reason(() => json({ id: null }))).toEqual({ error: 'id is missing' });
    expect(json({ id: 1, name: null, parent: null })).toEqual({ id: 1, parent: null, limit: 20 });
    expect(text('id=1&parent=')).toEqual({ id: 1, parent: null, limit: 20 });
  });

  it('accepts a scalar or a list for OneOrMore, and names nested places', () => {
    expect(text('id=1&scope=pending')).toMatchObject({ scope: ['pending'] });
    expect(text('id=1&scope[]=pending&scope[]=running')).toMatchObject({ scope: ['pending', 'running'] });
    expect(reason(() => text('id=1&scope=odd'))).toEqual({ error: 'scope does not have a valid value' });
    expect(reason(() => json({ id: 1, steps: [{ action: 'a' }, { force: true }] }))).toEqual({
      error: 'steps[1][action] is missing',
    });
    expect(reason(() => text('id=1&env=x'))).toEqual({ error: 'env is invalid' });
  });

  it('refuses NUL bytes, unsafe integers and too many elements', () => {
    expect(reason(() => text('id=1&name=a%00b'))).toEqual({ error: 'name is invalid' });
    expect(reason(() => text('id=99999999999999999999'))).toEqual({ error: 'id is invalid' });
    expect(reason(() => json({ id: 1, ids: Array.from({ length: 10_001 }, () => 1) }))).toEqual({
      error: 'ids has more than 10000 elements',
    });
  });
});

describe('date-times', () => {
  it('[1/what-the-service-does/7] reads ISO 8601 with and without fraction and offset, and plain dates', () => {
    const iso = (value: string) => parseDateTime(value)?.toISOString();
    expect(iso('2024-02-29T10:20:30Z')).toBe('2024-02-29T10:20:30.000Z');
    expect(iso('2024-02-29T10:20:30.123456+02:00')).toBe('2024-02-29T08:20:30.123Z');
    expect(iso('2024-02-29T10:20:30 0200')).toBe('2024-02-29T08:20:30.000Z');
    expect(iso('2024-02-29')).toBe('2024-02-29T00:00:00.000Z');
    for (const bad of ['2023-02-29', 'yesterday', '2024-13-01', '12', '']) expect(iso(bad)).toBeUndefined();
  });
});
