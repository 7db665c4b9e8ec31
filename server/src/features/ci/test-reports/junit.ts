/** Reads JUnit reports: test cases with their status and output, within limits of number and time. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { XmlError, type XmlEvent, xmlEvents } from './xml.ts';

export const caseStatuses = ['error', 'failed', 'success', 'skipped'] as const;
export type CaseStatus = (typeof caseStatuses)[number];

export interface TestCase {
  readonly status: CaseStatus;
  /** Of the `testsuite` around it. */
  readonly suite: string | null;
  readonly name: string | null;
  readonly classname: string | null;
  readonly file: string | null;
  /** Seconds. */
  readonly time: number;
  readonly output: string | null;
  /** Path in the archive of the job, of a picture for instance. */
  readonly attachment: string | null;
}

export interface JobReport {
  readonly cases: readonly TestCase[];
  /** Seconds of all cases, also of those that a later one with the same name replaced. */
  readonly time: number;
  /** Why the report counts for nothing; null where it was read. */
  readonly error: string | null;
}

/** Test cases of the reports of one job. */
const maxCases = 100_000;
/** Events after which others get their turn. */
const eventsAtOnce = 5_000;

const outcomes: ReadonlyMap<string, CaseStatus> = new Map([
  ['failure', 'failed'],
  ['error', 'error'],
  ['skipped', 'skipped'],
]);
const groups: ReadonlySet<string> = new Set(['testsuites', 'testsuite']);
const streams: ReadonlySet<string> = new Set(['system-out', 'system-err']);
const attachmentPattern = /\[\[ATTACHMENT\|([^[\]|]{1,1024})\]\]/;

class LimitError extends Error {}

/** A case while its element is open. */
interface OpenCase {
  readonly attributes: ReadonlyMap<string, string>;
  readonly suite: string | null;
  readonly parts: Map<string, string[]>;
}

function secondsOf(text: string | undefined): number {
  const seconds = Number.parseFloat(text ?? '');
  return Number.isFinite(seconds) && seconds > 0 ? seconds : 0;
}

function caseOf({ attributes, suite, parts }: OpenCase): TestCase {
  const found = [...outcomes].find(([element]) => parts.has(element));
  const status = found?.[1] ?? 'success';
  const told = found ? (parts.get(found[0]) ?? []).filter((text) => text !== '') : [];
  const failing = status === 'failed' || status === 'error';
  const out = parts.get('system-out')?.join('\n');
  const err = parts.get('system-err')?.join('\n');
  const output = [
    ...told,
    ...(failing && out !== undefined ? [`System Out:\n\n${out}`] : []),
    ...(failing && err !== undefined ? [`System Err:\n\n${err}`] : []),
  ];
  return {
    status,
    suite,
    name: attributes.get('name') ?? null,
    classname: attributes.get('classname') ?? null,
    file: attributes.get('file') ?? null,
    time: secondsOf(attributes.get('time')),
    output: output.length > 0 ? output.join('\n\n') : null,
    attachment: (failing && attachmentPattern.exec(out ?? '')?.[1]) || null,
  };
}

/** The cases of the events, one by one: those of suites, wherever these are in each other. */
function caseReader() {
  const around: Array<{ readonly name: string; readonly suite: string | null }> = [];
  let current: OpenCase | null = null;
  /** The element below the case whose text is read. */
  let part: { readonly name: string; readonly depth: number; readonly message: string; text: string } | null = null;

  function opened(name: string, attributes: ReadonlyMap<string, string>): void {
    const place = around.at(-1);
    const inGroups = around.every((each) => groups.has(each.name));
    if (current === null && name === 'testcase' && place && inGroups)
      current = { attributes, suite: place.suite, parts: new Map() };
    else if (current !== null && part === null && (outcomes.has(name) || streams.has(name)))
      part = { name, depth: around.length, message: attributes.get('message') ?? '', text: '' };
    const suite = name === 'testsuite' || name === 'testsuites' ? (attributes.get('name') ?? null) : null;
    around.push({ name, suite });
  }

  function closed(): TestCase | null {
    const { name } = around.pop() as { name: string };
    if (current !== null && part !== null && part.depth === around.length) {
      const said = part.text.trim() === '' ? part.message : part.text;
      current.parts.set(part.name, [...(current.parts.get(part.name) ?? []), said]);
      part = null;
    }
    if (current === null || name !== 'testcase' || around.some((each) => !groups.has(each.name))) return null;
    const ended = caseOf(current);
    current = null;
    return ended;
  }

  return (event: XmlEvent): TestCase | null => {
    if (event.kind === 'open') opened(event.name, event.attributes);
    else if (event.kind === 'close') return closed();
    else if (part !== null) part.text += event.text;
    return null;
  };
}

/** Two cases with the same key are one: the later one counts. */
export const caseKey = ({ suite, classname, name }: TestCase): string => JSON.stringify([suite, classname, name]);

/** Byte order marks count as blank, as in XML. */
const isBlank = (text: string): boolean => /^[\s\uFEFF]*$/.test(text);

/**
 * Reads the reports of a job, one file after the other, each with one document or several. Empty files count for nothing beside
 * others. What cannot be read is an error of the whole.
 */
export async function readJunitFiles(files: AsyncIterable<string> | readonly string[]): Promise<JobReport> {
  const cases = new Map<string, TestCase>();
  let time = 0;
  let seen = 0;
  let events = 0;
  let found = 0;
  async function read(text: string): Promise<void> {
    const next = caseReader();
    for (const event of xmlEvents(text)) {
      const each = next(event);
      if (each) {
        seen++;
        if (seen > maxCases) throw new LimitError(`number of test cases exceeded the limit of ${maxCases}`);
        cases.set(`${each.status} ${caseKey(each)}`, each);
        time += each.time;
      }
      if (++events % eventsAtOnce === 0) await nextTurn();
    }
  }
  try {
    for await (const text of files) {
      if (isBlank(text)) continue;
      found++;
      await read(text);
    }
    if (found === 0) await read('');
  } catch (error) {
    if (error instanceof XmlError) return { cases: [], time: 0, error: `JUnit XML parsing failed: ${error.message}` };
    if (error instanceof LimitError)
      return { cases: [], time: 0, error: `JUnit data parsing failed: ${error.message}` };
    throw error;
  }
  return { cases: [...cases.values()], time, error: null };
}
