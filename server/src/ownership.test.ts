/** Each table is written by one domain: what another one needs of it, it asks of the owner. Read from the sources. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = import.meta.dirname;

/** Tables that several write, and why. */
const shared: Readonly<Record<string, { readonly writers: readonly string[]; readonly because: string }>> = {
  projects: {
    writers: ['ci', 'namespaces', 'planning', 'portability', 'repository'],
    because:
      'columns that others keep: number of cleared caches; open issues; import and pictures; default branch, license, sizes, maintenance',
  },
  project_statistics: {
    writers: ['namespaces', 'repository'],
    because: 'sizes of wikis and snippets change where these are written',
  },
  object_deletions: {
    writers: ['ci', 'kernel', 'namespaces'],
    because: 'a queue: whoever lets go of an object puts it in',
  },
  instance_state: { writers: ['kernel', 'transport'], because: 'rows by key, each of its writer alone' },
};

const tables = [
  ...readFileSync(path.join(root, 'kernel/db/tables.ts'), 'utf8').matchAll(/^ {2}(\w+): \w+Table;$/gm),
].map(([, name = '']) => name);

const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.includes('migrations'))
  .map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }));

const domainOf = (file: string): string => /^features\/([^/]+)/.exec(file)?.[1] ?? file.split('/')[0] ?? file;

/** Names of tables that a source writes: in SQL, by the query builder, or through a function that deletes by table. */
function written(text: string): Set<string> {
  const patterns = [
    /\b(?:insert\s+into|update|delete\s+from)\s+(\w+)/g,
    /\b(?:insertInto|updateTable|deleteFrom)\(\s*'(\w+)/g,
    /\b(?:removing|rewritingTexts)\('(\w+)'/g,
    /\binsertMany\(\s*\w+,\s*'(\w+)'/g,
  ];
  const names = patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = '']) => name));
  return new Set(names.filter((name) => tables.includes(name)));
}

const writers = new Map<string, Map<string, string[]>>();
for (const { file, text } of sources)
  for (const table of written(text)) {
    const of = writers.get(table) ?? new Map<string, string[]>();
    of.set(domainOf(file), [...(of.get(domainOf(file)) ?? []), file]);
    writers.set(table, of);
  }

it('knows the tables and finds who writes them', () => {
  expect(tables.length).toBeGreaterThan(150);
  expect(writers.size).toBeGreaterThan(140);
  expect([...(writers.get('issues')?.keys() ?? [])]).toEqual(['planning']);
});

it('each table has one domain that writes it', () => {
  const several = [...writers].flatMap(([table, of]) =>
    of.size > 1 && !shared[table] ? [`${table}: ${[...of.values()].flat().sort().join(', ')}`] : [],
  );
  expect(several).toEqual([]);
});

it.each(Object.entries(shared))('%s is written by those alone that say why', (table, { writers: declared }) => {
  expect([...(writers.get(table)?.keys() ?? [])].sort()).toEqual(declared);
});
