/** From the fields of the form to a request, and to the command that makes the same one. */
import type { Entry, Parameter } from './document.ts';

export interface BuiltRequest {
  readonly method: string;
  /** From `/api/v4` on. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What is in the fields: by name of the parameter; lists and hashes have a line for each item. */
export type Values = Readonly<Record<string, string>>;

const fieldKey = ({ in: where, name }: Parameter): string => `${where}:${name}`;
export const keyOf = fieldKey;

/** The lines of a field, without empty ones. */
const lines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

function queryPairs(parameter: Parameter, text: string): [string, string][] {
  if (parameter.name.endsWith('[]')) return lines(text).map((line) => [parameter.name, line]);
  if (parameter.style === 'deepObject')
    return lines(text).map((line) => {
      const at = line.indexOf('=');
      const [key, value] = at === -1 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
      return [`${parameter.name}[${key}]`, value];
    });
  return [[parameter.name, text]];
}

/** Names of required parameters without a value. */
export function missing({ operation }: Entry, values: Values): string[] {
  return (operation.parameters ?? [])
    .filter((parameter) => parameter.required && !values[fieldKey(parameter)]?.trim())
    .map(({ name }) => name);
}

/** The request of the form's fields; `body` is JSON as text, empty for none. */
export function buildRequest({ method, path, operation }: Entry, values: Values, body: string): BuiltRequest {
  let url = `/api/v4${path}`;
  const query = new URLSearchParams();
  for (const parameter of operation.parameters ?? []) {
    const text = values[fieldKey(parameter)] ?? '';
    if (parameter.in === 'path') {
      // The rest of a path keeps its slashes, everything else is one segment.
      const rest = parameter.name === 'path' && path.endsWith('/{path}');
      const encoded = rest ? text.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(text);
      url = url.replace(`{${parameter.name}}`, encoded);
    } else if (text !== '') for (const [name, value] of queryPairs(parameter, text)) query.append(name, value);
  }
  const search = query.toString();
  const sends = operation.requestBody !== undefined && body.trim() !== '';
  return {
    method,
    url: search === '' ? url : `${url}?${search}`,
    headers: sends ? { 'Content-Type': 'application/json' } : {},
    ...(sends ? { body } : {}),
  };
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The same request for a terminal; the token is a variable of its shell. */
export function curlCommand(request: BuiltRequest, origin: string): string {
  const parts = [
    `curl${request.method === 'GET' ? '' : ` --request ${request.method}`}`,
    '--header "PRIVATE-TOKEN: $TOKEN"',
    ...Object.entries(request.headers).map(([name, value]) => `--header ${quoted(`${name}: ${value}`)}`),
    ...(request.body === undefined ? [] : [`--data ${quoted(request.body)}`]),
    quoted(`${origin}${request.url}`),
  ];
  return parts.join(' \\\n  ');
}

/** Why a text is no JSON; null when it is, or is empty. */
export function jsonProblem(text: string): string | null {
  if (text.trim() === '') return null;
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : 'not JSON';
  }
}
