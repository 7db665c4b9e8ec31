/** Rows of a project in an archive: what an owner of a table declares about them. */
import type { Static, TObject } from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';

/** Where rows go. */
export interface ImportTarget {
  readonly projectId: number;
  /** Who imports, and answers for what has nobody else. */
  readonly importerId: number;
  /** Whose names in the archive are those of users of this instance: only administrators can know. */
  readonly trusted: boolean;
  /** The user of a name, where names are trusted. */
  person(username: string | null | undefined): Promise<number | null>;
  hasCommit(id: string | null | undefined): Promise<boolean>;
  /** Why an address may not be called; null when it may. */
  refusedAddress(url: string): Promise<string | null>;
}

/** Whoever makes an archive. */
export interface Exporter {
  readonly admin: boolean;
}

/** One kind of row. What other slices keep they declare themselves. */
export interface Relation {
  readonly name: string;
  readonly schema: TObject;
  /** All rows of a project that whoever exports may see, in batches. */
  rows(db: Db, projectId: number, by: Exporter): AsyncIterable<readonly object[]>;
  /** Puts a checked row in; answers why not where it cannot be. */
  insert(tx: Db, row: never, target: ImportTarget): Promise<string | null>;
  /** After the last row of all relations, in the transaction that ends the import: what rows add up to. */
  readonly arrived?: (tx: Db, projectId: number) => Promise<void>;
  /** Takes away what an interrupted import put in. */
  remove(tx: Db, projectId: number): Promise<void>;
}

export function relation<T extends TObject>(spec: {
  readonly name: string;
  readonly schema: T;
  readonly rows: Relation['rows'];
  insert(tx: Db, row: Static<T>, target: ImportTarget): Promise<string | null>;
  readonly arrived?: Relation['arrived'] & object;
  readonly remove: Relation['remove'];
}): Relation {
  return spec;
}

/** All rows in one batch. */
export async function* once<T extends object>(rows: Promise<readonly T[]>): AsyncGenerator<readonly T[]> {
  yield await rows;
}
