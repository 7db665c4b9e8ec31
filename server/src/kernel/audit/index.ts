/** Audit events: who changed what, kept for administrators and for those in charge of a project or group. */
import type { Caller } from '../authz/subjects.ts';

export { type AuditFilter, auditOrder, countAudit, findAudit, listAudit, recordAudit } from './audit.queries.ts';

export interface AuditAuthor {
  readonly id: number;
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
export function originOf(context: { readonly caller: Caller; readonly clientAddress: string }): AuditOrigin {
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
