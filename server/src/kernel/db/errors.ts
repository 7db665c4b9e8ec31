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

/** Whether the error is a duplicate key of the named unique index. */
export function isUniqueViolation(error: unknown, index: string): boolean {
  const fault = databaseFault(error);
  return fault?.kind === 'unique' && fault.constraint === index;
}
