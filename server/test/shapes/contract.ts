/** Whether an answer is what the OpenAPI document says: status, content type, and the body against its schema. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

interface Response {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, unknown>>;
}
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Record<string, Response> }>>>>;
  readonly components: { readonly responses: Readonly<Record<string, Response>> };
}

export interface Answered {
  readonly status: number;
  readonly type: string | undefined;
  readonly body: string;
}

const pointer = (...parts: string[]) =>
  parts.map((each) => encodeURIComponent(each.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');

/** What is wrong with an answer to `method path` (the path as the document spells it); null when it fits. */
export function contractOf(document: OpenApiDocument) {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: false, logger: false });
  addFormats.default(ajv);
  ajv.addFormat('binary', true);
  ajv.addSchema(document, 'document');
  const compiled = new Map<string, ValidateFunction>();
  const validator = (at: string): ValidateFunction => {
    let found = compiled.get(at);
    if (!found) {
      found = ajv.compile({ $ref: `document#/${at}` });
      compiled.set(at, found);
    }
    return found;
  };

  return (method: string, path: string, answered: Answered, head: boolean): string | null => {
    const operation = document.paths[path]?.[method.toLowerCase()];
    if (!operation) return 'the document does not have the operation';
    const declared = operation.responses[answered.status];
    if (!declared) return `the document does not have status ${answered.status}`;
    const name = declared.$ref?.split('/').at(-1);
    const response = name === undefined ? declared : document.components.responses[name];
    const at =
      name === undefined
        ? pointer('paths', path, method.toLowerCase(), 'responses', String(answered.status))
        : pointer('components', 'responses', name);
    const types = Object.keys(response?.content ?? {});
    if (types.length === 0) return answered.body === '' ? null : 'the document has no body here';
    if (types.includes('application/json') && answered.type === 'application/json') {
      if (head) return answered.body === '' ? null : 'HEAD has a body';
      const validate = validator(`${at}/content/${pointer('application/json')}/schema`);
      let body: unknown;
      try {
        body = JSON.parse(answered.body);
      } catch {
        return 'not JSON';
      }
      if (validate(body)) return null;
      const [error] = validate.errors ?? [];
      return `body${error?.instancePath ?? ''} ${error?.message ?? 'does not fit'} ${JSON.stringify(error?.params ?? {})}`;
    }
    const type = answered.type?.split(';', 1)[0] ?? '';
    const fits = type !== 'application/json' && (types.includes(type) || types.includes('*/*'));
    return fits ? null : `content type ${answered.type} is not one of ${types.join(', ')}`;
  };
}
