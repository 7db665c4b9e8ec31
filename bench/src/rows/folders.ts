/** A folder of 5,000 files in a long history: its first entries with the commits that changed them last. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { numbers } from '../../../scripts/lib/numbers.ts';
import { type Context, spread, timeRow } from '../context.ts';
import { timed } from '../load.ts';
import { git } from '../process.ts';
import { createProject } from '../target.ts';

const files = 5000;
const fileName = (index: number) => `large/file-${String(index).padStart(4, '0')}.txt`;

/** Each commit changes one file of the folder and one elsewhere. */
function* history(commits: number): Generator<string> {
  const below = numbers(5000);
  const data = (text: string) => `data ${text.length}\n${text}\n`;
  for (let mark = 1; mark <= commits; mark++) {
    const changed = mark === 1 ? Array.from({ length: files }, (_item, index) => index) : [below(files)];
    const lines = changed.map((index) => `M 100644 inline ${fileName(index)}\n${data(`change ${mark}\n`)}`);
    lines.push(`M 100644 inline other/${below(50)}/file.txt\n${data(`change ${mark}\n`)}`);
    const from = mark > 1 ? `from :${mark - 1}\n` : '';
    yield `commit refs/heads/main\nmark :${mark}\ncommitter Person <person@example.com> ${1_600_000_000 + mark * 60} +0000\n${data(`Change ${mark}`)}${from}${lines.join('')}\n`;
  }
}

interface LastCommit {
  readonly commit: { readonly id: string } | null;
}

export async function folders(context: Context): Promise<void> {
  const { directory, ours, repository, add } = context;
  const path = join(directory, 'folders.git');
  const commits = Math.min(repository.commits.length, 5000);
  await git(directory, ['init', '--quiet', '--bare', '--initial-branch=main', path]);
  const child = spawn('git', ['fast-import', '--quiet'], { cwd: path, stdio: ['pipe', 'ignore', 'inherit'] });
  for (const piece of history(commits)) if (!child.stdin.write(piece)) await once(child.stdin, 'drain');
  child.stdin.end();
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
  const { target } = ours;
  const project = await createProject(target, 'folders');
  await git(path, ['push', '--quiet', project.remote, 'main']);
  const ask = async () => {
    const query = 'ref=main&path=large&per_page=100';
    await target.call('GET', `${project.api}/repository/tree?${query}`);
    return await target.call<LastCommit[]>('GET', `${project.api}/repository/tree/last_commits?${query}`);
  };
  let missing = 0;
  const pushed = performance.now();
  add({
    name: 'first entries of a folder of 5,000, asked right after its history arrived',
    ours: spread([
      await timed(async () => {
        missing = (await ask()).filter(({ commit }) => commit === null).length;
      }),
    ]),
    note: `${commits} commits, found from nothing; ${missing} not found in time`,
  });
  while ((await ask()).some(({ commit }) => commit === null)) {
    if (performance.now() - pushed > 120_000) throw new Error('last commits were not found');
  }
  const below = numbers(11);
  await timeRow(
    context,
    'first entries of a folder of 5,000 after a commit, with their last commits',
    15,
    async (loaded, round) => {
      if (loaded.target.name === 'peer') return Number.NaN;
      await target.call('POST', `${project.api}/repository/commits`, {
        branch: 'main',
        commit_message: `Change ${round}`,
        actions: [{ action: 'update', file_path: fileName(below(100)), content: `round ${round}\n` }],
      });
      return timed(async () => {
        if ((await ask()).some(({ commit }) => commit === null)) throw new Error('last commits are missing');
      });
    },
    undefined,
    { goal: (figure) => ({ text: '< 300 ms', met: (figure.p95 ?? Number.POSITIVE_INFINITY) < 300 }) },
  );
}
