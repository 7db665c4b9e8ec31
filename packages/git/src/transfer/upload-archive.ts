/** `git archive --remote`: git's upload-archive, which serves what references reach and runs nothing else. */
import type { Readable } from 'node:stream';
import type { Repo } from '../context.ts';
import { ownedOutput, streamGit } from '../process/run.ts';

/** One request over a two-way connection. A refusal is told inside the protocol. */
export async function uploadArchive(repo: Repo, input: AsyncIterable<Buffer>): Promise<Readable> {
  const stream = await streamGit(repo, ['upload-archive', repo.path], {
    work: 'download',
    input,
    // No configured filter program is run, and nothing that no reference reaches is given away.
    config: ['uploadArchive.allowUnreachable=false'],
  });
  return ownedOutput(stream, (error) => error.exitCode !== null);
}
