/** The committed examples of the API: requests that tests made, one per route, a file for each tag. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** A request and what came back, without what differs from run to run. */
export interface StoredExample {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly status: number;
  readonly answer?: unknown;
}

export type StoredExamples = Record<string, StoredExample>;

/** Where they lie. */
export const examplesDirectory = join(import.meta.dirname, '../../docs/api/examples');

/** `CI/CD variables` to the name of its file. */
export const exampleFile = (tag: string): string => `${tag.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.json`;

/** All of them, by method and path. */
export function readExamples(directory = examplesDirectory): StoredExamples {
  if (!existsSync(directory)) return {};
  const files = readdirSync(directory).filter((name) => name.endsWith('.json'));
  return Object.assign(
    {},
    ...files.sort().map((name) => JSON.parse(readFileSync(join(directory, name), 'utf8')) as StoredExamples),
  ) as StoredExamples;
}

interface Media {
  readonly schema?: object;
}
interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: object }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

/** Tells in what an example differs from the document; nothing when it fits. */
export function exampleChecker(document: Document): (route: string, example: StoredExample) => string[] {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema({ $id: 'document', components: document.components });
  const checks = new Map<string, ValidateFunction>();
  const differences = (schema: object, value: unknown, at: string): string[] => {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
    const check = checks.get(text) ?? ajv.compile(JSON.parse(text) as object);
    checks.set(text, check);
    if (check(value)) return [];
    return (check.errors ?? []).map(({ instancePath, message }) => `${at}${instancePath} ${message ?? ''}`);
  };
  return (route, { path = {}, query = {}, body, status, answer }) => {
    const [method = '', address = ''] = route.split(' ');
    const place = address.replaceAll(/:([a-z_]+)/g, '{$1}').replace(/\*$/, '{path}');
    const operation = document.paths[place]?.[method.toLowerCase()];
    const response = operation?.responses[String(status)];
    if (!operation || !response) return [`${route} does not answer ${status}`];
    const found: string[] = [];
    for (const { name, in: where, schema } of operation.parameters ?? []) {
      const key = where === 'path' ? (name === 'path' && '*' in path ? '*' : name) : name.replace('[]', '');
      const values = where === 'path' ? path : query;
      if (key in values) found.push(...differences(schema, values[key], name));
      else if (where === 'path') found.push(`${name} is missing`);
    }
    const bodySchema = operation.requestBody?.content['application/json']?.schema;
    if (body !== undefined && bodySchema) found.push(...differences(bodySchema, body, 'body'));
    const answerSchema = response.content?.['application/json']?.schema;
    if (answerSchema && answer === undefined) found.push('has no answer');
    if (answerSchema && answer !== undefined) found.push(...differences(answerSchema, answer, 'answer'));
    return found;
  };
}
