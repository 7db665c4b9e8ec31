/** Facts about repositories, wikis and snippets. */
import Type from 'typebox';
import { defineFact, defineFacts, payload } from '../fact.ts';

const change = { ref: Type.String(), before: Type.String(), after: Type.String() };

/** One moved ref. A push of several refs has a fact for each. */
export const pushed = defineFact(
  'push',
  payload({
    ...change,
    push_options: Type.Array(Type.String()),
    via: Type.String(),
    /** The job that pushed. */
    job_id: Type.Optional(Type.Integer()),
    /** Refs of the same write. */
    refs: Type.Integer(),
    /** Branches, or tags, of the same write that were created, moved or removed as this one was. */
    alike: Type.Integer(),
    /** Place among those; where they are reported as one, the first stands for all. */
    nth: Type.Integer(),
  }),
);
/** All refs that one write moved. */
export const repositoryUpdated = defineFact('repository.updated', payload({ changes: Type.Array(payload(change)) }));
export const wikiPageFacts = defineFacts(
  'wiki_page',
  ['created', 'updated', 'destroyed'],
  payload({
    wiki_page_id: Type.Integer(),
    /** Where it can be read: the commit of the change, of a page that is gone the one before. */
    slug: Type.Optional(Type.String()),
    version: Type.Optional(Type.String()),
  }),
);

export const snippetFacts = defineFacts(
  'snippet',
  ['created', 'updated', 'deleted'],
  payload({ snippet_id: Type.Integer(), visibility: Type.String() }),
);

export const repositoryFacts = [
  pushed,
  repositoryUpdated,
  ...Object.values(wikiPageFacts),
  ...Object.values(snippetFacts),
] as const;
