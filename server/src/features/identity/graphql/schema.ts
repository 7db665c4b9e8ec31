/** The small part of GraphQL that clients of the REST API ask before they begin: who the token stands for, and the version. */
import type { ExecutionResult, GraphQLSchema } from 'graphql';
import type { User } from '../../../kernel/db/rows.ts';
import { compatibleVersion } from '../../../kernel/names.ts';
import type { Release } from '../instance/instance.routes.ts';
import { isBot, userReference } from '../users/index.ts';

const definition = `
"""Who the credential of a request stands for, and what answers it. Everything else is in the REST API."""
type Query {
  "Null without a credential"
  currentUser: CurrentUser
  "Null without a credential"
  metadata: Metadata
}
type CurrentUser {
  "\`gid://gitlab/User/ID\`"
  id: ID!
  username: String!
  name: String!
  state: String!
  active: Boolean!
  bot: Boolean!
  publicEmail: String
  avatarUrl: String
  webUrl: String!
}
type Metadata {
  version: String!
  revision: String!
}`;

/** Names and punctuation in one query: clients ask for a few fields, tools for the whole schema. */
const mostTokens = 2000;

export interface GraphqlRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>> | null;
  readonly operationName: string | null;
}

export interface Graphql {
  /** The answer to one request; `user` is null for strangers. What is wrong with the query is among its `errors`. */
  execute(request: GraphqlRequest, user: User | null): Promise<ExecutionResult>;
}

/** Loaded with the first request: most instances never have one. */
export function createGraphql({
  release,
  externalUrl,
}: {
  readonly release: Release;
  readonly externalUrl: string;
}): Graphql {
  let schema: GraphQLSchema | undefined;

  function currentUser(user: User) {
    const { id, username, name, state, public_email, avatar_url, web_url } = userReference(user, externalUrl);
    return {
      ...{ id: `gid://gitlab/User/${id}`, username, name, state, active: state === 'active' },
      bot: isBot(user),
      ...{ publicEmail: public_email, avatarUrl: avatar_url, webUrl: web_url },
    };
  }

  return {
    async execute({ query, variables, operationName }, user) {
      const { buildSchema, execute, GraphQLError, parse, validate } = await import('graphql');
      schema ??= buildSchema(definition);
      try {
        const document = parse(query, { maxTokens: mostTokens });
        const errors = validate(schema, document);
        if (errors.length > 0) return { errors };
        const rootValue = user && {
          currentUser: () => currentUser(user),
          metadata: { version: compatibleVersion, revision: release.revision },
        };
        return await execute({ schema, document, rootValue, variableValues: variables, operationName });
      } catch (error) {
        if (error instanceof GraphQLError) return { errors: [error] };
        throw error;
      }
    },
  };
}
