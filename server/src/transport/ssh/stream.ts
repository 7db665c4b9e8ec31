/** The two directions of one command: what the client sends, and what it gets, with an end when it stalls or goes away. */

import type { Socket } from 'node:net';
import { PassThrough, type Readable } from 'node:stream';
import type { ServerChannel } from 'ssh2';

/** Bytes that may wait in the socket: the client's window alone would let it make us hold gigabytes. */
const mostUnsent = 1024 * 1024;
/** ssh2's window is two megabytes; it takes what a client sends beyond it too, and so would keep all of it. */
const mostUnread = 4 * 1024 * 1024;

export interface CommandStream {
  readonly input: PassThrough;
  /** Resolves when the client may be given more; rejects when it is gone. */
  send(data: Readable | Uint8Array): Promise<void>;
  /** Lines for the person at the terminal. */
  tell(text: string): void;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
  /** Sends the exit code, and ends the channel. */
  end(code: number): void;
}

/** Ends when nothing moved in either direction for `stallSeconds`. */
export function commandStream(channel: ServerChannel, socket: Socket, stallSeconds: number): CommandStream {
  const controller = new AbortController();
  const { signal } = controller;
  const input = new PassThrough();
  input.on('error', () => {});
  let refuse: ((error: Error) => void) | null = null;
  let over = false;

  const gone = (why: string) => {
    if (over) return;
    over = true;
    clearTimeout(stall);
    socket.off('close', onClose);
    const error = new Error(why);
    controller.abort(error);
    refuse?.(error);
    if (!input.writableEnded) input.destroy(error);
  };
  const stall = setTimeout(() => {
    tell(`Nothing was sent for ${stallSeconds} s (ssh_stall_seconds): the connection ends.`);
    gone('the client stalled');
    socket.destroySoon();
    setTimeout(() => socket.destroy(), 5000).unref();
  }, stallSeconds * 1000);

  const push = channel.push.bind(channel);
  channel.push = (chunk: Buffer | null) => {
    stall.refresh();
    if (chunk !== null && channel.readableLength + chunk.length > mostUnread) {
      socket.destroy();
      return false;
    }
    return push(chunk);
  };
  channel.on('error', () => gone('the channel failed'));
  channel.once('close', () => gone('the client closed the channel'));
  const onClose = () => gone('the connection is closed');
  socket.once('close', onClose);
  channel.pipe(input);

  const write = (chunk: Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => {
      if (over) return reject(new Error('the client is gone'));
      refuse = reject;
      const moved = () => {
        stall.refresh();
        if (socket.writableLength < mostUnsent) return resolve();
        socket.once('drain', moved);
      };
      channel.write(chunk, moved);
    });

  function tell(text: string): void {
    if (over || text === '') return;
    // A terminal without a line discipline of ours: each line ends for both kinds of clients.
    channel.stderr.write(`${text.replace(/\n$/, '')}\n`);
  }

  return {
    input,
    signal,
    tell,
    send: async (data) => {
      if (data instanceof Uint8Array) return await write(data);
      for await (const chunk of data) await write(chunk as Buffer);
    },
    end: (code) => {
      if (over) return;
      over = true;
      clearTimeout(stall);
      socket.off('close', onClose);
      // The client may still send: nobody reads it.
      channel.unpipe(input);
      channel.resume();
      input.destroy();
      channel.exit(code);
      channel.end();
    },
  };
}
