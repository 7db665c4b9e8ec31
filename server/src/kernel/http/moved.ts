/** Requests by the former path of a project or group, where the instance redirects them. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GroupSubject, ProjectSubject } from '../authz/subjects.ts';
import { HttpError } from './errors.ts';

type Parent = ProjectSubject | GroupSubject;

/** How switches know a project or group. */
export const actorOf = (subject: Parent): string =>
  subject.kind === 'project' ? `Project:${subject.project.id}` : `Group:${subject.group.id}`;

interface Moved {
  readonly subject: Parent;
  /** The route's whole path, in the router's form. */
  readonly path: string;
  /** The parameter that names the subject. */
  readonly name: string;
  readonly externalUrl: string;
}

/** The request's URL with the numeric id in the place of the former path; the query stays. */
function locationOf(url: string, { subject, path, name, externalUrl }: Moved): string {
  const mark = url.indexOf('?');
  const segments = (mark < 0 ? url : url.slice(0, mark)).split('/');
  segments[path.split('/').indexOf(`:${name}`)] = String(
    subject.kind === 'project' ? subject.project.id : subject.group.id,
  );
  return new URL(segments.join('/') + (mark < 0 ? '' : url.slice(mark)), `${externalUrl}/`).href;
}

/** 301 to the numeric id for reads, 405 for the rest: a client that repeats it elsewhere should know what it changes. */
export function movedAnswer(request: FastifyRequest, reply: FastifyReply, moved: Moved): FastifyReply {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    throw new HttpError(
      405,
      { message: `Non GET methods are not allowed for moved ${moved.subject.kind}s` },
      { Allow: 'GET, HEAD' },
    );
  const location = locationOf(request.url, moved);
  return reply
    .code(301)
    .header('Location', location)
    .header('Content-Type', 'text/plain; charset=utf-8')
    .send(`This resource has been moved permanently to ${location}.`);
}
