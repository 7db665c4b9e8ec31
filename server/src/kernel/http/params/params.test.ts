/** Parameter names, coercion and the reasons given. */
import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { HttpError } from '../errors.ts';
import { parseDateTime } from './dates.ts';
import { allOrNoneOf, atLeastOneOf, exactlyOneOf, mutuallyExclusive } from './groups.ts';
import { parseUrlEncoded, type RawObject, uploadedFile } from './nested.ts';
import {
  Bool,
  DateParam,
  DateTimeParam,
  FileParam,
  Float,
  Hash,
  Int,
  List,
  OneOf,
  OneOrMore,
  Optional,
  OrNull,
  rules,
  Str,
} from './schema.ts';
import { validateParameters } from './validate.ts';

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
  it('[1/what-the-service-does/6 name[]=<value>, name[key]=<value>] repeats are arrays, brackets with a key are hashes', () => {
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
    expect(parse('variables[][key]=A&variables[][value]=1&variables[][key]=B&variables[][value]=2')).toEqual({
      variables: [
        { key: 'A', value: '1' },
        { key: 'B', value: '2' },
      ],
    });
    expect(parse('a[][b][]=1&a[][b][]=2&a[][c][d]=3&a[][c][d]=4')).toEqual({
      a: [{ b: ['1', '2'], c: { d: '3' } }, { c: { d: '4' } }],
    });
  });

  it('decodes plus and percent, keeps the last of equal scalars, and takes an odd name literally', () => {
    expect(parse('q=a+b%2Bc&q=d&x[=1&[]=2&=3')).toEqual({ q: 'd', 'x[': '1', '[]': '2' });
  });

  it('refuses a name that is both a value and a structure, deep nesting, and bad encoding', () => {
    expect(reason(() => parseUrlEncoded('a=1&a[]=2'))).toEqual({ message: expect.stringContaining('parameter a') });
    expect(reason(() => parseUrlEncoded(`a${'[x]'.repeat(40)}=1`))).toEqual({
      message: expect.stringContaining('deeper than 32 (max_parameter_depth)'),
    });
    expect(reason(() => parseUrlEncoded('a=1&'.repeat(6), { maxParameters: 5, maxParameterDepth: 3 }))).toEqual({
      message: '400 Bad request - more than 5 parameters (max_parameters)',
    });
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
    for (const word of ['true', '1', 'yes', 'on', 'True', 'TRUE', 't', 'y'])
      expect(text(`id=1&flag=${word}`)).toMatchObject({ flag: true });
    for (const word of ['false', '0', 'no', 'off', 'False', 'FALSE', 'f', 'n'])
      expect(text(`id=1&flag=${word}`)).toMatchObject({ flag: false });
  });

  it('parts the elements of arrays of what holds no commas', () => {
    const titles = Type.Object({ titles: List(Str(), { commas: 'each' }) });
    const check = (body: RawObject) => plain(validateParameters(titles, body, new Set(Object.keys(body))));
    expect(check({ titles: ['a', 'b, c,', '', 1] })).toEqual({ titles: ['a', 'b', 'c', '1'] });
    expect(plain(validateParameters(titles, parseUrlEncoded('titles[]=a,b&titles[]=c'), new Set()))).toEqual({
      titles: ['a', 'b', 'c'],
    });
  });

  it('takes a day, a number or a switch away with an empty text, in JSON, too', () => {
    const days = Type.Object({
      due: Optional(OrNull(DateParam())),
      until: Optional(OrNull(DateTimeParam())),
      since: Optional(DateParam()),
    });
    const check = (body: RawObject) => plain(validateParameters(days, body, new Set(Object.keys(body))));
    expect(check({ due: '', until: '' })).toEqual({ due: null, until: null });
    expect(reason(() => check({ since: '' }))).toEqual({ error: 'since is invalid' });
    expect(reason(() => check({ due: ' ', until: 0 }))).toEqual({ error: 'due is invalid, until is invalid' });
    const values = Type.Object({
      milestone: Optional(OrNull(Int())),
      locked: Optional(OrNull(Bool())),
      title: Optional(OrNull(Str())),
    });
    const given = { milestone: '', locked: '', title: '' };
    expect(plain(validateParameters(values, given, new Set(Object.keys(given))))).toEqual({
      milestone: null,
      locked: null,
      title: '',
    });
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

  it('takes null as not given, and as null only where the schema says so', () => {
    expect(reason(() => json({ id: null }))).toEqual({ error: 'id is missing' });
    expect(json({ id: 1, name: null, parent: null })).toEqual({ id: 1, parent: null, limit: 20 });
    expect(text('id=1&parent=')).toEqual({ id: 1, parent: null, limit: 20 });
  });

  it('[1/what-the-service-does/6] takes numbers and booleans as text in JSON, written plainly, and nothing else', () => {
    expect(
      json({ id: '7', flag: 'true', ratio: '1.5', ids: ['1', 2], steps: [{ action: 'a', force: 'false' }] }),
    ).toEqual({
      id: 7,
      flag: true,
      ratio: 1.5,
      ids: [1, 2],
      limit: 20,
      steps: [{ action: 'a', force: false }],
    });
    for (const bad of ['', ' 7', '+7', '7.0', '0x7', '1e3', 'seven', true, {}, ['7'], 7.5])
      expect([bad, reason(() => json({ id: bad }))]).toEqual([bad, { error: 'id is invalid' }]);
    expect(json({ id: 1, flag: 1, steps: [{ action: 'a', force: 0 }] })).toMatchObject({
      flag: true,
      steps: [{ action: 'a', force: false }],
    });
    for (const bad of ['', 'yes', '1', 'True', 2, -1, 0.5, {}, [true], [1]])
      expect([bad, reason(() => json({ id: 1, flag: bad }))]).toEqual([bad, { error: 'flag is invalid' }]);
    for (const bad of ['', '1e3', '.', 'NaN', 'Infinity'])
      expect([bad, reason(() => json({ id: 1, ratio: bad }))]).toEqual([bad, { error: 'ratio is invalid' }]);
    for (const bad of [{}, ['a'], 2 ** 60, 1e300])
      expect([bad, reason(() => json({ id: 1, name: bad }))]).toEqual([bad, { error: 'name is invalid' }]);
    for (const [sent, taken] of [
      [5, '5'],
      [-1.5, '-1.5'],
      [0, '0'],
      [true, 'true'],
      [false, 'false'],
    ])
      expect(json({ id: 1, name: sent })).toMatchObject({ name: taken });
    expect(reason(() => json({ id: 1, name: 1234567 }))).toEqual({
      error: 'name is too long (maximum is 5 characters)',
    });
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

  it('tells at most fifty reasons, with names cut short: both are as many and as long as the client likes', () => {
    const steps = Array.from({ length: 1000 }, () => ({}));
    const told = reason(() => json({ id: 1, steps })) as { error: string };
    expect(told.error.split(', ')).toHaveLength(50);
    const long = reason(() => json({ id: 1, env: { ['x'.repeat(100_000)]: {} } })) as { error: string };
    expect(long.error.length).toBeLessThan(300);
  });

  it('refuses NUL bytes, halves of characters, unsafe integers and too many elements', () => {
    expect(reason(() => text('id=1&name=a%00b'))).toEqual({ error: 'name is invalid' });
    expect(reason(() => text('id=1&env[a%00]=b'))).toEqual({ error: 'env is invalid' });
    expect(reason(() => json({ id: 1, name: '\ud800' }))).toEqual({ error: 'name is invalid' });
    expect(reason(() => text('id=99999999999999999999'))).toEqual({ error: 'id is invalid' });
    expect(reason(() => json({ id: 1, ids: Array.from({ length: 10_001 }, () => 1) }))).toEqual({
      error: 'ids has more than 10000 elements',
    });
  });
});

describe('rules over several parameters', () => {
  const member = Type.Object(
    { user_id: Optional(Int()), username: Optional(Str()), level: Optional(Int({ default: 1 })) },
    rules(exactlyOneOf('user_id', 'username')),
  );
  const check = (declared: Parameters<typeof validateParameters>[0], query: string) =>
    reason(() => validateParameters(declared, parseUrlEncoded(query), new Set()));

  it('[1/errors/7] say what is missing and what excludes each other', () => {
    expect(check(member, '')).toEqual({
      error: 'user_id, username are missing, exactly one parameter must be provided',
    });
    expect(check(member, 'user_id=1&username=a')).toEqual({ error: 'user_id, username are mutually exclusive' });
    expect(check(member, 'user_id=1')).toBe('accepted');
    expect(check(member, 'user_id=x')).toEqual({ error: 'user_id is invalid' });
    const any = Type.Object(
      { a: Optional(Int({ default: 1 })), b: Optional(Int()), c: Optional(Int()) },
      rules(atLeastOneOf('a', 'b'), mutuallyExclusive('a', 'b', 'c'), allOrNoneOf('b', 'c')),
    );
    expect(check(any, '')).toEqual({ error: 'a, b are missing, at least one parameter must be provided' });
    expect(check(any, 'a=1')).toBe('accepted');
    expect(check(any, 'b=1&c=1')).toEqual({ error: 'b, c are mutually exclusive' });
    expect(check(any, 'a=1&b=1')).toEqual({
      error: 'a, b are mutually exclusive, b, c provide all or none of parameters',
    });
  });
});

describe('files', () => {
  const declared = Type.Object({
    avatar: Optional(OrNull(FileParam())),
    files: Optional(List(FileParam())),
    name: Optional(Str()),
    ids: Optional(List(Int())),
    any: Optional(Type.Unsafe<unknown>({})),
  });
  const file = uploadedFile({
    path: '/tmp/x',
    filename: 'x.png',
    contentType: 'image/png',
    size: 1,
    sha256: Buffer.alloc(32),
  });
  const check = (raw: RawObject, keys: string[] = []) => validateParameters(declared, raw, new Set(keys));

  it('[2/api.secure-files] an upload is only what was uploaded: text, and a hash that claims to be one, are refused', () => {
    expect(check({ avatar: file, files: [file] })).toMatchObject({ avatar: file, files: [file] });
    const claim = { kind: 'file', path: '/etc/passwd', filename: 'x', contentType: 'x', size: 1, sha256: 'x' };
    for (const raw of [claim, 'text', [file], 5])
      for (const keys of [[], ['avatar']])
        expect(reason(() => check({ avatar: raw }, keys))).toEqual({ error: 'avatar is invalid' });
  });

  it('an upload where something else is expected is refused', () => {
    expect(reason(() => check({ name: file }))).toEqual({ error: 'name is invalid' });
    expect(reason(() => check({ ids: [file] }))).toEqual({ error: 'ids is invalid' });
    expect(reason(() => check({ any: { inside: file } }))).toEqual({ error: 'any is invalid' });
  });

  it('an empty avatar is null in every kind of body: it removes the picture', () => {
    expect(check({ avatar: '' })).toEqual({ avatar: null });
    expect(check({ avatar: '' }, ['avatar'])).toEqual({ avatar: null });
    expect(check({ name: 'x' })).toEqual({ name: 'x' });
  });
});

describe('date-times', () => {
  it('[1/what-the-service-does/7 Z, YYYY-MM-DDTHH:MM:SSZ, YYYY-MM-DD] reads ISO 8601 with and without fraction and offset, and plain dates', () => {
    const iso = (value: string) => parseDateTime(value)?.toISOString();
    expect(iso('2024-02-29T10:20:30Z')).toBe('2024-02-29T10:20:30.000Z');
    expect(iso('2024-02-29T10:20:30.123456+02:00')).toBe('2024-02-29T08:20:30.123Z');
    expect(iso('2024-02-29T10:20:30 0200')).toBe('2024-02-29T08:20:30.000Z');
    expect(iso('2024-02-29')).toBe('2024-02-29T00:00:00.000Z');
    expect(iso('2024-02-29T10:20Z')).toBe('2024-02-29T10:20:00.000Z');
    for (const bad of [
      '2023-02-29',
      '2026-02-30',
      '2026-02-30T10:00:00Z',
      'yesterday',
      '2024-13-01',
      '12',
      '',
      '0000-01-01',
    ])
      expect(iso(bad)).toBeUndefined();
    expect(iso(`2024-02-29${' '.repeat(1_000_000)}`)).toBeUndefined();
    expect(reason(() => text('id=1&at=2026-02-30&on=2026-02-30'))).toEqual({ error: 'at is invalid, on is invalid' });
  });
});
