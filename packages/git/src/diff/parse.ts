/** Parses `git diff-tree --raw -p --full-index` line by line into files, keeping patches within limits. */
import { type Sha, shaFromGit, ZERO_SHA } from '../types.ts';
import { unquotePath } from './quote.ts';

export type FileStatus = 'added' | 'deleted' | 'modified' | 'renamed' | 'copied' | 'type-changed';

export interface FileDiff {
  /** Both are set: of an added or deleted file they are equal. */
  oldPath: string;
  newPath: string;
  /** Octal modes; `0` where the side does not exist. */
  aMode: string;
  bMode: string;
  /** Blob ids; ZERO_SHA where the side does not exist. */
  oldId: Sha;
  newId: Sha;
  status: FileStatus;
  newFile: boolean;
  renamedFile: boolean;
  deletedFile: boolean;
  binary: boolean;
  /** Hunks from the first `@@`, or the one line `Binary files ... differ`. Empty when left out. */
  patch: string;
  /** Lines added and deleted, also when the patch itself is left out. */
  additions: number;
  deletions: number;
  /** The patch is left out because this file's own is beyond the limit. */
  tooLarge: boolean;
  /** The patch is left out because the whole diff is beyond what is shown at once. */
  collapsed: boolean;
}

export interface DiffLimits {
  /** Files kept with or without patch; the rest is only counted. Default 3,000. */
  maxFiles: number;
  /** Bytes of one file's patch. Default 200 KB. */
  maxPatchBytes: number;
  /** Bytes and lines of all patches, after which files are collapsed. Defaults 5 MB and 100,000 lines. */
  maxBytes: number;
  maxLines: number;
}

export const DEFAULT_DIFF_LIMITS: DiffLimits = {
  maxFiles: 3_000,
  maxPatchBytes: 200 * 1024,
  maxBytes: 5 * 1024 * 1024,
  maxLines: 100_000,
};

/** For readers who want each file as it is: bounded by what all files together may be. */
export const WHOLE_DIFF_LIMITS: DiffLimits = {
  maxFiles: 10_000,
  maxPatchBytes: 32 * 1024 * 1024,
  maxBytes: 32 * 1024 * 1024,
  maxLines: 1_000_000,
};

/** `:100644 100755 <id> <id> R086 TAB old TAB new` */
const RAW = /^:(\d{6}) (\d{6}) ([0-9a-f]{40}) ([0-9a-f]{40}) ([ADMRCTUX])\d*\t(.*)$/s;
const STATUS: Record<string, FileStatus> = {
  A: 'added',
  D: 'deleted',
  M: 'modified',
  R: 'renamed',
  C: 'copied',
  T: 'type-changed',
};

function modeText(mode: string): string {
  return mode === '000000' ? '0' : mode;
}

/** One entry of the raw section; null for a line that is none. */
export function parseRawLine(line: string): FileDiff | null {
  const match = RAW.exec(line);
  if (!match) return null;
  const [, aMode = '', bMode = '', oldId = '', newId = '', letter = '', pathText = ''] = match;
  const [first = '', second] = pathText.split('\t').map(unquotePath);
  return {
    oldPath: first,
    newPath: second ?? first,
    aMode: modeText(aMode),
    bMode: modeText(bMode),
    oldId: shaFromGit(oldId),
    newId: shaFromGit(newId),
    status: STATUS[letter] ?? 'modified',
    newFile: letter === 'A',
    renamedFile: letter === 'R',
    deletedFile: letter === 'D',
    binary: false,
    patch: '',
    additions: 0,
    deletions: 0,
    tooLarge: false,
    collapsed: false,
  };
}

/** A change between file and symbolic link (or submodule) is shown as a deletion and an addition, as git patches it. */
function splitTypeChange(file: FileDiff): FileDiff[] {
  if (file.status !== 'type-changed') return [file];
  return [
    { ...file, status: 'deleted', deletedFile: true, bMode: '0', newId: ZERO_SHA, newPath: file.oldPath },
    { ...file, status: 'added', newFile: true, aMode: '0', oldId: ZERO_SHA, oldPath: file.newPath },
  ];
}

