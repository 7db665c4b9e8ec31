/** Texts of rows of a project, for imports that rewrite the links in them. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

export interface LinkedText {
  readonly id: number;
  readonly text: string;
}

/** The texts that a relation keeps. */
export interface LinkedTexts {
  /** Those that have one of the pieces in them, by id, in batches. */
  having(db: Db, projectId: number, pieces: readonly string[]): AsyncGenerator<readonly LinkedText[]>;
  /** Only where the text is still as it was read; times stay. */
  rewrite(tx: Db, read: LinkedText, text: string): Promise<void>;
}

const batch = 200;

/** Those of a column of a table whose rows belong to projects; for the domain that writes it. */
export function rewritingTexts(table: 'issues' | 'merge_requests' | 'notes' | 'releases', column: string): LinkedTexts {
  const text = sql.ref(column);
  return {
    async *having(db, projectId, pieces) {
      const found = sql.join(
        pieces.map((piece) => sql`position(${piece} in ${text}) > 0`),
        sql` or `,
      );
      for (let after = 0; ; ) {
        const { rows } = await sql<LinkedText>`select id, ${text} as text from ${sql.table(table)}
          where project_id = ${projectId} and id > ${after} and (${found}) order by id limit ${batch}`.execute(db);
        const last = rows.at(-1);
        if (!last) return;
        yield rows;
        after = last.id;
      }
    },
    async rewrite(tx, read, changed) {
      await sql`update ${sql.table(table)} set ${text} = ${changed} where id = ${read.id} and ${text} = ${read.text}`.execute(
        tx,
      );
    },
  };
}
