/** Every route of the web application has an address in the walk of the browser suite, which opens it and runs axe on it. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { visits, visitsSignedOut } from '../e2e/src/scenarios/page-visits.ts';
import { internalPath } from '../web/src/lib/urls.ts';

/** What is asked of the router; scripts have no types of pages. */
interface Router {
  readonly routesById: Readonly<Record<string, unknown>>;
  getMatchedRoutes(path: string): readonly [branch: readonly { readonly id: string }[], ...unknown[]];
}
const module = join(import.meta.dirname, '../web/src/router.tsx');
let router: Router;

beforeAll(async () => {
  // What the modules of pages read of the browser when they are loaded.
  vi.stubGlobal('window', { location: new URL('http://millrace.test/') });
  ({ router } = (await import(module)) as { router: Router });
});
afterAll(() => vi.unstubAllGlobals());

/** Ids do not matter: the router tells routes apart by the shape of addresses. */
const made = new Proxy({} as Parameters<typeof visits>[0], {
  get: (_made, name) => (name === 'sha' ? '0123abcd' : 1),
});

test('every route has an address in the walk', () => {
  const seen = new Set<string>();
  for (const [address] of [...visits(made), ...visitsSignedOut]) {
    const path = internalPath(new URL(address, 'http://millrace.test/').pathname);
    const [branch] = router.getMatchedRoutes(path);
    for (const { id } of branch) seen.add(id);
  }
  expect(Object.keys(router.routesById).filter((id) => !seen.has(id))).toEqual([]);
});
