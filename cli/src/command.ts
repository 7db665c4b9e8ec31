/** What a command is, and what it gets from the process that it runs in. */

/** Where somebody types and reads. */
export interface Console {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean; setRawMode(raw: boolean): unknown };
  readonly output: NodeJS.WritableStream;
}

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Standard output is a terminal. */
  readonly terminal: boolean;
  print(line: string): void;
  /** Output as it comes, in pieces that are no lines. */
  write(chunk: Uint8Array): void;
  warn(line: string): void;
  /** All of standard input, for values that do not belong into arguments. */
  readInput(): Promise<string>;
  /** The keyboard and the screen, for programs that use them directly. */
  console(): Console;
  exit(code: number): void;
  /** Aborted when somebody ends the command (Ctrl-C) from now on; the second time ends the process at once. */
  interrupted(): AbortSignal;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Lines under the usage, one per form. */
  readonly usage: readonly string[];
  /** Answers the exit code; `null` leaves the process running. */
  run(args: readonly string[], surroundings: Surroundings): Promise<number | null>;
}

/** Columns of text, aligned. */
export function table(rows: ReadonlyArray<readonly string[]>): string[] {
  const widths = (rows[0] ?? []).map((_cell, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
