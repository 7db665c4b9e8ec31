/** Metric images in archives: they come back to their incidents; what could not have been uploaded is left out. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestApp } from '../../../../test/app.ts';
import { archiveWorld, opened, packed, picture } from '../../../../test/project-archives.ts';
import type { Json, RepositoryProject } from '../../../../test/repositories.ts';

const world = archiveWorld();
let app: TestApp;
let source: RepositoryProject;
beforeAll(async () => {
  ({ app, source } = await world.start());
});
afterAll(() => world.close());

it('security 6 7: images come back with their links; no pictures, foreign links and other issues are told', async () => {
  const incident = { title: 'Outage', issue_type: 'incident' };
  const { body: issue } = await source.api<Json>('POST', '/issues', { json: incident });
  const { body: plain } = await source.api<Json>('POST', '/issues', { json: { title: 'No incident' } });
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(picture)]), 'chart.png');
  form.set('url', 'https://charts.example/1');
  form.set('url_text', 'Load');
  expect((await source.api('POST', `/issues/${String(issue.iid)}/metric_images`, { form })).status).toBe(201);
  const files = await opened(await world.exported(source));
  const line = JSON.parse(String(files.get('relations/metric_images.ndjson'))) as Json;
  expect(files.get('metric_images/1')).toEqual(picture);
  const lines = [
    line,
    { ...line, number: 2 },
    { ...line, number: 3, url: 'javascript:alert(1)' },
    { ...line, number: 4, issue: plain.iid },
    { ...line, number: 5, file_name: '' },
  ];
  const status = await world.imported(
    packed(
      new Map<string, Buffer | string>([
        ...files,
        ['relations/metric_images.ndjson', lines.map((each) => JSON.stringify(each)).join('\n')],
        ['metric_images/2', '<svg onload=alert(1)>'],
        ...[3, 4, 5].map((number) => [`metric_images/${number}`, picture] as const),
      ]),
    ),
  );
  expect(status).toMatchObject({ import_status: 'finished', stats: { imported: { metric_images: 1 } } });
  const told = (status.failed_relations as Json[]).filter(({ relation_name }) => relation_name === 'metric_images');
  expect(told.map(({ exception_message }) => exception_message)).toEqual([
    expect.stringContaining('file_name'),
    'is no picture',
    'leads to no web page',
    'is of an incident that the archive does not have',
    'metric_images/5 is not among the rows of metric images',
  ]);
  const at = `/projects/${String(status.id)}/issues/${String(issue.iid)}/metric_images`;
  const { body } = await app.api<Json[]>('GET', at, { token: source.owner.secret });
  expect(body).toMatchObject([{ filename: 'chart.png', url: 'https://charts.example/1', url_text: 'Load' }]);
});
