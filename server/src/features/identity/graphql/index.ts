/** What clients of the REST API ask in GraphQL. */
export { mountGraphql } from './graphql.mount.ts';
export { createGraphql } from './schema.ts';
