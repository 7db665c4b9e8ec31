/** The server's side of clones at once: the requests of eight clients by hand, their answers thrown away. */
import { connect } from 'node:net';
import { type Context, timeRow, within } from '../context.ts';
import { timed } from '../load.ts';

const clients = 8;

const line = (text: string) => `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`;

/** What a version 2 client sends for a clone of these tips. */
function cloneRequest(tips: readonly string[], more: readonly string[] = []): Buffer {
  const features = ['thin-pack', 'no-progress', 'include-tag', 'ofs-delta', ...more];
  const wants = tips.map((tip) => line(`want ${tip}\n`)).join('');
  const head = `${line('command=fetch')}${line('agent=git/bench')}${line('object-format=sha1')}0001`;
  return Buffer.from(`${head}${features.map(line).join('')}${wants}${line('done\n')}0000`);
}

/** Sends a request and reads the whole answer; fails unless it is a success. */
function take(remote: string, body: Buffer): Promise<void> {
  const url = new URL(remote);
  const authorization = `Basic ${Buffer.from(`${url.username}:${url.password}`).toString('base64')}`;
  const head = [
    `POST ${url.pathname}/git-upload-pack HTTP/1.1`,
    `Host: ${url.host}`,
    'Content-Type: application/x-git-upload-pack-request',
    `Content-Length: ${body.length}`,
    'Git-Protocol: version=2',
    'Connection: close',
    ...(url.username ? [`Authorization: ${authorization}`] : []),
  ];
  return new Promise((resolve, reject) => {
    const socket = connect(Number(url.port), url.hostname);
    let first = '';
    let received = 0;
    socket.on('data', (data) => {
      if (received === 0) first = data.toString('latin1', 0, 40);
      received += data.length;
    });
    socket.once('error', reject);
    socket.once('close', () => {
      if (/^HTTP\/1.1 200/.test(first) && received > 1000) resolve();
      else reject(new Error(`a clone was answered with ${first}`));
    });
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    socket.write(body);
  });
}

export async function clonesAtOnce(
  context: Context,
  remoteOf: (loaded: Context['ours']) => string,
  native: string,
  tips: readonly string[],
): Promise<void> {
  for (const [name, times, body] of [
    ['full', 5, cloneRequest(tips)],
    ['depth 1', 10, cloneRequest(tips, ['deepen 1'])],
  ] as const) {
    const all = (remote: string) => timed(() => Promise.all(Array.from({ length: clients }, () => take(remote, body))));
    // The first of all makes the answer, and is a row of its own.
    const first = await all(remoteOf(context.ours));
    context.add({
      name: `server side of ${clients} clones at once, ${name}, first time`,
      ours: { p50: first, p95: first },
      native: await all(native).then((time) => ({ p50: time, p95: time })),
    });
    await timeRow(
      context,
      `server side of ${clients} clones at once, ${name}, repeated`,
      times,
      (loaded) => all(remoteOf(loaded)),
      () => all(native),
      { goal: within(0.2) },
    );
  }
}
