/** `secrets`: values that the runner fetches from a store of secrets, with an ID token of the job. */
import { plainValue } from '../yaml/plain.ts';
import type { Node } from '../yaml/tree.ts';
import { byVariable } from './id-tokens.ts';
import type { Keyword } from './keyword.ts';
import { booleanOf, entriesOf, field, textOf } from './read.ts';
import { boolean, either, hash, isHash, isText, name, type Schema, text, word } from './schema.ts';

export type SecretProvider = 'vault' | 'gcp_secret_manager' | 'azure_key_vault' | 'aws_secrets_manager' | 'akeyless';

export type Secret = {
  readonly name: string;
  readonly provider: SecretProvider;
  /** What the provider is asked for; references to variables are the runner's to expand. */
  readonly request: Readonly<Record<string, unknown>>;
  /** Whether the variable holds the name of a file with the value. */
  readonly file: boolean;
  /** The variable with the ID token, as written (`$NAME`); null: the only one that the job has. */
  readonly token: string | null;
};

const textHash = (keys: readonly string[], required: readonly string[]): Schema =>
  hash({ keys: Object.fromEntries(keys.map((key) => [key, word])), required });

const AWS = ['secret_id', 'version_id', 'version_stage', 'region', 'role_arn', 'role_session_name', 'field'];
const AKEYLESS = [
  'name',
  'data_key',
  'cert_user_name',
  'public_key_data',
  'csr_data',
  'akeyless_api_url',
  'akeyless_access_type',
];
const textOr = (schema: Schema): Schema =>
  either(
    [
      [isText, name],
      [isHash, schema],
    ],
    'should be a hash or a string',
  );
const PROVIDERS: Readonly<Record<SecretProvider, Schema>> = {
  vault: textOr(
    hash({
      keys: { path: name, field: name, engine: hash({ keys: { name, path: name }, required: ['name', 'path'] }) },
      required: ['path', 'field', 'engine'],
    }),
  ),
  gcp_secret_manager: textOr(textHash(['name', 'version'], ['name'])),
  azure_key_vault: textHash(['name', 'version'], ['name']),
  aws_secrets_manager: textOr(textHash(AWS, ['secret_id'])),
  akeyless: textHash(AKEYLESS, []),
};
const NAMES = Object.keys(PROVIDERS) as SecretProvider[];
const shape = hash({ keys: { ...PROVIDERS, file: boolean, token: text } });

const secret: Schema = (node, at, problems) => {
  if (isHash(node) && node.entries.has('gitlab_secrets_manager')) {
    const mark = node.entries.get('gitlab_secrets_manager')!.keyMark;
    problems.error(mark, `${at.path}: this instance has no secrets manager of its own`);
    return false;
  }
  if (!shape(node, at, problems)) return false;
  const given = NAMES.filter((each) => field(node, each));
  if (given.length === 1) {
    if (given[0] !== 'gcp_secret_manager' || textOf(field(node, 'token'))?.trim()) return true;
    problems.error(node.mark, `${at.path} token is required with gcp secrets manager`);
    return false;
  }
  problems.error(node.mark, `${at.path} config must use exactly one of these keys: ${NAMES.join(', ')}`);
  return false;
};

/** `path/of/secret/FIELD@ENGINE` in its parts; the engine is one of key-value pairs with versions. */
function shortVault(written: string): Record<string, unknown> {
  const [location = '', engine = 'kv-v2'] = written.split('@');
  const at = location.lastIndexOf('/');
  return {
    engine: { name: 'kv-v2', path: engine },
    path: at < 0 ? '' : location.slice(0, at),
    field: location.slice(at + 1),
  };
}

function requestOf(provider: SecretProvider, node: Node): Record<string, unknown> {
  const written = textOf(node);
  if (written === null)
    return Object.fromEntries(entriesOf(node).map(([key, value]) => [key, textOf(value) ?? plainValue(value)]));
  if (provider === 'vault') return shortVault(written);
  const [first = '', second] = written.split('#');
  if (provider === 'aws_secrets_manager') return { secret_id: first, ...(second ? { field: second } : {}) };
  return { name: first, ...(second ? { version: second } : {}) };
}

export const secrets: Keyword<Secret[]> = {
  name: 'secrets',
  schema: byVariable(secret),
  normalise: (node) =>
    entriesOf(node).flatMap(([key, value]) => {
      const provider = NAMES.find((each) => field(value, each));
      if (!provider) return [];
      return {
        name: key,
        provider,
        request: requestOf(provider, field(value, provider)!),
        file: booleanOf(field(value, 'file')) ?? true,
        token: textOf(field(value, 'token')),
      };
    }),
  lint: ({ name: job, config, markOf }, problems) => {
    const open = (config.secrets ?? []).filter(({ token }) => token === null);
    if (open.length === 0 || (config.id_tokens?.length ?? 0) <= 1) return;
    const names = open.map((each) => each.name).join(', ');
    problems.error(
      markOf('secrets'),
      `jobs:${job}:secrets need \`token\` when the job has several ID tokens: ${names}`,
    );
  },
};
