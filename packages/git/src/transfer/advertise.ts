/** The first answer of a fetch or push: references and capabilities, from a snapshot where we can write it ourselves. */
import type { Repo } from '../context.ts';
import { runGit } from '../process/run.ts';
import type { RefsSnapshot } from '../refs/snapshot.ts';
import { type RefName, ZERO_SHA } from '../types.ts';
import { FLUSH, pktLine, pktLines } from './pkt-line.ts';
import { type UploadPackOptions, uploadPackConfig } from './upload-pack.ts';

const AGENT = 'agent=git/millrace';
const RECEIVE_CAPABILITIES = [
  'report-status',
  'delete-refs',
  'side-band-64k',
  'quiet',
  'atomic',
  'ofs-delta',
  'push-options',
  'object-format=sha1',
  AGENT,
].join(' ');

/** The line in front of an advertisement over HTTP; SSH has none. */
export function serviceHeader(service: 'git-upload-pack' | 'git-receive-pack'): Buffer {
  return Buffer.concat([pktLine(`# service=${service}\n`), FLUSH]);
}

/** What a pushing client is told first. Without the HTTP header: see serviceHeader. */
export function receivePackAdvertisement(
  snapshot: RefsSnapshot,
  visible: (ref: RefName) => boolean = () => true,
): Buffer {
  const refs = snapshot.refs.filter((entry) => visible(entry.ref));
  if (refs.length === 0)
    return Buffer.concat([pktLine(`${ZERO_SHA} capabilities^{}\0${RECEIVE_CAPABILITIES}\n`), FLUSH]);
  const lines = refs.map(({ id, ref }, i) => `${id} ${ref}${i === 0 ? `\0${RECEIVE_CAPABILITIES}` : ''}\n`);
  return Buffer.concat([pktLines(lines), FLUSH]);
}

/** Highest protocol version that the client's `Git-Protocol` header (or GIT_PROTOCOL over SSH) asks for. */
export function protocolVersion(header: string | undefined): 0 | 1 | 2 {
  const versions = (header ?? '').split(':').map((part) => /^version=([012])$/.exec(part)?.[1]);
  if (versions.includes('2')) return 2;
  return versions.includes('1') ? 1 : 0;
}

/**
 * What a fetching client is told first, without the HTTP header. Cached: for version 2 for all repositories together (it
 * names no references), before that per generation and set of hidden references.
 */
export async function uploadPackAdvertisement(
  repo: Repo,
  options: UploadPackOptions & { version: 0 | 1 | 2; generation: number },
): Promise<Buffer> {
  const config = uploadPackConfig(options);
  const settings = `${options.version}:${config.join('|')}`;
  const key =
    options.version === 2 ? `advertise:${settings}` : `advertise${repo.key}:${options.generation}:${settings}`;
  const known = repo.git.cache.get(key) as Buffer | undefined;
  if (known) return known;
  const { stdout } = await runGit(
    repo,
    ['upload-pack', '--stateless-rpc', '--http-backend-info-refs', '--strict', repo.path],
    {
      work: 'read',
      config,
      env: { GIT_PROTOCOL: `version=${options.version}` },
      maxBytes: 256 * 1024 * 1024,
    },
  );
  repo.git.cache.set(key, stdout, stdout.length + 200);
  return stdout;
}
