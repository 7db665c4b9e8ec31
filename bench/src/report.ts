/** Rows and how they are shown: figures of ours, the peer and the machine's limit side by side, and their ratios. */
import { cpus, release, totalmem } from 'node:os';

export interface Figure {
  /** Per second, at several connections. */
  readonly rate?: number;
  /** Milliseconds of one after the other. */
  readonly p50?: number;
  readonly p95?: number;
  readonly p99?: number;
  readonly megabytes?: number;
}

export interface Row {
  readonly name: string;
  readonly ours: Figure;
  readonly peer?: Figure;
  readonly native?: Figure;
  /** What the issue asks for, and whether it holds. */
  readonly goal?: { readonly text: string; readonly met: boolean };
  readonly note?: string;
}

const short = (value: number) => (value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3));

function shown(figure: Figure | undefined): string {
  if (!figure) return '';
  const { rate, p50, p95, p99, megabytes } = figure;
  const parts: string[] = [];
  if (rate !== undefined) parts.push(`${short(rate)}/s`);
  if (p50 !== undefined)
    parts.push(`${[p50, p95, p99].flatMap((time) => (time === undefined ? [] : [short(time)])).join(' / ')} ms`);
  if (megabytes !== undefined) parts.push(`${short(megabytes)} MB`);
  return parts.join(', ');
}

/** How many times as fast (rates), or as long or large (the rest), ours is. */
function ratio(ours: Figure, other: Figure | undefined): string {
  if (!other) return '';
  const pairs = [
    [ours.rate, other.rate],
    [ours.p50, other.p50],
    [ours.megabytes, other.megabytes],
  ] as const;
  for (const [mine, theirs] of pairs) if (mine && theirs) return `${(mine / theirs).toPrecision(3)} x`;
  return '';
}

const columns = ['row', 'ours', 'peer', 'ours/peer', 'native', 'ours/native', 'goal', 'note'] as const;

const cells = (row: Row): string[] => [
  row.name,
  shown(row.ours),
  shown(row.peer),
  ratio(row.ours, row.peer),
  shown(row.native),
  ratio(row.ours, row.native),
  row.goal ? `${row.goal.text}: ${row.goal.met ? 'yes' : 'NO'}` : '',
  row.note ?? '',
];

/** One line for a terminal. */
export const line = (row: Row): string =>
  cells(row)
    .map((cell, index) => (cell && index > 0 ? `${columns[index]} ${cell}` : cell))
    .filter(Boolean)
    .join(' | ');

export function machine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} x ${model}, ${memory} GB, Linux ${release()}, Node ${process.version}`;
}

/** The whole report as Markdown; columns without any figure are left out. */
export function markdown(title: string, facts: readonly string[], rows: readonly Row[]): string {
  const all = rows.map(cells);
  const kept = columns.map((_column, index) => index).filter((index) => all.some((row) => row[index]));
  const lineOf = (row: readonly (string | undefined)[]) => `| ${kept.map((index) => row[index] ?? '').join(' | ')} |`;
  return [
    `# ${title}`,
    '',
    ...facts.map((fact) => `- ${fact}`),
    '',
    lineOf(columns),
    lineOf(columns.map(() => '---')),
    ...all.map(lineOf),
    '',
  ].join('\n');
}

/** The goal of a rate that is at least so many times the peer's. */
export const atLeast = (times: number, ours: Figure, peer: Figure): NonNullable<Row['goal']> => ({
  text: `>= ${times} x the peer`,
  met: (ours.rate ?? 0) >= times * (peer.rate ?? Number.POSITIVE_INFINITY),
});

/** The goal of a time that stays below so many milliseconds in that share of the requests. */
export const below = (limit: number, what: 'p95' | 'p99', figure: Figure): NonNullable<Row['goal']> => ({
  text: `${what} < ${limit} ms`,
  met: (figure[what] ?? Number.POSITIVE_INFINITY) < limit,
});