export interface ParsedDiff {
  files: FileDiff[];
  /** Files in the whole diff, kept or not. */
  totalFiles: number;
  additions: number;
  deletions: number;
  /** Something was left out: files beyond the limit or collapsed patches. */
  overflow: boolean;
}

export interface DiffParser {
  write(chunk: Buffer): void;
  end(): ParsedDiff;
}

/** Lines longer than this are cut when they are only scanned, so that memory stays bounded. */
const MAX_LINE_BYTES = 1024 * 1024;

export function createDiffParser(limits: DiffLimits): DiffParser {
  const files: FileDiff[] = [];
  let index = -1;
  let inHunk = false;
  let parts: Buffer[] = [];
  let patchBytes = 0;
  let totalBytes = 0;
  let totalLines = 0;
  let rest: Buffer | null = null;
  let additions = 0;
  let deletions = 0;
  let dropped = false;
  let left = { old: 0, new: 0 };

  function finishFile(): void {
    const file = files[index];
    if (!file) return;
    if (index >= limits.maxFiles) dropped = true;
    else if (patchBytes > limits.maxPatchBytes) file.tooLarge = true;
    else if (totalBytes > limits.maxBytes || totalLines > limits.maxLines) {
      file.collapsed = true;
      dropped = true;
    } else file.patch = Buffer.concat(parts).toString('utf8');
    parts = [];
    patchBytes = 0;
  }

  function keep(line: Buffer): void {
    patchBytes += line.length;
    totalBytes += line.length;
    totalLines += 1;
    const within = patchBytes <= limits.maxPatchBytes && totalBytes <= limits.maxBytes && totalLines <= limits.maxLines;
    if (within && index < limits.maxFiles) parts.push(line);
    else parts = [];
  }

  /** `line` has its newline, but for the very last one. */
  function handle(line: Buffer): void {
    const file = files[index];
    const first = line[0];
    // Inside a hunk the counts of its header decide: content may look like anything.
    if (inHunk && file && (left.old > 0 || left.new > 0 || first === 92)) {
      if (first === 43) {
        file.additions += 1;
        additions += 1;
        left.new -= 1;
      } else if (first === 45) {
        file.deletions += 1;
        deletions += 1;
        left.old -= 1;
      } else if (first !== 92) {
        left.old -= 1;
        left.new -= 1;
      }
      keep(line);
      return;
    }
    if (first === 64 && file) {
      const header = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line.toString('latin1', 0, 80));
      if (header) {
        inHunk = true;
        left = { old: Number(header[1] ?? 1), new: Number(header[2] ?? 1) };
        keep(line);
        return;
      }
    }
    if (first === 58 && index < 0) {
      const entry = parseRawLine(line.toString('utf8').replace(/\n$/, ''));
      if (entry) files.push(...splitTypeChange(entry));
      return;
    }
    if (line.subarray(0, 11).toString('latin1') === 'diff --git ') {
      finishFile();
      index += 1;
      inHunk = false;
      return;
    }
    if (file && !inHunk && line.subarray(0, 13).toString('latin1') === 'Binary files ') {
      file.binary = true;
      keep(line);
    }
  }

  return {
    write(chunk) {
      const data = rest ? Buffer.concat([rest, chunk]) : chunk;
      let at = 0;
      for (let end = data.indexOf(10); end >= 0; end = data.indexOf(10, at)) {
        handle(data.subarray(at, end + 1));
        at = end + 1;
      }
      rest = at < data.length ? data.subarray(at) : null;
      if (rest && rest.length > MAX_LINE_BYTES) {
        // A minified file's line: its beginning tells all that is counted, and its patch is too large anyway.
        const start = rest.subarray(0, 1);
        patchBytes = Number.POSITIVE_INFINITY;
        totalBytes += rest.length;
        parts = [];
        rest = Buffer.from(start);
      }
    },
    end() {
      if (rest) handle(rest);
      finishFile();
      return {
        files: files.slice(0, limits.maxFiles),
        totalFiles: files.length,
        additions,
        deletions,
        overflow: dropped || files.length > limits.maxFiles,
      };
    },
  };
}
