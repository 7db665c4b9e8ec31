/** Reads coverage reports of Cobertura and JaCoCo: for each file, how often its lines ran. */
import { XmlError, xmlEvents } from '../test-reports/xml.ts';
import { type ReadReport, ReportError, type ReportKind, turns } from './kind.ts';

/** Lines of all files of one report. */
const maxLines = 2_000_000;

interface CoveredFile {
  /** The path as the report names it; of JaCoCo it begins at the package. */
  readonly path: string;
  /** Line numbers, each followed by how often it ran. */
  readonly lines: readonly number[];
}

export interface CoverageReport {
  /** Directories that paths may be relative to, within the repository; without slashes around. */
  readonly roots: readonly string[];
  /** Whether paths begin somewhere below a source directory that the report does not name. */
  readonly packaged: boolean;
  readonly files: readonly CoveredFile[];
}

type Attributes = ReadonlyMap<string, string>;

const numberOf = (text: string | undefined): number => {
  const number = /^\d{1,15}$/.test(text ?? '') ? Number(text) : -1;
  return Number.isSafeInteger(number) ? number : -1;
};

/** Collects lines by file; a line that is told several times ran as often as the highest says. */
function collector() {
  const files = new Map<string, Map<number, number>>();
  let count = 0;
  return {
    add(path: string, line: number, hits: number): void {
      if (line < 1 || hits < 0) return;
      const lines = files.get(path) ?? new Map<number, number>();
      files.set(path, lines);
      if (!lines.has(line) && ++count > maxLines)
        throw new ReportError(`number of lines exceeded the limit of ${maxLines}`);
      lines.set(line, Math.max(lines.get(line) ?? 0, hits));
    },
    files: (): CoveredFile[] =>
      [...files].map(([path, lines]) => ({ path, lines: [...lines].sort(([a], [b]) => a - b).flat() })),
  };
}

async function read(
  text: string,
  next: (name: string, attributes: Attributes) => void,
  said: (name: string, text: string) => void,
): Promise<void> {
  const open: string[] = [];
  const turn = turns();
  try {
    for (const event of xmlEvents(text)) {
      if (event.kind === 'open') {
        open.push(event.name);
        next(event.name, event.attributes);
      } else if (event.kind === 'close') open.pop();
      else said(open.at(-1) ?? '', event.text);
      const turned = turn();
      // Waiting for nothing costs more than an event.
      if (turned !== undefined) await turned;
    }
  } catch (error) {
    if (error instanceof XmlError) throw new ReportError(`XML parsing failed: ${error.message}`);
    throw error;
  }
}

function readOf(report: CoverageReport): ReadReport<CoverageReport> {
  let lines = 0;
  let covered = 0;
  for (const file of report.files)
    for (let at = 0; at < file.lines.length; at += 2) {
      lines++;
      if ((file.lines[at + 1] ?? 0) > 0) covered++;
    }
  return { content: report, summary: { files: report.files.length, lines, covered } };
}

/** The part of a source directory below the checkout of the project, wherever runners have put that. */
export function rootBelow(source: string, projectPath: string): string | null {
  const whole = `${source.trim().replaceAll('\\', '/')}/`;
  const mark = `/${projectPath}/`;
  const at = whole.lastIndexOf(mark);
  if (at >= 0) return whole.slice(at + mark.length).replace(/\/+$/, '');
  // Relative to the checkout.
  return whole.startsWith('/') ? null : whole.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '');
}

export const cobertura: ReportKind<CoverageReport> = {
  type: 'cobertura',
  async read(text, { projectPath }) {
    const lines = collector();
    const sources: string[] = [];
    let file: string | null = null;
    await read(
      text,
      (name, attributes) => {
        if (name === 'class') file = attributes.get('filename') ?? null;
        else if (name === 'line' && file !== null)
          lines.add(file, numberOf(attributes.get('number')), numberOf(attributes.get('hits')));
      },
      (name, said) => {
        if (name === 'source' && sources.length < 100 && said.trim() !== '') sources.push(said);
      },
    );
    const roots = sources.map((source) => rootBelow(source, projectPath)).filter((root) => root !== null);
    return readOf({ roots: [...new Set(roots)], packaged: false, files: lines.files() });
  },
};

export const jacoco: ReportKind<CoverageReport> = {
  type: 'jacoco',
  async read(text) {
    const lines = collector();
    let folder = '';
    let file: string | null = null;
    await read(
      text,
      (name, attributes) => {
        if (name === 'package') folder = attributes.get('name') ?? '';
        else if (name === 'sourcefile') {
          const own = attributes.get('name') ?? '';
          file = own === '' ? null : folder === '' ? own : `${folder}/${own}`;
        } else if (name === 'line' && file !== null)
          lines.add(file, numberOf(attributes.get('nr')), numberOf(attributes.get('ci')));
        else if (name === 'class') file = null;
      },
      () => undefined,
    );
    return readOf({ roots: [], packaged: true, files: lines.files() });
  },
};

/** The lines of some files of the repository: `{path: {line: hits}}`, without files that no report knows. */
export function coverageOf(
  reports: readonly CoverageReport[],
  paths: readonly string[],
): Record<string, Record<string, number>> {
  // Maps, as paths are names that others choose.
  const found = new Map<string, Map<string, number>>();
  for (const { roots, packaged, files } of reports) {
    const byPath = new Map<string, CoveredFile>();
    for (const file of files) {
      const path = file.path.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '');
      byPath.set(path, file);
      for (const root of roots) if (root !== '') byPath.set(`${root}/${path}`, file);
    }
    for (const path of paths) {
      const parts = path.split('/');
      const suffixes = packaged ? parts.map((_part, at) => parts.slice(at).join('/')) : [path];
      const file = suffixes.map((suffix) => byPath.get(suffix)).find((each) => each !== undefined);
      if (!file) continue;
      const lines = found.get(path) ?? new Map<string, number>();
      found.set(path, lines);
      for (let at = 0; at < file.lines.length; at += 2) {
        const number = String(file.lines[at]);
        lines.set(number, Math.max(lines.get(number) ?? 0, file.lines[at + 1] ?? 0));
      }
    }
  }
  return Object.fromEntries([...found].map(([path, lines]) => [path, Object.fromEntries(lines)]));
}
