/** The OpenAPI document: complete, valid JSON, one id per operation. */
import { describe, expect, it } from 'vitest';
import { declaredRoutes, openApi } from './described.ts';

interface Operation {
  readonly operationId?: unknown;
  readonly parameters?: ReadonlyArray<{ readonly name: string; readonly in: string; readonly required?: boolean }>;
  readonly responses: Record<string, unknown>;
}
const document = JSON.parse(JSON.stringify(openApi())) as {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
};
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

describe('the OpenAPI document', () => {
  it('has every declared route, and no other', () => {
    const declared = declaredRoutes().map(
      ({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}').replace('*', '{path}')}`,
    );
    const documented = operations.map(
      ({ path, method }) => `${method.toUpperCase()} ${path.replace(/^\/api\/v4/, '')}`,
    );
    expect(new Set(declared).size).toBe(declared.length);
    expect(documented.sort()).toEqual(declared.sort());
    expect(declared.length).toBeGreaterThan(100);
  });

  it('names each operation once', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(ids.filter((id) => typeof id !== 'string' || id === '')).toEqual([]);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it('declares every placeholder of a path, and answers', () => {
    for (const { path, method, operation } of operations) {
      const placeholders = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const declared = (operation.parameters ?? []).filter((each) => each.in === 'path').map((each) => each.name);
      expect([method, path, declared.sort()]).toEqual([method, path, placeholders.sort()]);
      expect([method, path, Object.keys(operation.responses).length > 0]).toEqual([method, path, true]);
    }
  });

  it('refers only to schemas that it holds', () => {
    const missing = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)]
      .map((match) => match[1] ?? '')
      .filter((name) => !(name in document.components.schemas));
    expect(missing).toEqual([]);
  });
});
