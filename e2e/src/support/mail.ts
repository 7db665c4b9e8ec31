/** An SMTP server for the suite: takes every message and keeps it to be looked at. */
import { createServer, type Socket } from 'node:net';

export interface MailServer {
  /** For `MILLRACE_SMTP_URL`. */
  readonly url: string;
  /** The link in the next message to the address that was not asked for before. */
  link(to: string): Promise<string>;
  close(): Promise<void>;
}

interface MailText {
  readonly to: string[];
  readonly text: string;
}

/** Soft line breaks and escapes of quoted-printable. */
const decoded = (body: string) =>
  body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** One client: commands line by line, the message until its lonely dot. */
function converse(socket: Socket, take: (letter: MailText) => void): void {
  let pending = '';
  let to: string[] = [];
  let message: string[] | null = null;
  const say = (line: string) => socket.write(`${line}\r\n`);
  const command = (line: string) => {
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'RCPT') to.push(/<([^>]+)>/.exec(line)?.[1] ?? '');
    if (verb === 'DATA') {
      message = [];
      return say('354 end with a dot');
    }
    if (verb === 'QUIT') {
      say('221 bye');
      return socket.end();
    }
    return say('250 fine');
  };
  say('220 suite');
  socket.on('data', (chunk) => {
    pending += chunk.toString('latin1');
    for (let end = pending.indexOf('\r\n'); end >= 0; end = pending.indexOf('\r\n')) {
      const line = pending.slice(0, end);
      pending = pending.slice(end + 2);
      if (message === null) command(line);
      else if (line === '.') {
        take({ to, text: decoded(message.join('\r\n')) });
        [message, to] = [null, []];
        say('250 taken');
      } else message.push(line);
    }
  });
  socket.on('error', () => socket.destroy());
}

export async function startMailServer(): Promise<MailServer> {
  const letters: MailText[] = [];
  const server = createServer((socket) => converse(socket, (letter) => letters.push(letter)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `smtp://127.0.0.1:${port}?tls=off`,
    link: async (to) => {
      const deadline = performance.now() + 60_000;
      for (;;) {
        const at = letters.findIndex((letter) => letter.to.includes(to));
        const [letter] = at < 0 ? [] : letters.splice(at, 1);
        const link = letter && /https?:\/\/\S+_token=[\w-]+/.exec(letter.text)?.[0];
        if (link) return link;
        if (performance.now() > deadline) throw new Error(`no link was sent to ${to}`);
        if (!letter) await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
