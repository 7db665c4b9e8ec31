/** The small text that stands in a repository for an object of Git LFS: https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md */

export interface LfsPointer {
  readonly oid: string;
  readonly size: number;
}

/** Bytes. Pointers of clients have about 130; the ecosystem looks at no larger files either. */
export const longestPointer = 200;

const versions = new Set([
  'https://git-lfs.github.com/spec/v1',
  'http://git-media.io/v/2',
  'https://hawser.github.com/spec/v1',
]);

/** What a file points at; null for files that are no pointers. */
export function readPointer(content: Buffer): LfsPointer | null {
  if (content.length === 0 || content.length > longestPointer) return null;
  const [version = '', ...lines] = content.toString('utf8').trimEnd().split(/\r?\n/);
  if (!version.startsWith('version ') || !versions.has(version.slice('version '.length))) return null;
  const values = new Map(lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]));
  const oid = /^sha256:([0-9a-f]{64})$/.exec(values.get('oid') ?? '')?.[1];
  const size = values.get('size') ?? '';
  return oid !== undefined && /^\d{1,15}$/.test(size) ? { oid, size: Number(size) } : null;
}
