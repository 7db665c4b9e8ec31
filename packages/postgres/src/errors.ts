/** The one error of this package: its message is meant for the operator. */

/** Something about the embedded server that an operator has to know or change; `message` says what and how. */
export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError';
}
