/** A job's log: all of it when it is short, else the part that is looked at; more of it is read as it arrives. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { parseLog } from '../../lib/ansi/log.ts';
import { client, type Schemas, unwrap } from '../../lib/api.ts';
import { latestCursor } from '../../lib/cursors.ts';
import { subscribeTopics } from '../../lib/live.ts';

const pauseMilliseconds = 400;
/** Bytes that are read at once; logs up to this size are shown whole. Of short lines, a part takes fifty times its size. */
const partBytes = 512 * 1024;
/** Bytes that are held while a log grows. */
const mostBytes = 1.5 * partBytes;
/** Lines that are shown above one that is asked for. */
const linesAbove = 100;

export interface TracePart {
  readonly text: string;
  /** Number of the first line of the text. */
  readonly firstLine: number;
  /** Whether the text begins, and ends, where the log does. */
  readonly atStart: boolean;
  readonly atEnd: boolean;
  /** Lines of the whole log when it was last counted. */
  readonly lines: number | null;
}

export interface Trace extends TracePart {
  readonly failed: boolean;
  readonly first: () => void;
  readonly previous: () => void;
  readonly next: () => void;
  readonly last: () => void;
  /** Shows the part that holds a line. */
  readonly show: (line: number) => void;
  readonly search: (text: string) => Promise<Schemas['LogSearch']>;
}

interface Held {
  readonly data: Uint8Array<ArrayBuffer>;
  readonly start: number;
  readonly size: number;
  readonly firstLine: number;
  readonly lines: number | null;
}

const newline = 10;
const endOf = (held: Held) => held.start + held.data.length;
const textOf = (held: Held) => new TextDecoder().decode(held.data);

function partOf(held: Held): TracePart {
  const { firstLine, lines, start } = held;
  return { text: textOf(held), firstLine, lines, atStart: start === 0, atEnd: endOf(held) >= held.size };
}

/** Without the begun line at its end, where more of it follows. */
function wholeLines(held: Held): Held {
  const end = held.data.lastIndexOf(newline) + 1;
  return endOf(held) >= held.size || end === 0 ? held : { ...held, data: held.data.subarray(0, end) };
}

export function useTrace(projectId: number, jobId: number, running: boolean): Trace | null {
  const held = useRef<Held | null>(null);
  const [part, setPart] = useState<TracePart | null>(null);
  const [failed, setFailed] = useState(false);
  const path = useMemo(() => ({ id: projectId, job_id: jobId }), [projectId, jobId]);
  // Another job has another log.
  useEffect(() => {
    void jobId;
    return () => {
      held.current = null;
      setPart(null);
    };
  }, [jobId]);

  const keep = useCallback((next: Held) => {
    held.current = next;
    setPart(partOf(next));
    setFailed(false);
  }, []);

  /** The bytes that a `Range` means; without any when there are none. */
  const bytes = useCallback(
    async (range: string, signal?: AbortSignal) => {
      const response = await fetch(`/api/v4/projects/${projectId}/jobs/${jobId}/trace`, {
        headers: { Range: `bytes=${range}` },
        ...(signal ? { signal } : {}),
      });
      const [, first, size] = /^bytes (?:(\d+)-\d+|\*)\/(\d+)$/.exec(response.headers.get('Content-Range') ?? '') ?? [];
      if (response.status === 416)
        return { data: new Uint8Array(0), start: Number(size ?? 0), size: Number(size ?? 0) };
      if (!response.ok) throw new Error(`The log could not be read (${response.status}).`);
      const data = new Uint8Array(await response.arrayBuffer());
      return { data, start: Number(first ?? 0), size: Number(size ?? data.length) };
    },
    [projectId, jobId],
  );

  const position = useCallback(
    (query: { line: number } | { byte: number }) =>
      unwrap(client.GET('/projects/{id}/jobs/{job_id}/trace/position', { params: { path, query } })),
    [path],
  );

  const readEnd = useCallback(
    async (signal?: AbortSignal) => {
      const read = await bytes(`-${partBytes}`, signal);
      if (read.start === 0 || read.data.length === 0) return keep({ ...read, start: 0, firstLine: 1, lines: null });
      const at = await position({ byte: read.start });
      const cut = Math.max(0, at.start_byte - read.start);
      keep({ ...read, data: read.data.subarray(cut), start: read.start + cut, firstLine: at.line, lines: at.lines });
    },
    [bytes, keep, position],
  );

  const readFrom = useCallback(
    async (at: { readonly line: number; readonly start_byte: number; readonly lines: number | null }) => {
      const read = await bytes(`${at.start_byte}-${at.start_byte + partBytes - 1}`);
      keep(wholeLines({ ...read, start: at.start_byte, firstLine: at.line, lines: at.lines }));
    },
    [bytes, keep],
  );

  useEffect(() => {
    const stop = new AbortController();
    let busy = false;
    let wanted = false;
    /** What came since; the whole end when it is not known where that begins. */
    const grow = async () => {
      const now = held.current;
      if (now === null || now.size === 0) return await readEnd(stop.signal);
      if (endOf(now) < now.size) return;
      // With the last byte that is known: a range without any bytes would be an error.
      const known = endOf(now) - 1;
      const read = await bytes(`${known}-`, stop.signal);
      if (read.size === endOf(now)) return;
      // A log that arrived damaged is written again from its start.
      if (read.size < endOf(now) || now.data.length + read.data.length > mostBytes) return await readEnd(stop.signal);
      const fresh = read.data.subarray(1);
      const data = new Uint8Array(now.data.length + fresh.length);
      data.set(now.data);
      data.set(fresh, now.data.length);
      keep({ ...now, data, size: read.size });
    };
    const read = async () => {
      if (busy) {
        wanted = true;
        return;
      }
      busy = true;
      await grow().catch(() => {
        if (!stop.signal.aborted) setFailed(true);
      });
      if (stop.signal.aborted) return;
      setTimeout(() => {
        busy = false;
        if (!wanted || stop.signal.aborted) return;
        wanted = false;
        void read();
      }, pauseMilliseconds);
    };
    const since = latestCursor();
    void read();
    const leave = running ? subscribeTopics([`job:${jobId}:trace`], () => void read(), since) : () => undefined;
    return () => {
      stop.abort();
      leave();
    };
    // Read once more when the job ends: the last lines come with it.
  }, [jobId, running, bytes, keep, readEnd]);

  const go = (work: (now: Held) => Promise<void>) => () => {
    if (held.current) work(held.current).catch(() => setFailed(true));
  };
  if (part === null) return null;
  return {
    ...part,
    failed,
    first: go((now) => readFrom({ line: 1, start_byte: 0, lines: now.lines })),
    last: go(() => readEnd()),
    previous: go(async ({ start }) => readFrom(await position({ byte: Math.max(0, start - partBytes) }))),
    next: go(async (now) => {
      const last = parseLog(textOf(now), now.firstLine).lines.at(-1)?.number ?? now.firstLine - 1;
      await readFrom({ line: last + 1, start_byte: endOf(now), lines: now.lines });
    }),
    show: (line) => go(async () => readFrom(await position({ line: Math.max(1, line - linesAbove) })))(),
    search: (search) =>
      unwrap(client.GET('/projects/{id}/jobs/{job_id}/trace/search', { params: { path, query: { search } } })),
  };
}
