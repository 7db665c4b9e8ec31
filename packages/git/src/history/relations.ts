/** How two commits relate: merge base, ancestry, ahead and behind. Answers depend on ids only and are cached. */
import type { Repo } from '../context.ts';
import { gitText, runGit, streamGit } from '../process/run.ts';
import { isSha, type Sha } from '../types.ts';
import { commonAncestor } from './common-ancestor.ts';
import { straightLine } from './walk.ts';

const answerFor = <T>(repo: Repo, key: string) => repo.git.cache.get(`${key}${repo.key}`) as { value: T } | undefined;

function keep<T>(repo: Repo, key: string, value: T): T {
  repo.git.cache.set(`${key}${repo.key}`, { value }, 300);
  return value;
}

async function cached<T>(repo: Repo, key: string, load: () => Promise<T>): Promise<T> {
  const known = answerFor<T>(repo, key);
  return known ? known.value : keep(repo, key, await load());
}

/** The best common ancestor; null for unrelated histories. Throws `not_found` when a commit is missing. */
export function mergeBase(repo: Repo, a: Sha, b: Sha): Promise<Sha | null> {
  if (a === b) return Promise.resolve(a);
  return cached(repo, `base:${a}:${b}`, async () => {
    const known = await commonAncestor(repo, a, b);
    if (known) return known.fork;
    const text = await gitText(repo, ['merge-base', a, b], { work: 'heavy', okCodes: [0, 1] });
    const id = text.split('\n')[0] ?? '';
    return isSha(id) ? id : null;
  });
}

/** The best common ancestor of several commits (`git merge-base --octopus`); null when there is none. */
export function mergeBaseOf(repo: Repo, ids: readonly Sha[]): Promise<Sha | null> {
  return cached(repo, `bases:${ids.join(':')}`, async () => {
    const text = await gitText(repo, ['merge-base', '--octopus', ...ids], { work: 'heavy', okCodes: [0, 1] });
    const id = text.split('\n')[0] ?? '';
    return isSha(id) ? id : null;
  });
}

const ancestry = (ancestor: Sha, descendant: Sha) => `anc:${ancestor}:${descendant}`;

/** Whether `ancestor` is in the history of `descendant` (a commit is its own ancestor). */
export function isAncestor(repo: Repo, ancestor: Sha, descendant: Sha): Promise<boolean> {
  if (ancestor === descendant) return Promise.resolve(true);
  return cached(repo, ancestry(ancestor, descendant), async () => {
    if (await straightLine(repo, descendant, (id) => id === ancestor)) return true;
    const known = await commonAncestor(repo, ancestor, descendant);
    if (known) return known.fork === ancestor;
    const args = ['merge-base', '--is-ancestor', ancestor, descendant];
    return (await runGit(repo, args, { work: 'heavy', okCodes: [0, 1] })).code === 0;
  });
}

/**
 * Which of these commits are in the history of `descendant`: what is not known yet is asked in one walk, of what is in
 * their histories and not in its. Throws `not_found` when a commit is missing.
 */
export async function ancestorsAmong(repo: Repo, ids: readonly Sha[], descendant: Sha): Promise<ReadonlySet<Sha>> {
  const inside = new Set<Sha>();
  const waiting = new Set<string>();
  for (const id of ids) {
    const known = id === descendant ? { value: true } : answerFor<boolean>(repo, ancestry(id, descendant));
    if (!known) waiting.add(id);
    else if (known.value) inside.add(id);
  }
  if (waiting.size === 0) return inside;
  const { stdout, done, stop } = await streamGit(repo, ['rev-list', '--stdin'], {
    work: 'heavy',
    input: `${[...waiting, `^${descendant}`].join('\n')}\n`,
  });
  let rest = '';
  for await (const chunk of stdout as AsyncIterable<Buffer>) {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (waiting.delete(line)) keep(repo, ancestry(line as Sha, descendant), false);
    // All of them lie outside: what else does is of no interest.
    if (waiting.size === 0) stop();
  }
  await done;
  for (const id of waiting as Set<Sha>) {
    keep(repo, ancestry(id, descendant), true);
    inside.add(id);
  }
  return inside;
}

/** Commits only in `head` (ahead) and only in `base` (behind). */
export function aheadBehind(repo: Repo, base: Sha, head: Sha): Promise<{ ahead: number; behind: number }> {
  return cached(repo, `ab:${base}:${head}`, async () => {
    const known = await commonAncestor(repo, base, head);
    if (known) return { ahead: known.ofB, behind: known.ofA };
    const text = await gitText(repo, ['rev-list', '--left-right', '--count', `${base}...${head}`, '--'], {
      work: 'heavy',
    });
    const [behind = 0, ahead = 0] = text.trim().split(/\s+/).map(Number);
    return { ahead, behind };
  });
}
