/** One WebSocket and the terminal behind it: binary frames are bytes, text frames the size of the window as JSON. */
import type { RawData, WebSocket } from 'ws';
import { messageOf } from '../errors.ts';
import type { OpenTerminal, Size, Terminal } from './types.ts';

const MOST_BUFFERED = 1024 * 1024;
const DEFAULT_SIZE: Size = { columns: 80, rows: 24 };
/** The size comes as the first message; shells read it once when they start. */
const WAIT_FOR_SIZE = 300;

function sizeOf(text: string): Size | undefined {
  try {
    const { columns, rows } = JSON.parse(text) as Partial<Size>;
    const whole = (value: unknown): value is number => Number.isInteger(value) && Number(value) > 0;
    return whole(columns) && whole(rows) && columns <= 1000 && rows <= 1000 ? { columns, rows } : undefined;
  } catch {
    return undefined;
  }
}

const bytesOf = (raw: RawData): Buffer =>
  Array.isArray(raw) ? Buffer.concat(raw) : raw instanceof ArrayBuffer ? Buffer.from(raw) : raw;

/** Serves the connection with a terminal of its own. Returns how to end it; `ended` is called once. */
export function attach(connection: WebSocket, open: OpenTerminal, ended: () => void): (why: string) => void {
  let terminal: Terminal | undefined;
  let over = false;
  let size: Size | undefined;
  const early: Buffer[] = [];
  const sized = Promise.withResolvers<void>();

  const end = (code: number, reason: string) => {
    if (over) return;
    over = true;
    terminal?.end();
    connection.close(code, reason.slice(0, 100));
    setTimeout(() => connection.terminate(), 2000).unref();
    ended();
  };
  connection.on('error', () => connection.terminate());
  connection.on('close', () => end(1000, ''));
  connection.on('message', (raw, binary) => {
    if (!binary) {
      size = sizeOf(bytesOf(raw).toString('utf8')) ?? size;
      sized.resolve();
      if (size) terminal?.resize(size);
    } else if (!terminal) early.push(bytesOf(raw));
    else if (!terminal.input.write(bytesOf(raw))) {
      connection.pause();
      terminal.input.once('drain', () => connection.resume());
    }
  });

  async function serve(): Promise<void> {
    const timer = setTimeout(sized.resolve, WAIT_FOR_SIZE);
    await sized.promise;
    clearTimeout(timer);
    if (over) return;
    const first = size ?? DEFAULT_SIZE;
    const opened = await open(first);
    terminal = opened;
    if (over) return opened.end();
    if (size && size !== first) opened.resize(size);
    opened.input.on('error', () => undefined);
    for (const bytes of early) opened.input.write(bytes);
    opened.output.on('data', (bytes: Buffer) => {
      connection.send(bytes, { binary: true }, () => {
        if (connection.bufferedAmount < MOST_BUFFERED) opened.output.resume();
      });
      if (connection.bufferedAmount >= MOST_BUFFERED) opened.output.pause();
    });
    await opened.exited;
    end(1000, 'The shell ended');
  }

  serve().catch((error: unknown) => end(1011, messageOf(error)));
  return (why) => end(1001, why);
}
