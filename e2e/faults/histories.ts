/** Random histories, many of them: the differential test of the API against git itself, batch by batch. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../src/support/instance.ts';
import type { Suite } from '../src/support/suite.ts';

const batch = 15;

export async function randomHistories(
  suite: Suite,
  count: number,
  seed: number,
  say: (line: string) => void,
): Promise<void> {
  const title = `histories: ${count} random ones are told by the API as by git`;
  await suite.step(
    title,
    async () => {
      for (let done = 0; done < count; done += batch) {
        const some = Math.min(batch, count - done);
        const first = seed * 1000 + done + 1;
        const args = ['vitest', 'run', 'server/src/features/repository/commits/histories.test.ts'];
        const { status, stdout } = spawnSync('npx', args, {
          cwd: join(root),
          env: { ...process.env, MILLRACE_SEED: String(first), MILLRACE_HISTORIES: String(some) },
          encoding: 'utf8',
        });
        if (status !== 0) throw new Error(`seeds from ${first}:\n${stdout.slice(-4000)}`);
      }
      say(`histories: ${count} random ones from seed ${seed * 1000 + 1} equal git's`);
    },
    count * 30,
  );
}
