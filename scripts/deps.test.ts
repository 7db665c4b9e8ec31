/** Every import rule fires on a file that breaks it, and on none that does not. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { afterAll, beforeAll, expect, test } from 'vitest';

type Config = { forbidden: { name: string }[]; options: object };
const config = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as Config;

type Import = [rule: string, from: string, to: string];

/** From a file to a file of ours (with a slash) or to a module. */
const violations: Import[] = [
  ['packages-stand-alone', 'packages/git/src/a.ts', 'packages/postgres/src/index.ts'],
  ['packages-stand-alone', 'packages/ci-config/src/a.ts', 'server/src/kernel/names.ts'],
  ['runner-uses-only-the-client', 'packages/runner/src/a.ts', 'packages/git/src/index.ts'],
  ['packages-through-their-face', 'server/src/kernel/b.ts', 'packages/git/src/inner.ts'],
  ['packages-through-their-face', 'packages/runner/src/b.ts', 'packages/api-client/src/inner.ts'],
  ['ci-config-is-pure', 'packages/ci-config/src/b.ts', 'node:fs'],
  ['kernel-knows-no-feature', 'server/src/kernel/http/a.ts', 'server/src/features/ci/jobs/index.ts'],
  [
    'domains-through-an-index',
    'server/src/features/ci/jobs/a.ts',
    'server/src/features/identity/users/users.queries.ts',
  ],
  [
    'transport-through-feature-index',
    'server/src/transport/ssh/a.ts',
    'server/src/features/identity/users/users.queries.ts',
  ],
  [
    'feature-order-identity',
    'server/src/features/identity/users/a.ts',
    'server/src/features/namespaces/groups/index.ts',
  ],
  [
    'feature-order-namespaces',
    'server/src/features/namespaces/groups/a.ts',
    'server/src/features/repository/commits/index.ts',
  ],
  ['feature-order-repository', 'server/src/features/repository/commits/a.ts', 'server/src/features/ci/jobs/index.ts'],
  ['feature-order-ci', 'server/src/features/ci/jobs/c.ts', 'server/src/features/review/merge-requests/index.ts'],
  [
    'feature-order-collaboration',
    'server/src/features/collaboration/labels/a.ts',
    'server/src/features/repository/commits/index.ts',
  ],
  [
    'feature-order-review',
    'server/src/features/review/merge-requests/a.ts',
    'server/src/features/planning/issues/index.ts',
  ],
  ['feature-order-planning', 'server/src/features/planning/issues/a.ts', 'server/src/features/admin/settings/index.ts'],
  [
    'feature-order-delivery',
    'server/src/features/delivery/releases/a.ts',
    'server/src/features/activity/events/index.ts',
  ],
  [
    'feature-order-security',
    'server/src/features/security/findings/a.ts',
    'server/src/features/activity/events/index.ts',
  ],
  [
    'feature-order-activity',
    'server/src/features/activity/events/a.ts',
    'server/src/features/portability/forks/index.ts',
  ],
  [
    'feature-order-portability',
    'server/src/features/portability/forks/a.ts',
    'server/src/features/admin/settings/index.ts',
  ],
  ['features-below-the-root', 'server/src/features/ci/jobs/d.ts', 'server/src/app.ts'],
  ['transport-below-the-root', 'server/src/transport/ssh/b.ts', 'server/src/main.ts'],
  ['web-uses-only-the-client', 'web/src/a.ts', 'packages/ci-config/src/index.ts'],
  ['cli-imports', 'cli/src/a.ts', 'server/src/app.ts'],
  ['e2e-is-a-black-box', 'e2e/src/a.ts', 'packages/api-client/src/index.ts'],
  ['server-imports', 'server/src/a.ts', 'cli/src/millrace.ts'],
  ['processes-in-four-places', 'server/src/kernel/http/b.ts', 'node:child_process'],
  ['processes-in-four-places', 'cli/src/b.ts', 'node:child_process'],
  ['sql-in-queries', 'server/src/features/ci/jobs/jobs.service.ts', 'kysely'],
  ['queue-behind-the-kernel', 'server/src/features/ci/jobs/jobs.queries.ts', 'graphile-worker'],
  ['environment-in-entry-points', 'server/src/kernel/c.ts', 'node:process'],
  ['product-without-tests', 'server/src/kernel/d.ts', 'server/test/factories.ts'],
  ['no-cycles', 'web/src/x.ts', 'web/src/y.ts'],
];

const allowed: [from: string, to: string][] = [
  ['packages/runner/src/ok.ts', 'packages/api-client/src/index.ts'],
  ['packages/git/src/ok.ts', 'node:child_process'],
  ['packages/git/src/ok2.ts', 'packages/git/src/inner.ts'],
  ['packages/ci-config/src/ok.test.ts', 'node:fs'],
  ['server/src/kernel/ok.ts', 'packages/git/src/index.ts'],
  ['server/src/kernel/process/ok.ts', 'node:child_process'],
  ['server/src/kernel/db/ok.ts', 'kysely'],
  ['server/src/kernel/queue/ok.ts', 'graphile-worker'],
  ['server/src/features/review/merge-requests/ok.queries.ts', 'kysely'],
  ['server/src/features/review/merge-requests/ok.ts', 'server/src/features/ci/jobs/index.ts'],
  ['server/src/features/review/merge-requests/ok.test.ts', 'server/test/factories.ts'],
  ['server/src/features/ci/jobs/ok.ts', 'server/src/features/ci/pipelines/index.ts'],
  ['server/src/transport/ssh/ok.ts', 'server/src/features/identity/users/index.ts'],
  ['server/src/app.ts', 'server/src/features/ci/jobs/index.ts'],
  ['cli/src/ok.ts', 'server/src/main.ts'],
  ['web/src/ok.ts', 'packages/api-client/src/index.ts'],
  ['e2e/src/ok.ts', 'scripts/lib/results.ts'],
  // Closes the cycle that the file on the other side reports.
  ['web/src/y.ts', 'web/src/x.ts'],
];

let folder = '';
let found: { rule: string; from: string }[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'deps-'));
  const imports = [...violations.map(([, from, to]) => [from, to] as const), ...allowed];
  const ours = (path: string): boolean => !path.startsWith('node:') && path.includes('/');
  const files = new Map<string, string>();
  for (const [, to] of imports) if (ours(to)) files.set(to, 'export const x = 1;\n');
  for (const [from, to] of imports) {
    const target = ours(to) ? relative(dirname(from), to) : to;
    files.set(from, `import '${target.startsWith('.') || !ours(to) ? target : `./${target}`}';\nexport const x = 1;\n`);
  }
  for (const [path, text] of files) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const options = { ...config.options, ruleSet: { forbidden: config.forbidden }, validate: true, baseDir: folder };
  const { output } = await cruise(['.'], options as Parameters<typeof cruise>[1]);
  found = (output as ICruiseResult).summary.violations.map(({ rule, from }) => ({ rule: rule.name, from }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(violations)('%s fires on %s -> %s', (rule, from) => {
  expect(found).toContainEqual({ rule, from });
});

test.each(allowed)('%s -> %s is allowed', (from) => {
  expect(found.filter((violation) => violation.from === from)).toEqual([]);
});

test('every rule has a file here that breaks it', () => {
  const proved = new Set(violations.map(([rule]) => rule));
  expect(config.forbidden.map((rule) => rule.name).filter((name) => !proved.has(name))).toEqual([]);
});
