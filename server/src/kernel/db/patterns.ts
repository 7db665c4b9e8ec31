/** Patterns of `like`. */

/** Matches what contains the text, whatever signs are in it. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** Most words that a search looks for; nobody types more, and each is a condition of the query. */
const mostWords = 32;

/** The words of a search, each of which is to be found somewhere. */
export const wordsOf = (search: string): string[] =>
  search
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, mostWords);

/** Rows as one parameter for `jsonb_to_recordset`, however many they are; text as PostgreSQL takes it. */
export const recordset = (rows: readonly object[]): string =>
  JSON.stringify(rows, (_key, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value));
