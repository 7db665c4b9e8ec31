/** Lines of a log of any size: where one is, and which hold a text. The log is read once, and never held. */
import type { Job } from '../../../kernel/db/rows.ts';
import { unavailable } from '../../../kernel/http/errors.ts';
import type { CiDependencies } from '../deps.ts';
import { type LogBlock, type LogLine, lineScanner, visibleText, withVisibleText } from './line-scanner.ts';
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
  async function scan(
    job: Log,
    signal: AbortSignal,
    visit: (line: LogLine) => void,
    passed: (block: LogBlock) => boolean,
  ): Promise<number> {
    if (scans >= mostScans) throw unavailable('Too many logs are being searched. Try again later.');
    scans += 1;
    try {
      const scanner = lineScanner(visit, passed);
      for await (const data of await traceStream(deps, job, signal)) scanner.push(data as Buffer);
      return scanner.end();
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
    const visit = (at: { line: number; start_byte: number }): boolean => {
      found = at;
      return wanted.line === undefined ? at.start_byte >= (wanted.byte ?? 0) : at.line >= wanted.line;
    };
    const lines = await scan(
      job,
      signal,
      ({ line, startByte }) => {
        done ||= visit({ line, start_byte: startByte });
      },
      // Nothing before the last line of a block is looked for where that one is not enough.
      ({ line, startByte, lines: count, data }) =>
        done || !visit({ line: line + count - 1, start_byte: startByte + data.subarray(0, -1).lastIndexOf(10) + 1 }),
    );
    return { ...found, lines, size: job.trace_size };
  }

  /** Lines whose visible text holds the text, in any case. */
  async function search(job: Log, text: string, signal: AbortSignal): Promise<LineMatches> {
    const wanted = text.toLowerCase();
    const matches: { line: number; start_byte: number }[] = [];
    let more = false;
    const lines = await scan(
      job,
      signal,
      ({ line, startByte, data }) => {
        if (more || !visibleText(data.toString('utf8')).toLowerCase().includes(wanted)) return;
        if (matches.length === mostMatches) more = true;
        else matches.push({ line, start_byte: startByte });
      },
      ({ data }) => more || !withVisibleText(data.toString('utf8')).toLowerCase().includes(wanted),
    );
    return { matches, more, lines };
  }

  return { position, search };
}
