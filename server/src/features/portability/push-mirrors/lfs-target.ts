/** Objects of Git LFS for a mirror elsewhere: offered in batches, those that it lacks are sent through the guarded way. */
import type { Readable } from 'node:stream';
import type { Outbound } from '../../../kernel/outbound/index.ts';
import { type Row, record, recordIn, text } from '../project-archives/json.ts';
import { type LargeFile, lfsAddress, lfsMedia, type Remote } from '../project-archives/lfs-source.ts';

/** Milliseconds; an upload takes as long as it takes while bytes move. */
const patience = { asking: 30_000, sending: 3_600_000 };
const answerBytes = 4 * 1024 ** 2;
const errorBytes = 64 * 1024;
const agent = { 'User-Agent': 'git-lfs/3.3.0 (millrace)' };

/** Why objects are not there now, in words. */
class NotSent extends Error {}

interface Action {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const told = (status: number) =>
  status === 401 || status === 403
    ? 'the name and password are not enough to send them'
    : status === 404 || status === 501
      ? 'the server has no Git LFS for this repository'
      : `the server answered ${status}`;

/** Where something is sent, by the server's own words; what proves us goes nowhere else. */
function actionOf(row: Row, name: string, asked: string, proof: Remote['headers']): Action | null {
  const { href, header } = record(record(row.actions)[name]);
  const url = text(href) === null ? null : URL.parse(String(href), asked);
  if (!url) return null;
  const given = Object.entries(record(header)).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  const own = url.origin === new URL(asked).origin && row.authenticated !== true;
  return { url: url.href, headers: { ...(own ? proof : {}), ...Object.fromEntries(given) } };
}

export interface LargeObject extends LargeFile {
  read(): Readable;
}

/** Sends the objects of a batch that the server lacks; answers why some did not arrive, one reason each. */
export async function sendLarge(
  outbound: Outbound,
  remote: Remote,
  objects: readonly LargeObject[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { headers: proof } = remote;
  const asked = `${lfsAddress(remote)}/objects/batch`;
  const json = { Accept: lfsMedia, 'Content-Type': lfsMedia };

  async function offers(): Promise<Map<string, Row>> {
    const wanted = objects.map(({ oid, size }) => ({ oid, size }));
    const answer = await outbound.send({
      ...{ url: asked, kind: 'mirror', method: 'POST' },
      headers: { ...agent, ...proof, ...json },
      body: JSON.stringify({ operation: 'upload', transfers: ['basic'], hash_algo: 'sha256', objects: wanted }),
      ...{ timeout: patience.asking, maximumBytes: answerBytes, signal },
    });
    if (!answer.ok) throw new NotSent(answer.message);
    if (answer.status !== 200) throw new NotSent(told(answer.status));
    const rows = recordIn(answer.body.toString('utf8'))?.objects;
    if (!Array.isArray(rows)) throw new NotSent('the server does not speak the protocol of Git LFS');
    return new Map(rows.map(record).flatMap((row) => (text(row.oid) === null ? [] : [[String(row.oid), row]])));
  }

  /** One request of which only the status counts. */
  async function sent(action: Action, request: { method: 'PUT' | 'POST'; body: Readable | string; headers: object }) {
    const answer = await outbound.send({
      ...{ url: action.url, kind: 'mirror', method: request.method, body: request.body },
      headers: { ...agent, ...request.headers, ...action.headers },
      ...{ timeout: patience.sending, maximumBytes: errorBytes, signal },
    });
    if (!answer.ok) throw new NotSent(answer.message);
    if (answer.status < 200 || answer.status > 299) throw new NotSent(told(answer.status));
  }

  async function send(object: LargeObject, row: Row | undefined): Promise<void> {
    if (!row) throw new NotSent('the server says nothing of the object');
    if (row.error !== undefined)
      throw new NotSent(text(record(row.error).message)?.slice(0, 200) ?? 'the server refused the object');
    const upload = actionOf(row, 'upload', asked, proof);
    // Nothing to do: it is there already.
    if (!upload) return;
    const { oid, size } = object;
    const body = object.read();
    try {
      const about = { 'Content-Type': 'application/octet-stream', 'Content-Length': String(size) };
      await sent(upload, { method: 'PUT', body, headers: about });
    } finally {
      body.destroy();
    }
    const verify = actionOf(row, 'verify', asked, proof);
    if (verify) await sent(verify, { method: 'POST', body: JSON.stringify({ oid, size }), headers: json });
  }

  try {
    const rows = await offers();
    const reasons: string[] = [];
    for (const object of objects)
      try {
        await send(object, rows.get(object.oid));
      } catch (error) {
        if (!(error instanceof NotSent)) throw error;
        reasons.push(`${object.oid}: ${error.message}`);
      }
    return reasons;
  } catch (error) {
    if (error instanceof NotSent) return [error.message];
    throw error;
  }
}
