/** What every operation of the document shares: error bodies, headers, and the ways to prove who one is. */
import { cookieNames } from '../../names.ts';
import type { Node } from './schemas.ts';

const text = { type: 'string' } as const;
const errorSchema = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const refer = (kind: 'headers' | 'responses', name: string) => ({ $ref: `#/components/${kind}/${name}` });

/** The bodies of refusals. */
export const errorSchemas: Readonly<Record<string, Node>> = {
  MessageError: {
    type: 'object',
    description: 'Why a request was refused, in words.',
    properties: { message: { type: 'string', description: 'The status and why' } },
    required: ['message'],
  },
  MessagesError: {
    type: 'object',
    description: 'Why a request was refused, as a list.',
    properties: { message: { type: 'array', items: text, description: 'Every reason' } },
    required: ['message'],
  },
  ParameterError: {
    type: 'object',
    description: 'Parameters that are missing or not valid: every reason, joined by commas.',
    properties: {
      error: { type: 'string', description: 'Such as `name is missing, state does not have a valid value`' },
    },
    required: ['error'],
  },
  RecordError: {
    type: 'object',
    description: 'Something that cannot be saved as it is: reasons by field; `base` where no single field is at fault.',
    properties: {
      message: {
        type: 'object',
        description: 'Reasons by field',
        additionalProperties: { type: 'array', items: text },
      },
    },
    required: ['message'],
  },
  ScopeError: {
    type: 'object',
    description: 'The token is valid and lacks every scope that the operation accepts.',
    properties: {
      error: { type: 'string', enum: ['insufficient_scope'], description: 'Always this word' },
      error_description: { type: 'string', description: 'The same in a sentence' },
      scope: { type: 'string', description: 'Scopes of which one is needed, separated by blanks' },
    },
    required: ['error', 'error_description', 'scope'],
  },
  RouteError: {
    type: 'object',
    description: 'The address or its method does not exist, or a page is beyond the maximum offset.',
    properties: { error: { type: 'string', description: 'The status and why' } },
    required: ['error'],
  },
  NestedError: {
    type: 'object',
    description: 'Why a request was refused, in words below a key: snippets, and what was requested too often.',
    properties: {
      message: {
        type: 'object',
        description: 'Always with the one key',
        properties: { error: { type: 'string', description: 'In words' } },
        required: ['error'],
      },
    },
    required: ['message'],
  },
  InternalError: {
    type: 'object',
    description: 'A fault of the server; nothing of its cause is told.',
    properties: {
      message: { type: 'string', description: 'Always the same words' },
      request_id: { type: 'string', description: 'Finds the request in the log of the server' },
    },
    required: ['message', 'request_id'],
  },
};

function refusal(
  description: string,
  schemas: readonly string[],
  examples: Readonly<Record<string, unknown>>,
  headers: readonly string[] = [],
): Node {
  const [first = 'MessageError'] = schemas;
  return {
    description,
    ...(headers.length > 0
      ? { headers: Object.fromEntries(headers.map((name) => [name, refer('headers', headerKey(name))])) }
      : {}),
    content: {
      'application/json': {
        schema: schemas.length === 1 ? errorSchema(first) : { anyOf: schemas.map(errorSchema) },
        examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])),
      },
    },
  };
}

/** `X-Total-Pages` to the component's name. */
export const headerKey = (name: string): string => name.replaceAll('-', '');

/** The same refusal also as plain text. */
const withText = (response: Node, example: string): Node => ({
  ...response,
  content: { ...(response.content as Node), 'text/plain': { schema: text, example } },
});

/** Where the caller stands in a limit. */
export const rateHeaders = [
  'RateLimit-Limit',
  'RateLimit-Name',
  'RateLimit-Observed',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-ResetTime',
];

export const notModified: Node = {
  description: 'Nothing changed since the `ETag` in `If-None-Match`; no body',
  headers: { ETag: refer('headers', 'ETag') },
};

/** Answer to a read by the former path of a project or group, where the instance redirects these. */
export const moved: Node = {
  description: 'Renamed or transferred: the same request by the numeric id is at `Location`',
  headers: { Location: refer('headers', 'Location') },
  content: { 'text/plain': { schema: text } },
};

