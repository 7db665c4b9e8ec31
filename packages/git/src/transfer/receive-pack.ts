/** The server's half of a push, in pieces that the caller composes: parse, ingest, check, report. */
import { isUtf8 } from 'node:buffer';
import { GitError } from '../errors.ts';
import { isCreatableRef, parseRefName } from '../refs/names.ts';
import { isSha, type RefName, type Sha, ZERO_SHA } from '../types.ts';
import { createPacketReader, FLUSH, pktLine, sideBand } from './pkt-line.ts';

export interface PushCommand {
  old: Sha;
  new: Sha;
  /** As the client wrote it; only for the report. */
  name: string;
  /** Its bytes where they are no text: such a name is refused, and reported as it came. */
  bytes?: Buffer;
  /** The name when it may be written: existing names that are merely ugly can still be deleted. Null: refuse it. */
  ref: RefName | null;
}

export interface ReceiveRequest {
  commands: PushCommand[];
  capabilities: { reportStatus: boolean; sideBand: boolean; quiet: boolean; atomic: boolean; agent: string };
  pushOptions: string[];
  /** Which limit is passed; what is beyond it was not kept. */
  excess: 'commands' | 'options' | 'option-bytes' | null;
  /** Commits whose parents the client does not have. */
  shallow: Sha[];
  /** The pack, unframed; null when there is none (only deletions, or no commands). Read it to its end. */
  pack: AsyncIterable<Buffer> | null;
}

export interface ReceiveLimits {
  /** References in one push; default 50,000. */
  maxCommands?: number;
  /** Push options; default 20. */
  maxPushOptions?: number;
  /** Bytes of each; default 1,000. */
  maxPushOptionBytes?: number;
  /** Bytes of commands and options together; beyond it `limit`. Default 32 MiB. */
  maxBytes?: number;
  /** Told of each of these bytes as they come; may throw. */
  onBytes?: (bytes: number) => void;
}

const commandPrefix = 2 * (ZERO_SHA.length + 1);

function parseCommand(line: string, data: Buffer): PushCommand {
  const match = /^([0-9a-f]{40}) ([0-9a-f]{40}) (.+)$/s.exec(line);
  const [, before = '', after = '', name = ''] = match ?? [];
  if (!isSha(before) || !isSha(after)) throw new GitError('invalid', 'not a push command');
  const deletes = after === ZERO_SHA;
  if (!isUtf8(data)) return { old: before, new: after, name, bytes: data.subarray(commandPrefix), ref: null };
  const ref = deletes ? parseRefName(name) : isCreatableRef(name) ? name : null;
  return { old: before, new: after, name, ref };
}

const newline = 0x0a;

