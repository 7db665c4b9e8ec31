/**
 * Code search passes over what cannot hold a text without reading it: the index of trigrams alone decides on these, and bits
 * beside each text say which runs of five signs it has.
 */
import type { Migration } from './index.ts';

const codeGrams = `
alter table code_chunks add column grams bytea;
-- In the row, as it is: it is read instead of the text, which stays outside.
alter table code_chunks alter column grams set storage plain;
-- Those that were stored before get theirs in the background; until then they are read whenever their trigrams match.
create index code_chunks_without_grams on code_chunks (blob_id) where grams is null;
drop index code_chunks_content;
-- Of the array of trigrams, not of the text: the latter's matches would be checked against the text, one by one.
create index code_chunks_trigrams on code_chunks using gin (show_trgm(content), (array[network]));
`;

export const codeGramsMigration: Migration = { name: '1131-code-grams', statements: [codeGrams] };
