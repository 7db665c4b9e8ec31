/** Rows of `topics`; the database keeps the topics of projects to them and counts the projects. */
import { type Insertable, sql, type Updateable } from 'kysely';
import { containing, type Db } from '../../../kernel/db/index.ts';
import type { Topic } from '../../../kernel/db/rows.ts';
import type { TopicsTable } from '../../../kernel/db/tables.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';

export interface TopicFilter {
  readonly search?: string | undefined;
  readonly withoutProjects?: boolean | undefined;
}

function filtered(db: Db, { search, withoutProjects }: TopicFilter) {
  let query = db.selectFrom('topics');
  if (search) query = query.where('name', 'ilike', containing(search));
  if (withoutProjects) query = query.where('total_projects_count', '=', 0);
  return query;
}

export const countTopics = (db: Db, filter: TopicFilter): Promise<number> =>
  countUpTo(db, filtered(db, filter).select('id'));

export async function listTopics(db: Db, filter: TopicFilter, page: Pick<Page, 'limit' | 'offset'>): Promise<Topic[]> {
  return await filtered(db, filter)
    .selectAll()
    .orderBy('total_projects_count', 'desc')
    .orderBy('id')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}

export async function findTopic(db: Db, id: number): Promise<Topic | undefined> {
  return await db.selectFrom('topics').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Several, locked until the transaction ends so that no project takes them meanwhile. */
export async function lockTopics(tx: Db, ids: readonly number[]): Promise<Topic[]> {
  return await tx
    .selectFrom('topics')
    .selectAll()
    .where('id', 'in', ids)
    .orderBy(sql`lower(name)`)
    .forUpdate()
    .execute();
}

export async function insertTopic(tx: Db, topic: Insertable<TopicsTable>): Promise<Topic> {
  return await tx.insertInto('topics').values(topic).returningAll().executeTakeFirstOrThrow();
}

export async function updateTopic(tx: Db, id: number, changes: Updateable<TopicsTable>): Promise<void> {
  await tx
    .updateTable('topics')
    .set({ ...changes, updated_at: sql`now()` })
    .where('id', '=', id)
    .execute();
}

/** Calls a topic something else, on its projects too. */
export async function renameTopic(tx: Db, topic: Topic, name: string): Promise<void> {
  // Under another name its projects are counted anew.
  await sql`update topics set name = ${name},
    total_projects_count = case when lower(name) = lower(${name}) then total_projects_count else 0 end
    where id = ${topic.id}`.execute(tx);
  await sql`update projects set topics = array_replace(topics, ${topic.name}, ${name})
    where topics @> array[${topic.name}]::text[]`.execute(tx);
}

/** Removes a topic, from its projects too. */
export async function deleteTopic(tx: Db, topic: Topic): Promise<void> {
  await sql`update projects set topics = array_remove(topics, ${topic.name})
    where topics @> array[${topic.name}]::text[]`.execute(tx);
  await tx.deleteFrom('topics').where('id', '=', topic.id).execute();
}

/** Gives the projects of one topic another instead. */
export async function replaceTopic(tx: Db, source: Topic, target: Topic): Promise<void> {
  await sql`update projects set topics = case when topics @> array[${target.name}]::text[]
      then array_remove(topics, ${source.name}) else array_replace(topics, ${source.name}, ${target.name}) end
    where topics @> array[${source.name}]::text[]`.execute(tx);
}
