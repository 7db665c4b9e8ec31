/**
 * `GET /api/v4/live?topics=...`: server-sent events with ids only; the right to see each is asked again per event. A page
 * passes the cursor that came with the answers it shows, so that nothing has to be read again when the stream opens.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { GroupAbility, ProjectAbility } from '../../kernel/authz/abilities.ts';
import { canOnGroup, canOnProject } from '../../kernel/authz/can.ts';
import { anonymous, type Caller } from '../../kernel/authz/subjects.ts';
import type { Db } from '../../kernel/db/index.ts';
import { type Live, writeEventStream } from '../../kernel/events/index.ts';
import { authenticate, type CredentialResolver } from '../../kernel/http/credentials.ts';
import { insufficientScope, invalidParameters } from '../../kernel/http/errors.ts';
import type { ParentLoader } from '../../kernel/http/parents.ts';
import { groupOfEpicBoard, placeOfBoard, projectOf } from './live.queries.ts';

export interface LiveDependencies {
  readonly db: Db;
  readonly live: Live;
  readonly resolver: CredentialResolver;
  readonly parents: ParentLoader;
  readonly stopping: AbortSignal;
}

const maximumTopics = 50;
/** On answers to reads: what happened before it is in the answer. */
const cursorHeader = 'X-Live-Cursor';
const readMethods = new Set(['GET', 'HEAD']);
/** The API, and the session, which pages read first. */
const dataPaths = /^\/(api\/v4|-\/session)\b/;
const topicPattern = /^(project|pipeline|job|merge_request|group|board|epic_board|user):(\d{1,15})(?::([a-z_]+))?$/;

const abilities: Readonly<Record<string, ProjectAbility>> = {
  pipeline: 'read_pipeline',
  job: 'read_job',
  merge_request: 'read_merge_request',
  'project:pipelines': 'read_pipeline',
  'project:merge_requests': 'read_merge_request',
  'project:issues': 'read_issue',
  'project:refs': 'read_code',
};

/** Whether the caller may hear of the topic now. */
async function permitted(deps: LiveDependencies, caller: Caller, topic: string): Promise<boolean> {
  const match = topicPattern.exec(topic);
  if (!match) return false;
  const [, kind = '', number = '0', part] = match;
  const groupMay = async (id: number, ability: GroupAbility) => {
    const group = await deps.parents.group(String(id), caller);
    return group !== null && canOnGroup(caller, ability, group);
  };
  if (kind === 'group') return part === 'epics' && (await groupMay(Number(number), 'read_epic'));
  if (kind === 'user') return part === 'todos' && caller.user?.id === Number(number);
  if (kind === 'board') {
    const place = await placeOfBoard(deps.db, Number(number));
    if (!place) return false;
    if (place.project_id === null) return await groupMay(place.namespace_id ?? 0, 'read_group_board');
    const project = await deps.parents.project(String(place.project_id), caller);
    return project !== null && canOnProject(caller, 'read_board', project);
  }
  if (kind === 'epic_board') {
    const group = await groupOfEpicBoard(deps.db, Number(number));
    return group !== null && (await groupMay(group, 'read_group_board'));
  }
  const ability = abilities[kind === 'project' ? `project:${part}` : kind];
  if (!ability) return false;
  const id = Number(number);
  const projectId =
    kind === 'project' ? id : await projectOf(deps.db, kind as 'pipeline' | 'job' | 'merge_request', id);
  const subject = projectId === null ? null : await deps.parents.project(String(projectId), caller);
  return subject !== null && canOnProject(caller, ability, subject);
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** Where the stream ended before the browser connected again by itself; newer than what its address says. */
const lastEventId = (headers: IncomingHttpHeaders) => textOf(headers['last-event-id']);

export function liveEvents(deps: LiveDependencies): { mount(server: FastifyInstance): void } {
  return {
    mount(server) {
      // Before anything is read for the answer.
      server.addHook('onRequest', (request, reply, done) => {
        const cursor = readMethods.has(request.method) && dataPaths.test(request.url) ? deps.live.cursor() : null;
        if (cursor !== null) reply.header(cursorHeader, cursor);
        done();
      });
      server.get<{ Querystring: { topics?: string; cursor?: string } }>('/api/v4/live', async (request, reply) => {
        const known =
          (await authenticate(deps.resolver, request, request.query as Record<string, unknown>, [
            'token',
            'session',
          ])) ?? anonymous;
        const caller = { ...known, address: request.ip };
        if (caller.scopes && !caller.scopes.has('api') && !caller.scopes.has('read_api'))
          throw insufficientScope(['api', 'read_api']);
        const topics = [
          ...new Set(
            String(request.query.topics ?? '')
              .split(',')
              .filter((topic) => topic !== ''),
          ),
        ];
        if (topics.length === 0) throw invalidParameters(['topics is missing']);
        if (topics.length > maximumTopics) throw invalidParameters([`topics has more than ${maximumTopics} elements`]);
        if (topics.some((topic) => !topicPattern.test(topic)))
          throw invalidParameters(['topics does not have a valid value']);
        reply.hijack();
        await writeEventStream(reply.raw, {
          live: deps.live,
          topics,
          since: lastEventId(request.headers) ?? textOf(request.query.cursor),
          permitted: (topic) => permitted(deps, caller, topic),
          stopping: deps.stopping,
          headers: { 'X-Request-Id': request.id, 'X-Content-Type-Options': 'nosniff' },
        });
      });
    },
  };
}