/** Refusals by status. */
export const refusals: Readonly<Record<number, { readonly name: string; readonly response: Node }>> = {
  400: {
    name: 'BadRequest',
    response: refusal(
      'A parameter is missing or not valid, or what it asks for cannot be saved',
      ['ParameterError', 'RecordError', 'MessageError', 'NestedError'],
      {
        parameters: { error: 'name is missing, state does not have a valid value' },
        record: { message: { path: ['has already been taken'] } },
        other: { message: '400 Bad request - Branch already exists' },
      },
    ),
  },
  401: {
    name: 'Unauthorized',
    response: refusal('No credentials, or none that are valid', ['MessageError'], {
      unauthorized: { message: '401 Unauthorized' },
    }),
  },
  403: {
    name: 'Forbidden',
    response: refusal('The caller, or the scopes of the token, may not do this', ['MessageError', 'ScopeError'], {
      forbidden: { message: '403 Forbidden' },
      scope: {
        error: 'insufficient_scope',
        error_description: 'The request requires higher privileges than provided by the access token.',
        scope: 'api',
      },
    }),
  },
  404: {
    name: 'NotFound',
    response: refusal('Does not exist, or may not be seen by the caller', ['MessageError', 'RouteError'], {
      record: { message: '404 Project Not Found' },
      route: { error: '404 Not Found' },
    }),
  },
  405: {
    name: 'NotAllowed',
    response: refusal(
      'Not possible for this resource as it is, or a page beyond the maximum offset',
      ['MessageError', 'RouteError'],
      {
        state: { message: '405 Method Not Allowed' },
        offset: {
          error:
            'Offset pagination has a maximum allowed offset of 50000 for requests that return objects of this type. Remaining records can be retrieved using keyset pagination.',
        },
      },
    ),
  },
  409: {
    name: 'Conflict',
    response: refusal(
      'Something like it exists already, or it has changed meanwhile',
      ['MessageError', 'MessagesError', 'RecordError'],
      {
        conflict: { message: 'Label already exists' },
      },
    ),
  },
  412: {
    name: 'PreconditionFailed',
    response: refusal('Changed since the time in `If-Unmodified-Since`', ['MessageError'], {
      changed: { message: '412 Precondition Failed' },
    }),
  },
  413: {
    name: 'TooLarge',
    response: refusal('The body is larger than the named limit', ['MessageError'], {
      tooLarge: { message: '413 Request Entity Too Large - max_file_bytes is 104857600 bytes' },
    }),
  },
  416: {
    name: 'OutOfPlace',
    response: refusal('Does not continue what is there', ['MessageError'], {
      outOfPlace: { message: '416 Range Not Satisfiable' },
    }),
  },
  422: {
    name: 'Unprocessable',
    response: refusal(
      'Understood, and cannot be done',
      ['MessageError', 'MessagesError', 'RecordError', 'ParameterError', 'NestedError'],
      {
        unprocessable: { message: '422 Unprocessable Entity' },
        address: { error: 'Invalid url given' },
      },
    ),
  },
  429: {
    name: 'TooManyRequests',
    response: withText(
      refusal(
        'A rate limit is used up: come back after the seconds in `Retry-After`. General limits answer in plain text',
        ['NestedError'],
        { limited: { message: { error: 'This endpoint has been requested too many times. Try again later.' } } },
        ['Retry-After', ...rateHeaders],
      ),
      'Retry later\n',
    ),
  },
  500: {
    name: 'InternalServerError',
    response: refusal('A fault of the server', ['InternalError'], {
      fault: { message: '500 Internal Server Error', request_id: '0d6f5d6e-4d6c-4f0b-9a3e-5c9f4f1f7c11' },
    }),
  },
  503: {
    name: 'ServiceUnavailable',
    response: refusal(
      'Overloaded, or a part of the service is away; come back after the seconds in `Retry-After`',
      ['MessageError'],
      { unavailable: { message: '503 Service Unavailable - the database is not reachable' } },
      ['Retry-After'],
    ),
  },
};

const header = (description: string, schema: Node = text): Node => ({ description, schema });
const integer = { type: 'integer' } as const;

/** Headers of answers. */
export const headers: Readonly<Record<string, Node>> = {
  Link: header('Addresses of other pages: `prev`, `next`, `first`, `last`; only `next` when paged by cursor'),
  'X-Page': header('Number of this page', integer),
  'X-Per-Page': header('Items of a page', integer),
  'X-Prev-Page': header('Number of the page before; empty on the first'),
  'X-Next-Page': header('Number of the next page; empty on the last'),
  'X-Total': header('Items of the list; left out beyond 10,000', integer),
  'X-Total-Pages': header('Pages of the list; left out beyond 10,000 items', integer),
  'X-Request-Id': header('Finds the request in the log of the server; one that the client sends is taken over'),
  ETag: header(
    'Names this state of the answer: sent back as `If-None-Match`, it is answered with 304 while nothing changed',
  ),
  Location: header('Address of the resource'),
  'Retry-After': header('Seconds to wait', integer),
  'RateLimit-Limit': header('Requests in a minute', integer),
  'RateLimit-Name': header('Which limit'),
  'RateLimit-Observed': header('Requests in this period so far', integer),
  'RateLimit-Remaining': header('Requests left in this period', integer),
  'RateLimit-Reset': header('When the period ends, in seconds since 1970', integer),
  'RateLimit-ResetTime': header('When the period ends, as a date of HTTP'),
};

export const offsetHeaders = ['Link', 'X-Page', 'X-Per-Page', 'X-Prev-Page', 'X-Next-Page', 'X-Total', 'X-Total-Pages'];
export const keysetHeaders = ['Link', 'X-Per-Page'];

export const securitySchemes: Readonly<Record<string, Node>> = {
  access_token: {
    type: 'apiKey',
    in: 'header',
    name: 'PRIVATE-TOKEN',
    description:
      'A personal, project, group or impersonation access token. Also as `Authorization: Bearer` and as the parameter `private_token`. It needs one of the scopes that the operation names.',
  },
  deploy_token: {
    type: 'apiKey',
    in: 'header',
    name: 'DEPLOY-TOKEN',
    description:
      'A deploy token. Also as Basic authentication with its username, as are access tokens and job tokens with any.',
  },
  job_token: {
    type: 'apiKey',
    in: 'header',
    name: 'JOB-TOKEN',
    description: 'The token of a running CI/CD job. Also as `Authorization: Bearer` and as the parameter `job_token`.',
  },
  session_cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: cookieNames[0],
    description: 'Somebody signed in on the page. Methods that change something also need the header `X-CSRF-Token`.',
  },
};
