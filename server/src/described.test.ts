/** The OpenAPI document: valid by the standard's own schema, complete by the rules of the house, true in its examples. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it, vi } from 'vitest';
import { lint, type OpenApi, operationsOf } from '../test/openapi.ts';
import { exampleChecker, exampleFile, readExamples } from '../test/stored-examples.ts';
import { declaredRoutes, openApi } from './described.ts';
import { documentPath, routeKey } from './kernel/http/openapi/operations.ts';

// Hundreds of routes are compiled, on whatever else the machine does.
vi.setConfig({ testTimeout: 600_000 });

const examples = readExamples();
const document = openApi(examples) as unknown as OpenApi;
const operations = operationsOf(document);

describe('the OpenAPI document', () => {
  it('[1/errors/24] knows the redirect of every read that names a project or group, which may be by a former path', () => {
    for (const route of declaredRoutes()) {
      const place = route.access.on === 'project' || route.access.on === 'group';
      const at = `${route.method} ${documentPath(route.path)}`;
      const responses = operations.find((each) => each.at === at)?.operation.responses ?? {};
      expect([at, '301' in responses]).toEqual([at, place && route.method === 'GET']);
    }
  });

  it('is valid by the schema of OpenAPI 3.1', async () => {
    const result = await new Validator().validate(structuredClone(document) as unknown as Record<string, unknown>);
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
  });

  it('keeps the rules of the house', () => {
    expect(lint(document)).toEqual([]);
  });

  it('the rules of the house find what is wrong', () => {
    const broken = JSON.parse(JSON.stringify(document).replace('"in":"path"', '"in":"query"')) as OpenApi;
    expect(lint(broken).length).toBeGreaterThan(0);
    const silent = JSON.parse(JSON.stringify(document).replaceAll(/"description":"Id of the job",/g, '')) as OpenApi;
    expect(lint(silent).join('\n')).toContain('job_id: the parameter has no description');
  });

  it('has every declared route, and no other', () => {
    const declared = declaredRoutes().map(
      ({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}').replace('*', '{path}')}`,
    );
    expect(new Set(declared).size).toBe(declared.length);
    expect(operations.map(({ at }) => at).sort()).toEqual(declared.sort());
    expect(declared.length).toBeGreaterThan(100);
  });
});

/** Routes that no test can have a good answer of, with the reason. */
const withoutExample: Readonly<Record<string, string>> = {};

describe('the examples', () => {
  it('there is one for each route: npm run examples makes them from the requests of tests', () => {
    const declared = new Set(declaredRoutes().map(routeKey));
    expect([...declared].filter((key) => !(key in examples) && !(key in withoutExample))).toEqual([]);
    expect(Object.keys(examples).filter((key) => !declared.has(key))).toEqual([]);
  });

  it('fit the document: parameters, bodies and answers', () => {
    const check = exampleChecker(document);
    const wrong = Object.entries(examples).flatMap(([key, example]) =>
      check(key, example).map((difference) => `${key}: ${difference}`),
    );
    expect(wrong).toEqual([]);
  });

  it('hold nothing secret, nothing of the machine that made them, and nothing that differs from run to run', () => {
    const text = JSON.stringify(examples);
    const tokens = [...text.matchAll(/\bgl(?:pat|rt|cbt|ft|ptt|dt)-([A-Za-z0-9_]+)/g)].map((match) => match[1]);
    expect(tokens.filter((token) => token !== 'x'.repeat(20))).toEqual([]);
    expect(text).not.toMatch(/127\.0\.0\.1|localhost|\/tmp\//);
    const times = [...text.matchAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g)].map(([time]) => time);
    expect([...new Set(times)]).toEqual(['2026-01-15T09:30:00.000Z']);
  });

  it('lie in a file for each tag', () => {
    const files = new Set(document.tags.map(({ name }) => exampleFile(name)));
    expect(files.size).toBe(document.tags.length);
  });
});
