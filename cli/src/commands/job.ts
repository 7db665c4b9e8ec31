/** `millrace job shell`: a terminal in a running job, over the API of any instance. */
import { parse, UsageError } from '../arguments.ts';
import type { Command, Console, Surroundings } from '../command.ts';

interface Ticket {
  readonly url: string;
  readonly ticket: string;
}

/** Refused or failed, in the words of the server. */
class Refused extends Error {
  override readonly name = 'Refused';
}

async function ticketFor(base: string, project: string, job: string, token: string): Promise<Ticket> {
  const address = `${base}/api/v4/projects/${encodeURIComponent(project)}/jobs/${job}/terminal`;
  const response = await fetch(address, { method: 'POST', headers: { 'PRIVATE-TOKEN': token } }).catch(
    (error: Error & { cause?: Error }) => {
      throw new Refused(`${base} cannot be reached: ${error.cause?.message ?? error.message}`);
    },
  );
  const body = (await response.json().catch(() => ({}))) as Ticket & { message?: unknown; error?: unknown };
  if (response.status !== 201)
    throw new Refused(String(body.message ?? body.error ?? `the server answered ${response.status}`));
  return body;
}

/** Joins the console and the shell until the shell ends; the exit code. What ended it from outside is said. */
async function converse({ url, ticket }: Ticket, base: string, { input, output }: Console): Promise<number> {
  const address = new URL(new URL(url).pathname, base);
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  const socket = new WebSocket(address, ['terminal.millrace', `ticket.${ticket}`]);
  socket.binaryType = 'arraybuffer';
  const size = () => {
    const { columns = 80, rows = 24 } = output as { columns?: number; rows?: number };
    socket.send(JSON.stringify({ columns, rows }));
  };
  const type = (bytes: Uint8Array) => socket.send(bytes as Uint8Array<ArrayBuffer>);
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.addEventListener('close', ({ code, reason }) => resolve({ code, reason }));
  });
  socket.addEventListener('message', ({ data }) => void output.write(Buffer.from(data as ArrayBuffer)));
  socket.addEventListener('open', () => {
    size();
    if (input.isTTY) input.setRawMode(true);
    input.on('data', type);
    // Without a keyboard the end of the input is the end of the shell.
    input.once('end', () => type(Buffer.from([4])));
    output.on('resize', size);
    input.resume();
  });
  const { code, reason } = await closed;
  if (input.isTTY) input.setRawMode(false);
  input.off('data', type);
  output.off('resize', size);
  input.pause();
  if (code !== 1000) throw new Refused(reason || 'The connection was lost');
  return 0;
}

async function shell(args: readonly string[], around: Surroundings): Promise<number> {
  const { words, options } = parse(args, ['PROJECT', 'JOB'], { url: 'string' });
  const [project, job] = words;
  if (!/^\d{1,15}$/.test(job)) throw new UsageError(`JOB is ${job}, but must be the id of a job`);
  const token = around.env.MILLRACE_TOKEN;
  if (!token) throw new UsageError('MILLRACE_TOKEN is not set: an access token with the scope api');
  const base = (options.url ?? around.env.MILLRACE_URL ?? 'http://127.0.0.1:8080').replace(/\/+$/, '');
  if (!/^https?:$/.test(URL.parse(base)?.protocol ?? '')) throw new UsageError(`${base} is not an HTTP URL`);
  return await converse(await ticketFor(base, project, job, token), base, around.console());
}

export const jobCommand: Command = {
  name: 'job',
  summary: 'Open a shell in a running job',
  usage: ['millrace job shell PROJECT JOB [--url URL]'],
  async run(args, around) {
    const [form, ...rest] = args;
    if (form !== 'shell') throw new UsageError(form === undefined ? 'shell is missing' : `there is no job ${form}`);
    return await shell(rest, around);
  },
};
