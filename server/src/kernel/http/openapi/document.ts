/** The OpenAPI 3.1 document of the declared routes: the same schemas that validate and serialise. */
import type { Route } from '../route.ts';
import { errorSchemas, headerKey, headers, moved, notModified, refusals, securitySchemes } from './components.ts';
import { documentPath, type Examples, operation, routeKey } from './operations.ts';
import type { Node } from './schemas.ts';
import { tagDescriptions } from './tags.ts';

export interface OpenApiOptions {
  readonly version: string;
  /** Requests and answers by route, as `routeKey` names it. */
  readonly examples?: Examples;
}

const description = `The v4 API of Millrace.

Everything is below \`/api/v4\` and JSON unless said otherwise. Parameters may be sent in the query, as JSON, or as a form;
a list is written \`name[]=a&name[]=b\` there and a hash \`name[key]=a\`. A project or group is named by its id or by its
URL-encoded path. Every GET is also a HEAD. Lists are paged by \`page\` and \`per_page\`, some by \`pagination=keyset\`.
Parameters that are not known are ignored. What is marked deprecated stays as long as this version of the API.`;

/** Those of the shared components that the operations refer to. */
function used(all: Readonly<Record<string, Node>>, kind: string, text: string): Record<string, Node> {
  return byName(Object.entries(all).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)));
}

const byName = <T>(entries: Iterable<readonly [string, T]>): Record<string, T> =>
  Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));

/** Builds the document. Deterministic: equal routes give equal text. */
export function openApiDocument(routes: readonly Route[], { version, examples = {} }: OpenApiOptions): Node {
  const components = new Map<string, Node>(Object.entries(errorSchemas));
  const paths: Record<string, Node> = {};
  for (const route of routes) {
    const key = documentPath(route.path);
    paths[key] ??= {};
    (paths[key] as Node)[route.method.toLowerCase()] = operation(route, components, examples[routeKey(route)]);
  }
  const responses = {
    NotModified: notModified,
    Moved: moved,
    ...Object.fromEntries(Object.values(refusals).map(({ name, response }) => [name, response])),
  };
  const usedResponses = used(responses, 'responses', JSON.stringify(paths));
  const keyed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [headerKey(name), value]));
  const tags = [...new Set(routes.map((route) => route.tag))].sort();
  // Without what is undefined.
  return JSON.parse(
    JSON.stringify({
      openapi: '3.1.1',
      info: { title: 'Millrace', version, description, license: { name: 'MIT', identifier: 'MIT' } },
      servers: [{ url: '/api/v4', description: 'This instance' }],
      tags: tags.map((name) => ({ name, description: tagDescriptions[name] })),
      paths: byName(Object.entries(paths)),
      components: {
        securitySchemes,
        headers: used(keyed, 'headers', JSON.stringify([paths, usedResponses])),
        responses: usedResponses,
        schemas: byName(components),
      },
    }),
  ) as Node;
}
