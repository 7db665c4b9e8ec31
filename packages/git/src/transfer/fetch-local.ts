/** History of one repository brought into another, between forks: only what is missing is packed. */
import type { Repo } from '../context.ts';
import type { Quarantine } from '../objects/quarantine.ts';
import { readHeader } from '../objects/read.ts';
import { gitText, ownedOutput, streamGit } from '../process/run.ts';
import { isSha, type Sha } from '../types.ts';
import { ingestPack } from './ingest.ts';

/** So many branches and tags tell what is there already: those of forks are mostly the same. */
const offered = 500;

/**
 * Brings a commit of `source` with everything before it into the quarantine. Throws `not_found` when the source does not
 * have it.
 */
export async function carryCommit(quarantine: Quarantine, source: Repo, id: Sha): Promise<void> {
  const format = ['--format=%(objectname)', '--sort=-committerdate', `--count=${offered}`];
  const text = await gitText(quarantine.base, ['for-each-ref', ...format, 'refs/heads', 'refs/tags'], { work: 'read' });
  const own = [...new Set(text.split('\n').filter(isSha))];
  const known = await Promise.all(own.map(async (each) => ((await readHeader(source, each)) ? each : null)));
  const input = `${[id, '--not', ...known.filter((each) => each !== null)].join('\n')}\n`;
  const args = ['pack-objects', '--revs', '--stdout', '--thin', '--delta-base-offset', '-q'];
  const pack = ownedOutput(await streamGit(source, args, { work: 'download', input }));
  await ingestPack(quarantine, pack, {});
}
