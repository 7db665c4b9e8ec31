/** What PostgreSQL says about broken constraints, as values that services map to answers. */

type FaultKind = 'unique' | 'foreign_key' | 'check' | 'not_null' | 'exclusion';

interface DatabaseFault {
  readonly kind: FaultKind;
  /** Name of the constraint or unique index; empty for `not_null`. */
  readonly constraint: string;
  readonly table: string;
  /** The column of `not_null`. */
  readonly column: string;
}

const kinds: Readonly<Record<string, FaultKind>> = {
  '23505': 'unique',
  '23503': 'foreign_key',
  '23514': 'check',
  '23502': 'not_null',
  '23P01': 'exclusion',
};

/** The broken constraint behind an error; null when the error is something else. */
export function databaseFault(error: unknown): DatabaseFault | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  const { code, constraint, table, column } = error as Error & Record<string, unknown>;
  const kind = kinds[String(code)];
  if (!kind) return null;
  return { kind, constraint: String(constraint ?? ''), table: String(table ?? ''), column: String(column ?? '') };
}

/** Whether the error is a row that a foreign key (the named one, or any) refers to and that is not there. */
export function isMissingReference(error: unknown, constraint?: string): boolean {
  const fault = databaseFault(error);
  if (fault?.kind !== 'foreign_key' || (constraint !== undefined && fault.constraint !== constraint)) return false;
  // The other direction, a row that cannot go because others refer to it, has the same code.
  return /^insert or update/.test((error as Error).message);
}

/** Whether the error is a duplicate key of the named unique index. */
export function isUniqueViolation(error: unknown, index: string): boolean {
  const fault = databaseFault(error);
  return fault?.kind === 'unique' && fault.constraint === index;
}

/** Classes and codes with which PostgreSQL says that it cannot now: connections, resources, shutdown, time. */
const transientState = /^(08\w{3}|53\w{3}|57P0[1-5]|57014|55P03|40001|40P01)$/;
const driverMessages =
  /^(timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Query read timeout|Cannot use a pool after calling end)/;

/** What of the database failed for now, so that the client should come back; null for every other error. */
export function databaseOutage(error: unknown): 'unreachable' | 'overloaded' | null {
  if (!(error instanceof Error)) return null;
  const { code, syscall } = error as Error & { code?: unknown; syscall?: unknown };
  if (typeof code === 'string') {
    if (transientState.test(code)) return /^(08|57P)/.test(code) ? 'unreachable' : 'overloaded';
    const connecting = syscall === 'connect' || syscall === 'getaddrinfo';
    return connecting || (code === 'ECONNRESET' && syscall === 'read') ? 'unreachable' : null;
  }
  if (!driverMessages.test(error.message)) return null;
  return error.message.startsWith('timeout exceeded') ? 'overloaded' : 'unreachable';
}
