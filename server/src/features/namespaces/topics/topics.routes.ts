/** Routes of topics: words that describe projects, for everybody to read and for administrators to look after. */
import Type, { type Static } from 'typebox';
import { instanceEntity, originOfCaller, recordAudit } from '../../../kernel/audit/index.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { type Db, isUniqueViolation, transaction } from '../../../kernel/db/index.ts';
import type { Topic } from '../../../kernel/db/rows.ts';
import { Count, Entity, Id, ListOf, Nullable, Text } from '../../../kernel/http/entity.ts';
import { invalidRecord, notFound, plainError } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { atLeastOneOf } from '../../../kernel/http/params/groups.ts';
import { Bool, FileParam, Int, Optional, OrNull, rules, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { pictureUrl, withPicture } from '../avatars/pictures.ts';
import type { NamespacesDependencies } from '../deps.ts';
import {
  countTopics,
  deleteTopic,
  findTopic,
  insertTopic,
  listTopics,
  lockTopics,
  renameTopic,
  replaceTopic,
  updateTopic,
} from './topics.queries.ts';

const TopicEntity = Entity('Topic', {
  id: Id(),
  name: Text({ description: 'What is given on projects' }),
  title: Text({ description: 'What is shown' }),
  description: Nullable(Text()),
  total_projects_count: Count({ description: 'Projects with it, whoever may see them' }),
  organization_id: Id({ description: 'Always 1: an instance is one organization' }),
  avatar_url: Nullable(Text()),
});

const common = { credentials: ['token', 'session'], tag: 'Topics' } as const;
const everybody = { on: 'public' } as const;
const admin = { on: 'instance', ability: 'admin' } as const;
const topicId = { id: Int({ description: 'Topic' }) };
const name = Str({ minLength: 1, maxLength: 255, description: 'What is given on projects' });
const title = Str({ minLength: 1, maxLength: 255, description: 'What is shown' });
const more = {
  description: Optional(OrNull(Str({ maxLength: 1024, description: 'What it is about' }))),
  avatar: Optional(OrNull(FileParam({ description: 'Picture: PNG, JPEG, GIF, WebP, BMP or ICO; empty removes it' }))),
};

/** A name as projects would have it. */
function checkedName(given: string): string {
  const text = given.trim();
  if (text === '') throw invalidRecord({ name: ["can't be blank"] });
  if (text.includes(',')) throw invalidRecord({ name: ['cannot contain a comma'] });
  return text;
}

function nameTaken(error: unknown): unknown {
  return isUniqueViolation(error, 'topics_name_key') ? invalidRecord({ name: ['has already been taken'] }) : error;
}

export function topicRoutes({ db, externalUrl, avatars }: NamespacesDependencies): Route[] {
  const json = (topic: Topic): Static<typeof TopicEntity> => ({
    id: topic.id,
    name: topic.name,
    title: topic.title,
    description: topic.description,
    total_projects_count: topic.total_projects_count,
    organization_id: 1,
    avatar_url: pictureUrl(externalUrl, 'projects/topic', topic.id, topic.avatar_object_key),
  });
  const one = async (id: number): Promise<Topic> => {
    const topic = await findTopic(db, id);
    if (!topic) throw notFound('Topic');
    return topic;
  };
  const recorded = (tx: Db, caller: Caller, event: string, details: Record<string, unknown>) =>
    recordAudit(tx, { ...originOfCaller(caller), entity: instanceEntity, event, details });

  return [
    route({
      ...common,
      method: 'GET',
      path: '/topics',
      summary: 'List topics, most used first',
      access: everybody,
      params: Type.Object({
        search: Optional(Str({ description: 'Part of the name' })),
        without_projects: Optional(Bool({ description: 'Only those that no project has' })),
      }),
      pagination: 'offset',
      responses: { 200: ListOf(TopicEntity) },
      handler: async ({ params, page }) => {
        const filter = { search: params.search, withoutProjects: params.without_projects };
        const rows = await listTopics(db, filter, page);
        return mapPage(offsetPage(page, rows, await countTopics(db, filter)), json);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/topics/:id',
      summary: 'Get a topic',
      access: everybody,
      params: Type.Object(topicId),
      responses: { 200: TopicEntity },
      handler: async ({ params }) => json(await one(params.id)),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/topics',
      summary: 'Create a topic',
      access: admin,
      params: Type.Object({ name, title, ...more }),
      responses: { 201: TopicEntity },
      handler: async ({ params, caller }) => {
        const { avatar, ...given } = params;
        const values = { ...given, name: checkedName(given.name) };
        const made = withPicture(avatars, avatar, (picture) =>
          transaction(db, async (tx) => {
            const topic = await insertTopic(tx, { ...values, avatar_object_key: picture ?? null });
            await recorded(tx, caller, 'topic_created', { topic: topic.name });
            return topic;
          }),
        );
        return json(
          await made.catch((error: unknown) => {
            throw nameTaken(error);
          }),
        );
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/topics/:id',
      summary: 'Update a topic; its projects follow a new name',
      access: admin,
      params: Type.Object(
        { ...topicId, name: Optional(name), title: Optional(title), ...more },
        rules(atLeastOneOf('name', 'title', 'description', 'avatar')),
      ),
      responses: { 200: TopicEntity },
      handler: async ({ params, caller }) => {
        const { id, avatar, name: wanted, ...given } = params;
        const newName = wanted === undefined ? undefined : checkedName(wanted);
        await one(id);
        const changed = withPicture(avatars, avatar, (picture) =>
          transaction(db, async (tx) => {
            const [topic] = await lockTopics(tx, [id]);
            if (!topic) throw notFound('Topic');
            await updateTopic(tx, id, { ...given, ...(picture === undefined ? {} : { avatar_object_key: picture }) });
            if (newName !== undefined && newName !== topic.name) await renameTopic(tx, topic, newName);
            const changes = Object.keys(params).filter((key) => key !== 'id');
            await recorded(tx, caller, 'topic_updated', { topic: topic.name, changes });
          }),
        );
        await changed.catch((error: unknown) => {
          throw nameTaken(error);
        });
        return json(await one(id));
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/topics/:id',
      summary: 'Delete a topic, and remove it from its projects',
      access: admin,
      params: Type.Object(topicId),
      responses: { 204: Empty },
      conditional: true,
      handler: async ({ params, caller, unmodifiedSince }) => {
        unmodifiedSince((await one(params.id)).updated_at);
        await transaction(db, async (tx) => {
          const [topic] = await lockTopics(tx, [params.id]);
          if (!topic) throw notFound('Topic');
          await deleteTopic(tx, topic);
          await recorded(tx, caller, 'topic_destroyed', { topic: topic.name });
        });
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/topics/merge',
      summary: 'Merge a topic into another one',
      access: admin,
      params: Type.Object({
        source_topic_id: Int({ description: 'Topic that goes' }),
        target_topic_id: Int({ description: 'Topic that stays' }),
      }),
      responses: { 201: TopicEntity },
      handler: async ({ params, caller }) => {
        const { source_topic_id: from, target_topic_id: to } = params;
        await Promise.all([one(from), one(to)]);
        if (from === to) throw plainError(400, 'The source topic and the target topic are identical.');
        await transaction(db, async (tx) => {
          const locked = await lockTopics(tx, [from, to]);
          const source = locked.find(({ id }) => id === from);
          const target = locked.find(({ id }) => id === to);
          if (!source || !target) throw notFound('Topic');
          await replaceTopic(tx, source, target);
          await deleteTopic(tx, source);
          await recorded(tx, caller, 'topic_merged', { topic: source.name, into: target.name });
        });
        return json(await one(to));
      },
    }),
  ];
}
