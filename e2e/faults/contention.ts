/** Two processes, one repository, many writers at once: nothing is lost, and who loses is told the right conflict. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { git, run } from '../src/support/git.ts';
import type { Suite } from '../src/support/suite.ts';
import { commit, createFile, createProject, type Member, startCluster } from './cluster.ts';

const writers = 50;
const pushers = 10;

export async function contention(suite: Suite, directory: string): Promise<void> {
  mkdirSync(directory, { recursive: true, mode: 0o711 });
  const cluster = await startCluster(directory, 2);
  const [first] = cluster.members as [Member];
  const memberOf = (index: number) => cluster.members[index % 2] ?? first;
  try {
    const project = await createProject(first, 'contention');
    await commit(first, project, 'main', [createFile('counter', '0\n'), createFile('README.md')]);
    const file = `${project.path}/repository/files/counter`;

    await suite.step(`faults: ${writers} writers of one file through two processes lose no update`, async () => {
      let acknowledged = 0;
      const conflicts = new Map<number, number>();
      const writer = async (index: number) => {
        for (let round = 0; round < 3; round++) {
          const { api } = memberOf(index);
          const now = await api.expect<{ content: string; last_commit_id: string }>(200, 'GET', `${file}?ref=main`);
          const count = Number(Buffer.from(now.content, 'base64').toString());
          const answer = await api.call<{ message?: string }>('PUT', file, {
            branch: 'main',
            content: `${count + 1}\n`,
            commit_message: `Writer ${index}`,
            last_commit_id: now.last_commit_id,
          });
          if (answer.status === 200) {
            acknowledged++;
            return;
          }
          assert.ok([400, 409].includes(answer.status), `${answer.status} ${JSON.stringify(answer.body)}`);
          assert.match(String(answer.body.message), /changed since|changed at the same time|another value/i);
          conflicts.set(answer.status, (conflicts.get(answer.status) ?? 0) + 1);
        }
      };
      await Promise.all(Array.from({ length: writers }, (_, index) => writer(index)));
      const end = await first.api.expect<{ content: string }>(200, 'GET', `${file}?ref=main`);
      assert.equal(Buffer.from(end.content, 'base64').toString(), `${acknowledged}\n`);
      const { headers } = await first.api.call(
        'GET',
        `${project.path}/repository/commits?ref_name=main&with_stats=false`,
      );
      assert.equal(Number(headers.get('x-total') ?? acknowledged + 1), acknowledged + 1);
      assert.ok(
        acknowledged >= 3 && conflicts.size > 0,
        `${acknowledged} acknowledged, ${conflicts.size} kinds of conflicts`,
      );
      console.log(`  ${acknowledged} updates acknowledged, conflicts by status: ${JSON.stringify([...conflicts])}`);
    });

    await suite.step(
      `faults: of ${pushers} pushes to one branch through two processes one wins, the others are behind`,
      async () => {
        const works = await Promise.all(
          Array.from({ length: pushers }, async (_, index) => {
            const name = `work-${index}`;
            await git(directory, 'clone', '--quiet', project.remote(memberOf(index)), name);
            const work = join(directory, name);
            writeFileSync(join(work, 'mine'), String(index));
            await git(work, 'add', '.');
            await git(work, 'commit', '--quiet', '-m', `Mine ${index}`);
            return work;
          }),
        );
        const ran = await Promise.all(works.map((work) => run(work, ['push', 'origin', 'HEAD:refs/heads/main'])));
        assert.equal(ran.filter(({ code }) => code === 0).length, 1, ran.map(({ stderr }) => stderr).join('\n'));
        for (const { code, stderr } of ran) if (code !== 0) assert.match(stderr, /rejected/);
        const winner = works[ran.findIndex(({ code }) => code === 0)] ?? '';
        const head = await git(winner, 'rev-parse', 'HEAD');
        for (const { api } of cluster.members) {
          const branch = await api.expect<{ commit: { id: string } }>(
            200,
            'GET',
            `${project.path}/repository/branches/main`,
          );
          assert.equal(branch.commit.id, head);
        }
      },
    );
  } finally {
    await cluster.stop();
  }
}
