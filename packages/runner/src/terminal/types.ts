/** A terminal in a sandbox, as the connection to a person uses it. */
import type { Readable, Writable } from 'node:stream';

export type Size = { columns: number; rows: number };

export type Terminal = {
  input: Writable;
  output: Readable;
  /** Resolves with the exit code of its shell. */
  exited: Promise<number>;
  resize(size: Size): void;
  /** Ends the shell and what it started in the foreground. */
  end(): void;
};

export type OpenTerminal = (size: Size) => Promise<Terminal>;
