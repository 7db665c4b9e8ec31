/** Lines of a log of any size: where one is, and which hold a text. The log is read once, and never held. */
import type { Job } from '../../../kernel/db/rows.ts';
import { unavailable } from '../../../kernel/http/errors.ts';
import type { CiDependencies } from '../deps.ts';
import { type LogLine, lineScanner, visibleText } from './line-scanner.ts';
import { type TraceJob, traceStream } from './trace-stream.ts';

type Deps = Pick<CiDependencies, 'db' | 'objects'>;
type Log = TraceJob & Pick<Job, 'trace_size'>;

/** Logs that one process reads through at once. */
const mostScans = 4;
/** Matches of a search. */
export const mostMatches = 1000;

export interface LinePosition {
  readonly line: number;
  readonly start_byte: number;
  readonly lines: number;
  readonly size: number;
}

export interface LineMatches {
  readonly matches: readonly { readonly line: number; readonly start_byte: number }[];
  readonly more: boolean;
  readonly lines: number;
}

export function logLines(deps: Deps) {
  let scans = 0;

  /** How many lines were read. */
  async function scan(job: Log, signal: AbortSignal, visit: (line: LogLine) => void): Promise<number> {
    if (scans >= mostScans) throw unavailable('Too many logs are being searched. Try again later.');
    scans += 1;
    try {
      let lines = 0;
      const scanner = lineScanner((line) => {
        lines = line.line;
        visit(line);
      });
      for await (const data of await traceStream(deps, job, signal)) scanner.push(data as Buffer);
      scanner.end();
      return lines;
    } finally {
      scans -= 1;
    }
  }

  /** The line with the number, or the first that begins at the byte or after it; the last one when there is none. */
  async function position(
    job: Log,
    wanted: { readonly line?: number | undefined; readonly byte?: number | undefined },
    signal: AbortSignal,
  ): Promise<LinePosition> {
    let found: { line: number; start_byte: number } = { line: 1, start_byte: 0 };
    let done = false;
    const lines = await scan(job, signal, ({ line, startByte }) => {
      if (done) return;
      found = { line, start_byte: startByte };
      done = wanted.line === undefined ? startByte >= (wanted.byte ?? 0) : line >= wanted.line;
    });
    return { ...found, lines, size: job.trace_size };
  }

  /** Lines whose visible text holds the text, in any case. */
  async function search(job: Log, text: string, signal: AbortSignal): Promise<LineMatches> {
    const wanted = text.toLowerCase();
    const matches: { line: number; start_byte: number }[] = [];
    let more = false;
    const lines = await scan(job, signal, ({ line, startByte, data }) => {
      if (more || !visibleText(data.toString('utf8')).toLowerCase().includes(wanted)) return;
      if (matches.length === mostMatches) more = true;
      else matches.push({ line, start_byte: startByte });
    });
    return { matches, more, lines };
  }

  return { position, search };
}
