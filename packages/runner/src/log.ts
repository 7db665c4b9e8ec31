/** What the runner itself writes into a job's log: sections and coloured lines that log viewers know. */

export type JobLog = {
  raw(chunk: Buffer): void;
  line(text: string): void;
  title(text: string): void;
  good(text: string): void;
  warn(text: string): void;
  bad(text: string): void;
  /** Runs `body` inside a collapsible section. */
  section<T>(name: string, title: string, body: () => Promise<T>): Promise<T>;
};

const CLEAR = '\r\u001b[0K';

/** Who writes: what the job says is waited for, what the runner says about it is not. */
export type Author = 'job' | 'runner';

/** A log over a sink of bytes. */
export function createJobLog(sink: (chunk: Buffer, author: Author) => void): JobLog {
  const write = (text: string) => sink(Buffer.from(text), 'runner');
  const colour = (code: string) => (text: string) => write(`\u001b[${code}m${text}\u001b[0;m\n`);
  const seconds = () => Math.floor(Date.now() / 1000);
  const title = colour('36;1');
  return {
    raw: (chunk) => sink(chunk, 'job'),
    line: (text) => write(`${text}\n`),
    title,
    good: colour('32;1'),
    warn: colour('0;33'),
    bad: colour('31;1'),
    async section(name, heading, body) {
      write(`section_start:${seconds()}:${name}${CLEAR}`);
      title(heading);
      try {
        return await body();
      } finally {
        write(`section_end:${seconds()}:${name}${CLEAR}`);
      }
    },
  };
}
