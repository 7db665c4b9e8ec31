/** Snippets in archives: their repositories come back; what could not have been pushed is left out. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestApp } from '../../../../test/app.ts';
import { archiveWorld, opened, packed } from '../../../../test/project-archives.ts';
import type { Json, RepositoryProject } from '../../../../test/repositories.ts';

const world = archiveWorld();
let app: TestApp;
let source: RepositoryProject;
let files: Map<string, Buffer>;
beforeAll(async () => {
  ({ app, source } = await world.start());
  const snippet = { title: 'Notes', description: 'Kept', visibility: 'public' };
  const content = [{ file_path: 'deep/a.sh', content: 'echo hello\n' }];
  expect((await source.api('POST', '/snippets', { json: { ...snippet, files: content } })).status).toBe(201);
  files = await opened(await world.exported(source));
});
afterAll(() => world.close());

const line = (more: Json = {}): Json => ({
  ...(JSON.parse(String(files.get('relations/snippets.ndjson'))) as Json),
  ...more,
});
async function importedWith(change: Record<string, Buffer | string>) {
  const status = await world.imported(packed(new Map<string, Buffer | string>([...files, ...Object.entries(change)])));
  const path = `/projects/${String(status.id)}/snippets`;
  const { body } = await app.api<Json[]>('GET', path, { token: source.owner.secret });
  return { status, path, snippets: body };
}

it('a snippet comes back with its repository, its times and what it says', async () => {
  expect([...files.keys()].filter((name) => name.includes('snippets'))).toEqual([
    'relations/snippets.ndjson',
    'snippets/1.bundle',
  ]);
  const { status, path, snippets } = await importedWith({
    'relations/snippets.ndjson': JSON.stringify(line({ created_at: '2020-01-02T03:04:05.000Z' })),
  });
  expect(status).toMatchObject({
    import_status: 'finished',
    stats: { imported: { snippets: 1 } },
  });
  const [snippet] = snippets;
  expect(snippet).toMatchObject({
    ...{ title: 'Notes', description: 'Kept', visibility: 'public', created_at: '2020-01-02T03:04:05.000Z' },
    files: [expect.objectContaining({ path: 'deep/a.sh' })],
  });
  const raw = await app.api('GET', `${path}/${String(snippet?.id)}/raw`, { token: source.owner.secret });
  expect(raw.body).toBe('echo hello\n');
});

it('security 6 7: snippets that are damaged, too large or named by no line are left out and told', async () => {
  const bundle = files.get('snippets/1.bundle') ?? Buffer.alloc(0);
  const damaged = Buffer.from(bundle);
  damaged.fill(0, bundle.length - 60);
  const lines = [1, 2, 3, 4].map((number) => JSON.stringify(line({ number }))).join('\n');
  const { status, snippets } = await importedWith({
    'relations/snippets.ndjson': `${lines}\n${JSON.stringify(line({ number: 5, title: '' }))}`,
    'snippets/1.bundle': bundle,
    'snippets/2.bundle': damaged,
    'snippets/3.bundle': 'no bundle',
    'snippets/4.bundle': Buffer.from('# v2 git bundle\n\n'),
    'snippets/9.bundle': bundle,
  });
  expect(snippets).toHaveLength(1);
  expect(status).toMatchObject({
    import_status: 'finished',
    stats: { imported: { snippets: 1 }, fetched: { snippets: 5 } },
  });
  const told = (status.failed_relations as Json[]).filter(({ relation_name }) => relation_name === 'snippets');
  expect(told).toHaveLength(5);
  expect(JSON.stringify(told)).toContain('is not among the rows of snippets');
  // Nothing stays of those.
  const rows = await app.db.selectFrom('snippets').select('id').where('project_id', '=', Number(status.id)).execute();
  expect(rows).toHaveLength(1);
});
