/** Requests and commands of the reference's form, and its search. */
import { expect, test } from 'vitest';
import { type ApiDocument, best, type Entry, groupsOf, searched, typeWords } from './document.ts';
import { buildRequest, curlCommand, jsonProblem, missing } from './request.ts';

const text = { type: 'string' } as const;
const entry: Entry = {
  id: 'getProjectsByIdVariables',
  method: 'GET',
  path: '/projects/{id}/variables/{key}',
  operation: {
    operationId: 'getProjectsByIdVariables',
    summary: 'Get a variable',
    tags: ['CI/CD variables'],
    parameters: [
      { name: 'id', in: 'path', required: true, schema: text },
      { name: 'key', in: 'path', required: true, schema: text },
      { name: 'filter', in: 'query', style: 'deepObject', schema: { type: 'object' } },
      { name: 'scope[]', in: 'query', schema: { type: 'array', items: text } },
      { name: 'page', in: 'query', schema: { type: 'integer' } },
    ],
    responses: {},
  },
};

test('paths are encoded, lists and hashes written as the API reads them, empty fields left out', () => {
  const values = {
    'path:id': 'group/project',
    'path:key': 'A',
    'query:filter': 'environment_scope=prod/*\n',
    'query:scope[]': 'running\n\nfailed',
    'query:page': '',
  };
  const { url } = buildRequest(entry, values, '');
  expect(decodeURIComponent(url.split('?')[1] ?? '')).toBe(
    'filter[environment_scope]=prod/*&scope[]=running&scope[]=failed',
  );
  expect(url.split('?')[0]).toBe('/api/v4/projects/group%2Fproject/variables/A');
  expect(missing(entry, { 'path:id': '1' })).toEqual(['key']);
});

test('the rest of a path keeps its slashes', () => {
  const rest: Entry = {
    ...entry,
    path: '/artifacts/{path}',
    operation: { ...entry.operation, parameters: [{ name: 'path', in: 'path', required: true, schema: text }] },
  };
  expect(buildRequest(rest, { 'path:path': 'a b/c.txt' }, '').url).toBe('/api/v4/artifacts/a%20b/c.txt');
});

test('a body is JSON and only sent where the operation has one; the command quotes it for a shell', () => {
  const change: Entry = {
    ...entry,
    method: 'PUT',
    operation: { ...entry.operation, requestBody: { content: { 'application/json': {} } } },
  };
  const request = buildRequest(change, { 'path:id': '1', 'path:key': 'A' }, `{"value":"it's"}`);
  expect(request).toMatchObject({ method: 'PUT', headers: { 'Content-Type': 'application/json' } });
  expect(curlCommand(request, 'https://m.example')).toBe(
    `curl --request PUT \\
  --header "PRIVATE-TOKEN: $TOKEN" \\
  --header 'Content-Type: application/json' \\
  --data '{"value":"it'\\''s"}' \\
  'https://m.example/api/v4/projects/1/variables/A'`,
  );
  expect(buildRequest(entry, {}, '{}')).not.toHaveProperty('body');
  expect(jsonProblem('{')).not.toBeNull();
  expect(jsonProblem(' ')).toBeNull();
});

test('search finds by every word, in groups', () => {
  const document = {
    tags: [{ name: 'Jobs' }, { name: 'CI/CD variables' }],
    paths: { [entry.path]: { get: entry.operation } },
  } as unknown as ApiDocument;
  const groups = groupsOf(document);
  expect(groups.map(({ entries }) => entries.length)).toEqual([0, 1]);
  expect(searched(groups, 'GET variable').map(({ name }) => name)).toEqual(['CI/CD variables']);
  expect(searched(groups, 'variable nothing')).toEqual([]);
  expect(searched(groups, ' ')).toHaveLength(2);
  expect(best(groups, 'a variable')?.id).toBe(entry.id);
  expect(best([], 'a variable')).toBeUndefined();
});

test('types in words', () => {
  expect(typeWords({ type: ['integer', 'null'] })).toBe('integer or null');
  expect(typeWords({ type: 'array', items: { $ref: '#/components/schemas/Branch' } })).toBe('list of Branch');
  expect(typeWords({ oneOf: [{ type: 'integer' }, { type: 'string' }] })).toBe('integer or string');
});
