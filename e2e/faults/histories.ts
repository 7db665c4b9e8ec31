/** Random histories and random merge trains, many of them, batch by batch. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../src/support/instance.ts';
import type { Suite } from '../src/support/suite.ts';

const batch = 15;

/** Runs a test of seeds in batches; `variables` tell it which. */
async function seedsOf(
  suite: Suite,
  about: { readonly title: string; readonly file: string; readonly counts: string; readonly seconds: number },
  count: number,
  firstSeed: number,
): Promise<void> {
  await suite.step(
    about.title,
    async () => {
      for (let done = 0; done < count; done += batch) {
        const some = Math.min(batch, count - done);
        const { status, stdout } = spawnSync('npx', ['vitest', 'run', about.file], {
          cwd: join(root),
          env: { ...process.env, MILLRACE_SEED: String(firstSeed + done), [about.counts]: String(some) },
          encoding: 'utf8',
        });
        if (status !== 0) throw new Error(`seeds from ${firstSeed + done}:\n${stdout.slice(-4000)}`);
      }
    },
    count * about.seconds,
  );
}

export async function randomHistories(
  suite: Suite,
  count: number,
  seed: number,
  say: (line: string) => void,
): Promise<void> {
  const first = seed * 1000 + 1;
  const title = `histories: ${count} random ones are told by the API as by git`;
  const file = 'server/src/features/repository/commits/histories.test.ts';
  await seedsOf(suite, { title, file, counts: 'MILLRACE_HISTORIES', seconds: 30 }, count, first);
  say(`histories: ${count} random ones from seed ${first} equal git's`);
}

export async function randomTrains(
  suite: Suite,
  count: number,
  seed: number,
  say: (line: string) => void,
): Promise<void> {
  const first = seed * 1000 + 1;
  const title = `trains: ${count} random ones merge what was tested, in order, once, and lose nobody`;
  const file = 'server/src/features/review/merge-trains/random-trains.test.ts';
  await seedsOf(suite, { title, file, counts: 'MILLRACE_TRAINS', seconds: 60 }, count, first);
  say(`trains: ${count} random ones from seed ${first} kept their promises`);
}
