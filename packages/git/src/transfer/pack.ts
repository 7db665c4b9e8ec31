/** Packs of chosen histories, and the references that go with them: what backups of a repository are made of. */
import type { Readable } from 'node:stream';
import type { Repo } from '../context.ts';
import { ownedOutput, runGit, streamGit } from '../process/run.ts';
import { isSha, parseSha, type RefName, type Sha } from '../types.ts';

/** Every reference of a repository as it is on disk now, without symbolic ones. */
export async function currentRefs(repo: Repo): Promise<Map<RefName, Sha>> {
  const { stdout } = await runGit(repo, ['for-each-ref', '--format=%(objectname) %(symref) %(refname)'], {
    work: 'maintenance',
    maxBytes: 1024 * 1024 * 1024,
  });
  const refs = new Map<RefName, Sha>();
  for (const line of stdout.toString('utf8').split('\n')) {
    const [id = '', symbolic = '', ref = ''] = line.split(' ');
    const sha = parseSha(id);
    if (sha && symbolic === '' && ref !== '') refs.set(ref as RefName, sha);
  }
  return refs;
}

/** Those of the ids whose objects the repository has. */
export async function existingObjects(repo: Repo, ids: Iterable<Sha>): Promise<Set<Sha>> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return new Set();
  const { stdout } = await runGit(repo, ['cat-file', '--batch-check=%(objectname) %(objecttype)', '--buffer'], {
    work: 'maintenance',
    input: `${wanted.join('\n')}\n`,
    maxBytes: 1024 * 1024 * 1024,
  });
  const found = new Set<Sha>();
  for (const line of stdout.toString('latin1').split('\n')) {
    const [id = '', type] = line.split(' ');
    if (isSha(id) && type !== 'missing') found.add(id);
  }
  return found;
}

/** Everything that the ids reach and the known ones do not, complete by itself but for those. Destroying it ends git. */
export async function createPack(repo: Repo, ids: readonly Sha[], known: readonly Sha[] = []): Promise<Readable> {
  const input = `${[...ids, ...known.map((id) => `^${id}`)].join('\n')}\n`;
  const args = ['pack-objects', '--revs', '--stdout', '-q', '--delta-base-offset'];
  return ownedOutput(await streamGit(repo, args, { work: 'maintenance', input }));
}
