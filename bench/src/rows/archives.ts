/** Archives of a large project: 20,000 issues, 5,000 merge requests and 100,000 comments imported and exported, and the memory of it. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, openAsBlob, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import { git, token } from '../process.ts';
import { pause, until } from '../waiting.ts';

const counts = { issues: 20_000, merge_requests: 5_000, notes: 100_000 } as const;
const records = counts.issues + counts.merge_requests + counts.notes;
const at = '2026-01-02T03:04:05.000Z';
const labels = Array.from({ length: 20 }, (_, index) => `label ${index}`);
const text = 'The quick brown fox jumps over the lazy dog. '.repeat(6);

async function* rowsOf(name: keyof typeof counts | 'labels', [base, head]: readonly [string, string]) {
  const about = { author: 'root', created_at: at, updated_at: at };
  const several = (index: number) => [labels[index % 20], labels[(index * 7) % 20]];
  if (name === 'labels')
    for (const title of labels) yield { title, color: '#112233', description: null, archived: false, created_at: at };
  if (name === 'issues')
    for (let iid = 1; iid <= counts.issues; iid++)
      yield {
        ...{ iid, title: `Issue ${iid}`, description: text, state: iid % 3 === 0 ? 'closed' : 'opened', type: 'issue' },
        ...{ confidential: false, assignees: ['root'], labels: several(iid), ...about },
        history: [{ kind: 'label', action: 'add', label: labels[iid % 20], by: 'root', created_at: at }],
      };
  if (name === 'merge_requests')
    for (let iid = 1; iid <= counts.merge_requests; iid++)
      yield {
        ...{ iid, title: `Change ${iid}`, description: text, state: iid % 2 === 0 ? 'merged' : 'closed' },
        ...{ source_branch: `topic-${iid}`, target_branch: 'main', own_source: true, squash: false },
        ...{ head_sha: head, base_sha: base, start_sha: base, assignees: ['root'], reviewers: ['root'] },
        ...{ labels: several(iid), merged_at: iid % 2 === 0 ? at : null, ...about },
        versions: [{ head_sha: head, base_sha: base, start_sha: base, created_at: at }],
      };
  if (name === 'notes')
    for (let index = 0; index < counts.notes; index++)
      yield {
        ...(index % 5 === 0
          ? { merge_request: 1 + (index % counts.merge_requests) }
          : { issue: 1 + (index % counts.issues) }),
        discussion_id: index.toString(16).padStart(40, '0'),
        ...{ kind: null, body: `${index} ${text}`, system: false, internal: false, resolvable: false, ...about },
        award_emoji: index % 50 === 0 ? [{ name: 'tada', by: 'root', created_at: at }] : [],
      };
}

/** Puts generated relations into an archive of the repository. */
async function filledArchive(context: Context, exported: Buffer): Promise<string> {
  const directory = join(context.directory, 'archive');
  mkdirSync(join(directory, 'relations'), { recursive: true });
  writeFileSync(join(directory, 'exported.tar.gz'), exported);
  execFileSync('tar', ['-xzf', 'exported.tar.gz', 'project.json', 'repository.bundle'], { cwd: directory });
  const source = context.repository.path;
  const commits = [await git(source, ['rev-parse', 'main~1']), await git(source, ['rev-parse', 'main'])] as const;
  const names = ['labels', 'issues', 'merge_requests', 'notes'] as const;
  for (const name of names) {
    const file = createWriteStream(join(directory, 'relations', `${name}.ndjson`));
    for await (const row of rowsOf(name, commits))
      if (!file.write(`${JSON.stringify(row)}\n`)) await once(file, 'drain');
    file.end();
    await once(file, 'close');
  }
  const entries = ['project.json', 'repository.bundle', ...names.map((name) => `relations/${name}.ndjson`)];
  execFileSync('tar', ['--format=ustar', '-czf', 'filled.tar.gz', ...entries], { cwd: directory });
  return join(directory, 'filled.tar.gz');
}

interface Progress {
  readonly id: number;
  readonly import_status: string;
  readonly import_error: string | null;
  readonly stats: { readonly imported?: Readonly<Record<string, number>> };
}

/** The time of some work in milliseconds, and how much memory it took at most beyond what was there before. */
async function watched(context: Context, work: () => Promise<void>): Promise<{ time: number; megabytes: number }> {
  const before = context.megabytes();
  let most = before;
  let over = false;
  const watch = (async () => {
    while (!over) {
      most = Math.max(most, context.megabytes());
      await pause(500);
    }
  })();
  const begin = performance.now();
  await work();
  const time = performance.now() - begin;
  over = true;
  await watch;
  return { time, megabytes: most - before };
}

export async function archives(context: Context): Promise<void> {
  const { target, project } = context.ours;
  const headers = { 'PRIVATE-TOKEN': token };
  const exportOf = async (api: string): Promise<Buffer> => {
    await target.call('POST', `${api}/export`);
    await until('the archive', 600, async () => {
      const { export_status: state } = await target.call<{ export_status: string }>('GET', `${api}/export`);
      return state === 'finished' ? state : null;
    });
    const answer = await fetch(`${target.url}/api/v4${api}/export/download`, { headers });
    return Buffer.from(await answer.arrayBuffer());
  };
  const file = await filledArchive(context, await exportOf(project.api));
  let made = 0;
  const imported = await watched(context, async () => {
    const form = new FormData();
    form.set('path', `archive-${Date.now()}`);
    form.set('file', await openAsBlob(file), 'project.tar.gz');
    const answer = await fetch(`${target.url}/api/v4/projects/import`, { method: 'POST', headers, body: form });
    if (answer.status !== 201) throw new Error(`import: ${answer.status} ${await answer.text()}`);
    made = ((await answer.json()) as Progress).id;
    const done = await until('the import', 900, async () => {
      const found = await target.call<Progress>('GET', `/projects/${made}/import`);
      return ['finished', 'failed'].includes(found.import_status) ? found : null;
    });
    const { issues = 0, merge_requests: requests = 0, notes = 0 } = done.stats.imported ?? {};
    if (issues + requests + notes !== records) throw new Error(`imported: ${JSON.stringify(done)}`);
  });
  const rate = records / (imported.time / 1000);
  context.add({
    name: `import of ${records} records of an archive`,
    ours: { rate },
    goal: { text: '>= 2,000/s', met: rate >= 2000 },
    note: `${(imported.time / 1000).toFixed(1)} s with upload and repository; memory grew by ${imported.megabytes.toFixed(0)} MB at most (PSS)`,
  });
  const exported = await watched(context, async () => void (await exportOf(`/projects/${made}`)));
  context.add({
    name: `export of the same ${records} records`,
    ours: { p50: exported.time },
    goal: { text: '< 60 s', met: exported.time < 60_000 },
    note: `with the download; memory grew by ${exported.megabytes.toFixed(0)} MB at most (PSS)`,
  });
}
