/** Audit events: who changed what, kept for administrators and for those in charge of a project or group. */
import { isDeepStrictEqual } from 'node:util';
import type { Caller, Subject } from '../authz/subjects.ts';
import { currentRequest } from '../http/current-request.ts';
import type { NewAuditEvent } from './audit.queries.ts';

export {
  type AuditFilter,
  auditOrder,
  countAudit,
  findAudit,
  listAudit,
  type NewAuditEvent,
  recordAudit,
  recordAudits,
} from './audit.queries.ts';

export interface AuditAuthor {
  /** Null for somebody who did not prove who they are. */
  readonly id: number | null;
  readonly name: string;
  readonly email?: string;
  /** The administrator behind the author, when they act as somebody else. */
  readonly impersonator?: { readonly id: number; readonly name: string };
}

/** Who did it and from where. */
export interface AuditOrigin {
  /** Null for the system itself and for the command line. */
  readonly author: AuditAuthor | null;
  readonly address: string | null;
}

/** What nobody asked for over the network: tasks, the first start, the command line. */
export const systemOrigin: AuditOrigin = { author: null, address: null };

/** The origin of a request, from what a handler gets. */
export function originOf(context: { readonly caller: Caller; readonly clientAddress: string | null }): AuditOrigin {
  const { user, impersonator } = context.caller;
  return {
    author: user && {
      id: user.id,
      name: user.name,
      email: user.email,
      ...(impersonator ? { impersonator: { id: impersonator.id, name: impersonator.name } } : {}),
    },
    address: context.clientAddress,
  };
}

/** Somebody at an address who has not proved who they are, such as whoever fails to sign in. */
export const strangerAt = (address: string | null): AuditOrigin => ({ author: { id: null, name: 'Unknown' }, address });

/** The origin of what a caller does in a request to the API, for what lies below a handler. */
export const originOfCaller = (caller: Caller): AuditOrigin =>
  originOf({ caller, clientAddress: currentRequest()?.clientAddress ?? null });

/** A group or project as what an event is about. */
export const entityOfPlace = (subject: Pick<Subject & { kind: 'group' }, 'kind' | 'group'> | PlaceOfProject) =>
  subject.kind === 'group'
    ? ({ type: 'Group', id: subject.group.id, path: subject.group.full_path } as const)
    : ({
        type: 'Project',
        id: subject.project.id,
        path: `${subject.namespace.full_path}/${subject.project.path}`,
      } as const);

interface PlaceOfProject {
  readonly kind: 'project';
  readonly project: { readonly id: number; readonly path: string };
  readonly namespace: { readonly full_path: string };
}

/** The instance as what an event is about. */
export const instanceEntity = { type: 'Instance', id: 1, path: 'instance' } as const;

const longestValue = 500;

/** A value as an event tells it: long texts, such as the terms of the instance, by their beginning. */
export function auditedValue(value: unknown): unknown {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : (value ?? null);
}

/** One event for each value that a change touches, with both sides: `project_visibility_updated` from what to what. */
export function eventsOfChanges<T extends object>(
  about: Pick<NewAuditEvent, 'author' | 'address' | 'entity'>,
  noun: string,
  before: T,
  changes: Partial<T>,
): NewAuditEvent[] {
  return (Object.keys(changes) as (keyof T & string)[])
    .filter((name) => changes[name] !== undefined && !isDeepStrictEqual(before[name], changes[name]))
    .map((name) => ({
      ...about,
      event: `${noun}_${name}_updated`,
      details: { change: name, from: auditedValue(before[name]), to: auditedValue(changes[name]) },
    }));
}
