/** The instance's own OpenAPI document, and what the reference needs to know of it. */
import { queryOptions } from '@tanstack/react-query';
import { ApiError } from '../../lib/api.ts';

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly style?: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Answer {
  readonly description?: string;
  readonly headers?: Readonly<Record<string, { readonly $ref?: string; readonly description?: string }>>;
  readonly content?: Readonly<Record<string, Media>>;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly deprecated?: boolean;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly description?: string;
    readonly required?: boolean;
    readonly content: Readonly<Record<string, Media>>;
  };
  readonly responses: Readonly<Record<string, Answer & { readonly $ref?: string }>>;
}

export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Answer>>;
    readonly headers: Readonly<Record<string, { readonly description?: string }>>;
  };
}

/** An operation with where it is. */
export interface Entry {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export interface Group {
  readonly name: string;
  readonly description: string;
  readonly entries: readonly Entry[];
}

export const apiDocument = queryOptions({
  queryKey: ['openapi'],
  queryFn: async (): Promise<ApiDocument> => {
    const response = await fetch('/api/v4/openapi.json');
    if (!response.ok) throw new ApiError(response.status, `The server answered ${response.status}`);
    return (await response.json()) as ApiDocument;
  },
  staleTime: Number.POSITIVE_INFINITY,
});

const methodOrder = ['get', 'post', 'put', 'patch', 'delete'];

/** The operations by tag, in the order of their paths. */
export function groupsOf(document: ApiDocument): Group[] {
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .sort(([a], [b]) => methodOrder.indexOf(a) - methodOrder.indexOf(b))
      .map(
        ([method, operation]): Entry => ({ id: operation.operationId, method: method.toUpperCase(), path, operation }),
      ),
  );
  return document.tags.map(({ name, description = '' }) => ({
    name,
    description,
    entries: entries.filter(({ operation }) => operation.tags.includes(name)),
  }));
}

/** The groups with only the operations that all words of the text are in. */
export function searched(groups: readonly Group[], text: string): Group[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [...groups];
  const fits = (group: Group, { method, path, operation, id }: Entry): boolean => {
    const names = (operation.parameters ?? []).map(({ name }) => name).join(' ');
    const hay = `${group.name} ${method} ${path} ${operation.summary} ${id} ${names}`.toLowerCase();
    return words.every((word) => hay.includes(word));
  };
  return groups
    .map((group) => ({ ...group, entries: group.entries.filter((entry) => fits(group, entry)) }))
    .filter(({ entries }) => entries.length > 0);
}

/** What somebody who types this and presses Enter means: the first that says it in these words, else the first. */
export function best(groups: readonly Group[], text: string): Entry | undefined {
  const entries = groups.flatMap((group) => group.entries);
  const wanted = text.trim().toLowerCase();
  return entries.find(({ operation }) => operation.summary.toLowerCase().includes(wanted)) ?? entries[0];
}

/** The name of what a reference is to. */
export const nameOf = (reference: string | undefined): string | undefined => reference?.split('/').at(-1);

/** The schema that a reference stands for. */
export function resolve(document: ApiDocument, schema: Schema): Schema {
  const name = nameOf(schema.$ref);
  return name === undefined ? schema : { ...document.components.schemas[name], ...withoutReference(schema) };
}

const withoutReference = ({ $ref: _, ...rest }: Schema): Schema => rest;

export function resolveAnswer(document: ApiDocument, answer: Answer & { readonly $ref?: string }): Answer {
  const name = nameOf(answer.$ref);
  return name === undefined ? answer : (document.components.responses[name] ?? answer);
}

/** A type in words: `integer or null`, `array of Branch`, `one of opened, closed`. */
export function typeWords(schema: Schema): string {
  const name = nameOf(schema.$ref);
  if (name !== undefined) return name;
  const options = schema.oneOf ?? schema.anyOf;
  if (options) return [...new Set(options.map(typeWords))].join(' or ');
  if (schema.items) return `list of ${typeWords(schema.items)}`;
  const types = [schema.type ?? 'anything'].flat();
  const format = schema.format && schema.format !== 'binary' ? ` (${schema.format})` : '';
  return `${types.join(' or ')}${format}`;
}