/** Reads commands and push options; the pack stays in the stream. Throws `invalid`. */
export async function readReceiveRequest(
  body: AsyncIterable<Uint8Array>,
  limits: ReceiveLimits = {},
): Promise<ReceiveRequest> {
  const maxCommands = limits.maxCommands ?? 50_000;
  const maxPushOptions = limits.maxPushOptions ?? 20;
  const maxPushOptionBytes = limits.maxPushOptionBytes ?? 1000;
  let excess: ReceiveRequest['excess'] = null;
  const maxBytes = limits.maxBytes ?? 32 * 1024 * 1024;
  const reader = createPacketReader(body);
  let bytes = 0;
  const nextPacket = async () => {
    const packet = await reader.next();
    const length = packet.type === 'data' ? packet.data.length : 0;
    bytes += length;
    if (bytes > maxBytes) throw new GitError('limit', `the commands of the push have more than ${maxBytes} bytes`);
    limits.onBytes?.(length);
    return packet;
  };
  const commands: PushCommand[] = [];
  const shallow: Sha[] = [];
  let words: string[] = [];
  let sends = false;
  for (let packet = await nextPacket(); packet.type === 'data'; packet = await nextPacket()) {
    let data = packet.data.at(-1) === newline ? packet.data.subarray(0, -1) : packet.data;
    const nul = data.indexOf(0);
    if (nul >= 0) {
      if (commands.length === 0) words = data.toString('utf8', nul + 1).split(' ');
      data = data.subarray(0, nul);
    }
    const line = data.toString('utf8');
    if (line.startsWith('push-cert')) throw new GitError('invalid', 'signed pushes are not supported');
    if (line.startsWith('shallow ')) {
      const id = line.slice('shallow '.length);
      if (!isSha(id) || shallow.length >= maxCommands) throw new GitError('invalid', 'not a shallow line');
      shallow.push(id);
    } else {
      const command = parseCommand(line, data);
      sends ||= command.new !== ZERO_SHA;
      if (commands.length < maxCommands) commands.push(command);
      else excess = 'commands';
    }
  }
  const pushOptions: string[] = [];
  if (words.includes('push-options') && commands.length > 0) {
    for (let packet = await nextPacket(); packet.type === 'data'; packet = await nextPacket()) {
      const option = packet.data.toString('utf8').replace(/\n$/, '');
      if (Buffer.byteLength(option) > maxPushOptionBytes) excess ??= 'option-bytes';
      else if (pushOptions.length >= maxPushOptions) excess ??= 'options';
      else pushOptions.push(option);
    }
  }
  const value = (key: string) => words.find((word) => word.startsWith(`${key}=`))?.slice(key.length + 1) ?? '';
  if (value('object-format') !== '' && value('object-format') !== 'sha1') {
    throw new GitError('invalid', 'only repositories with SHA-1 object ids are served');
  }
  return {
    commands,
    capabilities: {
      reportStatus: words.includes('report-status'),
      sideBand: words.includes('side-band-64k'),
      quiet: words.includes('quiet'),
      atomic: words.includes('atomic'),
      agent: value('agent'),
    },
    pushOptions,
    excess,
    shallow,
    pack: sends ? reader.rest() : null,
  };
}

/** Reads what the client still sends, up to a limit, so that it can receive our refusal. True when all was read. */
export async function drainPack(pack: AsyncIterable<Buffer>, maxBytes: number): Promise<boolean> {
  let size = 0;
  for await (const chunk of pack) {
    size += chunk.length;
    if (size > maxBytes) return false;
  }
  return true;
}

export interface CommandOutcome {
  /** The name as the client wrote it. */
  name: string;
  /** Of a name that is no text. */
  bytes?: Buffer;
  /** Null: done. Otherwise one line for the user. */
  error: string | null;
}

function oneLine(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, ' ').slice(0, 1000);
}

/** The bytes of the final report, framed as the client asked for; empty when it wants none. */
export function receiveReport(
  capabilities: ReceiveRequest['capabilities'],
  report: { unpackError: string | null; outcomes: readonly CommandOutcome[] },
): Buffer {
  const lines = [pktLine(`unpack ${report.unpackError === null ? 'ok' : oneLine(report.unpackError)}\n`)];
  for (const { name, bytes, error } of report.outcomes) {
    const end = error === null ? '\n' : ` ${oneLine(error)}\n`;
    lines.push(
      pktLine(
        Buffer.concat([Buffer.from(error === null ? 'ok ' : 'ng '), bytes ?? Buffer.from(name), Buffer.from(end)]),
      ),
    );
  }
  const body = capabilities.reportStatus ? Buffer.concat([...lines, FLUSH]) : Buffer.alloc(0);
  if (!capabilities.sideBand) return body;
  return Buffer.concat([...(body.length > 0 ? [sideBand(1, body)] : []), FLUSH]);
}

/** Lines that the user sees as `remote: ...`; nothing where the client has no side-band. */
export function receiveMessage(capabilities: ReceiveRequest['capabilities'], text: string): Buffer {
  return capabilities.sideBand ? sideBand(2, text.endsWith('\n') ? text : `${text}\n`) : Buffer.alloc(0);
}

/** Progress as git prints it (with its carriage returns); empty for quiet clients. */
export function receiveProgress(capabilities: ReceiveRequest['capabilities'], text: string): Buffer {
  return capabilities.sideBand && !capabilities.quiet ? sideBand(2, text) : Buffer.alloc(0);
}

/** An empty progress frame: send one every five seconds while nothing else goes out, or proxies close the connection. */
export function receiveKeepAlive(capabilities: ReceiveRequest['capabilities']): Buffer {
  return capabilities.sideBand ? pktLine(Buffer.from([2])) : Buffer.alloc(0);
}
