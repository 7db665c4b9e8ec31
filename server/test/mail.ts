/** A real SMTP server in the test's process: what it takes is kept to be looked at. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Whether it came over TLS. */
  readonly secure: boolean;
  readonly user: string | null;
  readonly text: string;
  readonly html: string;
  /** The first link of the plain part. */
  readonly link: string | null;
  readonly attachments: readonly { readonly filename: string; readonly type: string; readonly content: string }[];
  header(name: string): string | null;
}

export interface MailServer {
  /** `smtp://user:password@127.0.0.1:PORT` */
  readonly url: string;
  readonly received: readonly ReceivedMail[];
  /** How many recipients it refused. */
  readonly refused: number;
  /** Answers every recipient with this from now on; null takes them again. */
  refuse(answer: string | null): void;
  /** The next message to the address that was not asked for before. */
  next(to: string, milliseconds?: number): Promise<ReceivedMail>;
  close(): Promise<void>;
}

function decoded(body: string, encoding: string): string {
  if (/base64/i.test(encoding)) return Buffer.from(body, 'base64').toString('utf8');
  if (!/quoted-printable/i.test(encoding)) return body;
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

const headerOf = (head: string, name: string): string | null => {
  const line = new RegExp(`^${name}:((?:.|\r\n[ \t])*)$`, 'im').exec(head);
  return line?.[1]?.replace(/\r\n[ \t]/g, ' ').trim() ?? null;
};

function split(part: string): { head: string; body: string } {
  const end = part.indexOf('\r\n\r\n');
  return { head: part.slice(0, end), body: part.slice(end + 4) };
}

/** The parts of a message, those within parts among them. */
function partsOf(head: string, body: string): { head: string; body: string }[] {
  const boundary = /boundary="([^"]+)"/.exec(head)?.[1];
  if (boundary === undefined) return [{ head, body }];
  return body.split(`--${boundary}`).flatMap((text) => {
    const part = split(text);
    return partsOf(part.head, part.body);
  });
}

function parse(raw: string, envelope: Pick<ReceivedMail, 'from' | 'to' | 'secure' | 'user'>): ReceivedMail {
  const { head, body } = split(raw);
  const parts = partsOf(head, body);
  const of = (type: string) => {
    const part = parts.find((each) => headerOf(each.head.trimStart(), 'Content-Type')?.startsWith(type));
    return part ? decoded(part.body, headerOf(part.head, 'Content-Transfer-Encoding') ?? '') : '';
  };
  const text = of('text/plain');
  return {
    ...envelope,
    text,
    html: of('text/html'),
    link: /https?:\/\/\S+/.exec(text)?.[0] ?? null,
    attachments: parts.flatMap((part) => {
      const about = part.head.trimStart();
      const disposition = headerOf(about, 'Content-Disposition') ?? '';
      if (!disposition.startsWith('attachment')) return [];
      const content = decoded(part.body, headerOf(about, 'Content-Transfer-Encoding') ?? '');
      const filename = /filename="?([^";]+)/.exec(disposition)?.[1] ?? '';
      return [{ filename, type: headerOf(about, 'Content-Type')?.split(';')[0] ?? '', content }];
    }),
    header: (name) => headerOf(head, name),
  };
}

/** Starts on a free loopback port, with its own certificate for STARTTLS. */
export async function startMailServer(account?: { user: string; password: string }): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const asked = new Set<ReceivedMail>();
  const state: { refusal: string | null; refused: number } = { refusal: null, refused: 0 };
  const server = new SMTPServer({
    authOptional: account === undefined,
    disabledCommands: account === undefined ? ['AUTH'] : [],
    onAuth: (auth, _session, done) => {
      if (auth.username === account?.user && auth.password === account?.password) done(null, { user: auth.username });
      else done(new Error('Invalid username or password'));
    },
    onRcptTo: (_address, _session, done) => {
      if (state.refusal === null) {
        done();
        return;
      }
      state.refused += 1;
      done(Object.assign(new Error(state.refusal.slice(4)), { responseCode: Number(state.refusal.slice(0, 3)) }));
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom === false ? '' : (mailFrom?.address ?? '');
        const envelope = {
          from,
          to: rcptTo.map(({ address }) => address),
          secure: session.secure,
          user: typeof session.user === 'string' ? session.user : null,
        };
        received.push(parse(Buffer.concat(chunks).toString('utf8'), envelope));
        done();
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const login = account ? `${encodeURIComponent(account.user)}:${encodeURIComponent(account.password)}@` : '';
  return {
    url: `smtp://${login}127.0.0.1:${port}`,
    received,
    get refused() {
      return state.refused;
    },
    refuse: (answer) => {
      state.refusal = answer;
    },
    next: async (to, milliseconds = 60_000) => {
      const deadline = performance.now() + milliseconds;
      for (;;) {
        const found = received.find((each) => each.to.includes(to) && !asked.has(each));
        if (found) {
          asked.add(found);
          return found;
        }
        if (performance.now() > deadline)
          throw new Error(`no mail to ${to}; there is ${received.map((each) => each.to)}`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
