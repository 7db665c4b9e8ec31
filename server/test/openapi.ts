/** Reading the OpenAPI document in tests, and the rules of the house for it: the standard's own schema asks for less. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly format?: string;
}
interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
}
export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly style?: string;
  readonly schema: Schema;
  readonly example?: unknown;
}
export interface Response {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, Media>>;
}
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly deprecated?: boolean;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Response>>;
}
export interface OpenApi {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
}

export interface Located {
  /** `GET /projects/{id}` */
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export const operationsOf = (document: OpenApi): Located[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      at: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );

/** The schema itself where a reference stands for it. */
export function resolved(document: OpenApi, schema: Schema): Schema {
  const name = schema.$ref?.replace('#/components/schemas/', '');
  return name === undefined ? schema : (document.components.schemas[name] ?? {});
}

/** The body of a request, if it has parameters. */
export function bodySchema(document: OpenApi, operation: Operation): Schema | undefined {
  const [media] = Object.values(operation.requestBody?.content ?? {});
  return media?.schema && resolved(document, media.schema);
}

/** What a read does: each begins its summary with one of these. */
const reading =
  /^(List|Get|Count|Search|Download|Export|Compare|Check|Validate|Explain|Preview|Generate|Redirect|Merge) /;

type Complain = (at: string, why: string) => void;

function operationRules(document: OpenApi, { at, path, operation }: Located, complain: Complain): void {
  const placeholders = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '').sort();
  const inPath = (operation.parameters ?? []).filter((each) => each.in === 'path');
  if (
    inPath
      .map(({ name }) => name)
      .sort()
      .join() !== placeholders.join()
  )
    complain(at, 'placeholders and path parameters differ');
  if (inPath.some(({ required }) => required !== true)) complain(at, 'a path parameter is not required');
  if (/[.\s]$/.test(operation.summary)) complain(at, 'the summary ends with a full stop or blank');
  if (/^GET /.test(at) ? !reading.test(operation.summary) : !/^[A-Z][a-z]+(?:-[a-z]+)?,? /.test(operation.summary))
    complain(at, `the summary does not begin with a verb: ${operation.summary}`);
  if (operation.tags.length !== 1) complain(at, 'has not one tag');
  if (!operation.description) complain(at, 'does not say who may call it');
  for (const requirement of operation.security)
    for (const scheme of Object.keys(requirement))
      if (!(scheme in document.components.securitySchemes)) complain(at, `no security scheme ${scheme}`);
  for (const parameter of operation.parameters ?? []) {
    const where = `${at} ${parameter.name}`;
    if (!parameter.description) complain(where, 'the parameter has no description');
    const list = parameter.schema.type === 'array';
    if (parameter.in === 'query' && list !== parameter.name.endsWith('[]'))
      complain(where, 'lists, and only lists, end in []');
    if (parameter.schema.type === 'object' && parameter.style !== 'deepObject')
      complain(where, 'a hash is not a deepObject');
  }
  for (const [status, response] of Object.entries(operation.responses)) {
    if (response.$ref) continue;
    for (const [type, { schema }] of Object.entries(response.content ?? {}))
      if (!schema) complain(`${at} ${status} ${type}`, 'has no schema');
    if (status !== '204' && !response.headers?.['X-Request-Id']) complain(`${at} ${status}`, 'names no headers');
  }
  for (const status of ['429', '500', '503'])
    if (!(status in operation.responses)) complain(at, `${status} is not told`);
  const paged = (operation.parameters ?? []).some(({ name }) => name === 'per_page');
  if (paged && !operation.responses['200']?.headers?.Link) complain(at, 'is paged and tells no Link');
}

/** Every property below a schema, with the path to it. References are followed by those who own them. */
function* propertiesOf(schema: Schema, at: string): Generator<readonly [string, Schema]> {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    yield [`${at}.${name}`, property];
    yield* propertiesOf(property, `${at}.${name}`);
  }
  if (schema.items) yield* propertiesOf(schema.items, `${at}[]`);
  if (typeof schema.additionalProperties === 'object') yield* propertiesOf(schema.additionalProperties, `${at}.*`);
  for (const option of [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]) yield* propertiesOf(option, at);
}

const typed = ({ $ref, type, oneOf, anyOf }: Schema) => Boolean($ref ?? type ?? oneOf ?? anyOf);

/** What the document lacks by the rules of the house; empty when it is as it should be. */
export function lint(document: OpenApi): string[] {
  const found: string[] = [];
  const complain: Complain = (at, why) => found.push(`${at}: ${why}`);
  const located = operationsOf(document);
  const ids = located.map(({ operation }) => operation.operationId);
  for (const [index, id] of ids.entries()) if (ids.indexOf(id) !== index) complain(id, 'the operationId is not unique');
  for (const each of located) operationRules(document, each, complain);
  for (const { name, description } of document.tags) if (!description) complain(`tag ${name}`, 'has no description');
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    const request = name.endsWith('Body');
    for (const [at, property] of propertiesOf(schema, name)) {
      if (!property.description && !property.$ref && request) complain(at, 'the parameter has no description');
      if (property.deprecated && !property.description) complain(at, 'is deprecated and does not say what to use');
      if (!typed(property) && !property.description) complain(at, 'has neither type nor description');
    }
  }
  const text = JSON.stringify(document);
  for (const kind of ['schemas', 'responses', 'headers'] as const) {
    const used = new Set(
      [...text.matchAll(new RegExp(`"#/components/${kind}/([^"]+)"`, 'g'))].map((match) => match[1] ?? ''),
    );
    for (const name of used) if (!(name in document.components[kind])) complain(name, 'is referred to and not there');
    for (const name of Object.keys(document.components[kind]))
      if (!used.has(name)) complain(name, 'is there and not used');
  }
  return found;
}
