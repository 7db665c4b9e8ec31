/** Rows of a project or group in an archive: what an owner of a table declares about them. */
import type { Static, TObject } from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import type { LinkedTexts } from './texts.queries.ts';

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

/** One kind of row of a place. What other slices keep they declare themselves. */
interface RelationOf<Target, By> {
  readonly name: string;
  readonly schema: TObject;
  /** All rows of a place that whoever exports may see, in batches. */
  rows(db: Db, placeId: number, by: By): AsyncIterable<readonly object[]>;
  /** Puts a checked row in; answers why not where it cannot be. */
  insert(tx: Db, row: never, target: Target): Promise<string | null>;
  /** The same for many rows with as few statements as possible, where a project has very many; an answer for each. */
  readonly insertMany?: (tx: Db, rows: readonly never[], target: Target) => Promise<readonly (string | null)[]>;
  /** After the last row of all relations, in the transaction that ends the import: what rows add up to. */
  readonly arrived?: (tx: Db, placeId: number) => Promise<void>;
  /** Texts of its rows that may link to files elsewhere. */
  readonly texts?: LinkedTexts;
  /** Takes away what an interrupted import put in. */
  remove(tx: Db, placeId: number): Promise<void>;
}
type Declared<T extends TObject, Target, By> = Omit<RelationOf<Target, By>, 'schema' | 'insert' | 'insertMany'> & {
  readonly schema: T;
  insert(tx: Db, row: Static<T>, target: Target): Promise<string | null>;
  readonly insertMany?: (tx: Db, rows: readonly Static<T>[], target: Target) => Promise<readonly (string | null)[]>;
};

/** Rows of a project. */
export type Relation = RelationOf<ImportTarget, Exporter>;
export const relation = <T extends TObject>(spec: Declared<T, ImportTarget, Exporter>): Relation => spec;

/** Where rows of a group go. */
export interface GroupTarget extends Pick<ImportTarget, 'importerId' | 'trusted' | 'person'> {
  readonly groupId: number;
  /** The group at the top of what is imported: rows name other groups by their paths below it. */
  readonly rootId: number;
}

/** Whoever exports a group. */
export interface GroupExporter extends Exporter {
  /** The group at the top of what is exported. */
  readonly rootId: number;
}

/** Rows of a group. */
export interface GroupRelation extends RelationOf<GroupTarget, GroupExporter> {
  /** Whether rows name things of other groups: transfers bring those of a whole tree when all of it is there. */
  readonly acrossGroups?: boolean;
}
export const groupRelation = <T extends TObject>(
  spec: Declared<T, GroupTarget, GroupExporter> & Pick<GroupRelation, 'acrossGroups'>,
): GroupRelation => spec;

/** All rows in one batch. */
export async function* once<T extends object>(rows: Promise<readonly T[]>): AsyncGenerator<readonly T[]> {
  yield await rows;
}
