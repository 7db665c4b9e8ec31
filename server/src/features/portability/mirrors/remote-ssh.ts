/** Repositories elsewhere that are reached over SSH: by the mirror's own key, at a server whose key is known. */
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import {
  fetchAll,
  type Offer,
  pushHead,
  type RemoteCommand,
  receivePackAnswers,
  type Sha,
  uploadPackAnswers,
} from '@millrace/git';
import type { ClientChannel } from 'ssh2';
import { BrokenOff, lively, type Outbound } from '../../../kernel/outbound/index.ts';
import { plainPart } from '../project-archives/http-fetch.ts';
import { record, recordIn, text } from '../project-archives/json.ts';
import type { Remote } from '../project-archives/lfs-source.ts';
import { failed, inWords, NotMirrored, patience } from './remote-http.ts';
import { fingerprintOf, hostKeyOf, signaturesOf } from './ssh-keys.ts';

export interface SshRemote {
  /** Without a name. */
  readonly url: string;
  readonly username: string;
  /** As the server gets it: `~user/...` for what is below a home directory. */
  readonly path: string;
}

/** Null for what is no address of SSH, and for one with a password. */
export function sshRemote(address: string): SshRemote | null {
  const url = /\s/.test(address) ? null : URL.parse(address);
  if (url?.protocol !== 'ssh:' || url.hostname === '' || url.password !== '') return null;
  const path = plainPart(url.pathname);
  if (/[^\P{Cc}]/u.test(path) || path.replace(/\//g, '') === '') return null;
  const username = plainPart(url.username) || 'git';
  [url.username, url.hash, url.search] = ['', '', ''];
  return { url: url.href, username, path: path.startsWith('/~') ? path.slice(1) : path };
}

export interface SshProof {
  readonly privateKey: string;
  /** Type and key; none: the key that the server shows first is kept. */
  readonly hostKeys: readonly string[];
}

export interface SshSession {
  readonly offer: Offer;
  /** The key that the server showed. */
  readonly hostKey: string;
  /** Answers why references were refused, by name. */
  push(commands: readonly RemoteCommand[], pack: Readable | null): Promise<ReadonlyMap<string, string>>;
  close(): void;
}

export interface SshFetchSession extends Pick<SshSession, 'offer' | 'hostKey' | 'close'> {
  /** The pack with the wanted objects and what they reach, but for what the others reach. */
  fetch(wanted: readonly Sha[], have: readonly Sha[]): AsyncIterable<Buffer>;
}

/** A program that runs at the server. */
interface SshProgram extends Pick<SshSession, 'hostKey' | 'close'> {
  readonly channel: ClientChannel;
  /** Throws an error with what the server said of it, where it said something. */
  refused(error: unknown): never;
}

type Program = 'git-receive-pack' | 'git-upload-pack' | 'git-lfs-authenticate';

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** Why the connection failed, in words. */
function inConnection(error: Error & { level?: string }, program: Program): NotMirrored {
  if (error.level === 'client-authentication')
    return new NotMirrored(
      `The server does not accept the key of this mirror: add its public key there${program === 'git-receive-pack' ? ', with write access' : ''}`,
    );
  if (error.level === 'client-timeout') return new NotMirrored('The other side did not answer in time', true);
  return new NotMirrored(`The SSH connection failed: ${error.message.slice(0, 200)}`, true);
}

/** Writes, as fast as the other side takes it. */
async function written(channel: ClientChannel, chunk: Buffer, signal: AbortSignal): Promise<void> {
  if (channel.write(chunk)) return;
  const over = new AbortController();
  const closed = () => over.abort();
  channel.once('close', closed);
  const stuck = AbortSignal.timeout(patience.moving);
  try {
    await once(channel, 'drain', { signal: AbortSignal.any([signal, over.signal, stuck]) });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new NotMirrored(stuck.aborted ? 'The server took nothing more' : 'The connection broke off', true);
  } finally {
    channel.off('close', closed);
  }
}

/** Connects, and starts a program of git. Who got one closes it. */
async function openProgram(
  outbound: Outbound,
  remote: SshRemote,
  { privateKey, hostKeys }: SshProof,
  program: Program,
  signal: AbortSignal,
  argument = '',
): Promise<SshProgram> {
  const found = await outbound.connect({ url: remote.url, kind: 'mirror', signal });
  if (!found.ok) throw failed(found);
  const { default: ssh2 } = await import('ssh2');
  const client = new ssh2.Client();
  const close = () => {
    client.end();
    found.socket.destroy();
  };
  signal.addEventListener('abort', close, { once: true });
  client.once('close', () => signal.removeEventListener('abort', close));
  let shown = '';
  let unknown = false;
  const ready = Promise.withResolvers<void>();
  client.once('ready', ready.resolve);
  // Stays: an error without a listener would end the process.
  client.on('error', (error) => ready.reject(inConnection(error, program)));
  client.once('close', () => ready.reject(new NotMirrored('The connection broke off', true)));
  try {
    client.connect({
      sock: found.socket,
      username: remote.username,
      privateKey,
      readyTimeout: patience.asking,
      keepaliveInterval: 15_000,
      ...(hostKeys.length > 0 ? { algorithms: { serverHostKey: signaturesOf(hostKeys) as never } } : {}),
      hostVerifier: (key: Buffer) => {
        shown = hostKeyOf(key);
        unknown = hostKeys.length > 0 && !hostKeys.includes(shown);
        return !unknown;
      },
    });
    await ready.promise.catch((error: unknown) => {
      if (unknown)
        throw new NotMirrored(
          `The server has another host key (${fingerprintOf(shown)}) than the mirror knows: check it, then set host_keys`,
        );
      throw error;
    });
    const channel = await new Promise<ClientChannel>((resolve, reject) => {
      client.exec(`${program} ${quoted(remote.path)}${argument}`, (error, opened) =>
        error ? reject(inConnection(error, program)) : resolve(opened),
      );
    });
    let said = '';
    channel.stderr.on('data', (chunk: Buffer) => {
      if (said.length < 1000) said += chunk.toString('utf8');
    });
    const refused = (error: unknown): never => {
      const words = said
        .replace(/[^\x20-\x7e]+/g, ' ')
        .trim()
        .slice(0, 200);
      throw error instanceof NotMirrored && words !== '' ? new NotMirrored(`The server said: ${words}`) : error;
    };
    return { channel, hostKey: shown, close, refused };
  } catch (error) {
    close();
    throw error;
  }
}

/** Bytes of what a server says of its objects of Git LFS. */
const mostAnswer = 64 * 1024;

/** Where the server keeps the objects of Git LFS, and what proves us there, as it says over SSH. */
export async function largeOverSsh(
  outbound: Outbound,
  remote: SshRemote,
  proof: SshProof,
  operation: 'download' | 'upload',
  signal: AbortSignal,
): Promise<Remote> {
  const program = 'git-lfs-authenticate';
  const { channel, close, refused } = await openProgram(outbound, remote, proof, program, signal, ` ${operation}`);
  try {
    let said = '';
    for await (const chunk of lively({ body: channel, close }, patience.asking)) {
      said += chunk.toString('utf8');
      if (said.length > mostAnswer) break;
    }
    const { href, header } = recordIn(said) ?? {};
    const url = text(href) === null ? null : URL.parse(String(href));
    if (!url) return refused(new NotMirrored('The server has no Git LFS over SSH for this repository'));
    const headers = Object.entries(record(header)).filter(
      (pair): pair is [string, string] => typeof pair[1] === 'string',
    );
    return { url: url.href.replace(/\/+$/, ''), headers: Object.fromEntries(headers), ofLarge: true };
  } catch (error) {
    if (error instanceof BrokenOff) throw new NotMirrored(error.message, true);
    throw error;
  } finally {
    close();
  }
}

/** Connects, and reads what the mirror has. Who got a session closes it. */
export async function openSshSession(
  outbound: Outbound,
  remote: SshRemote,
  proof: SshProof,
  signal: AbortSignal,
): Promise<SshSession> {
  const { channel, hostKey, close, refused } = await openProgram(outbound, remote, proof, 'git-receive-pack', signal);
  try {
    const answers = receivePackAnswers(lively({ body: channel, close }, patience.answering));
    const offer = await inWords(answers.offer).catch(refused);
    return {
      offer,
      hostKey,
      close,
      push: async (commands, pack) => {
        try {
          await written(channel, pushHead(offer, commands), signal);
          for await (const chunk of pack ?? []) await written(channel, chunk as Buffer, signal);
          // As git does: servers may read the pack to the end of what is sent.
          channel.end();
          return await inWords(() => answers.report(offer));
        } catch (error) {
          return refused(error);
        } finally {
          pack?.destroy();
        }
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** Connects, and reads what the repository has, to fetch from it. Who got a session closes it. */
export async function openSshFetch(
  outbound: Outbound,
  remote: SshRemote,
  proof: SshProof,
  signal: AbortSignal,
): Promise<SshFetchSession> {
  const { channel, hostKey, close, refused } = await openProgram(outbound, remote, proof, 'git-upload-pack', signal);
  try {
    const answers = uploadPackAnswers(lively({ body: channel, close }, patience.answering));
    const offer = await inWords(answers.offer).catch(refused);
    return {
      offer,
      hostKey,
      close,
      async *fetch(wanted, have) {
        try {
          await written(channel, fetchAll(offer, wanted, have), signal);
          yield* answers.pack();
        } catch (error) {
          refused(error);
        }
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}
