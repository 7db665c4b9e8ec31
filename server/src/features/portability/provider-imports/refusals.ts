/** What another server says no to, in the words of the API. */
import { type HttpError, plainError } from '../../../kernel/http/errors.ts';
import type { ProviderError } from './client.ts';
import type { ProviderConfig } from './provider.ts';

type Provider = ProviderConfig['provider'];

/** What the setting and the project call the products. */
export const importTypes = {
  hosted: 'github',
  gitea: 'gitea',
  server: 'bitbucket_server',
  transfer: 'gitlab_migration',
} as const satisfies Readonly<Record<Provider, string>>;
const titles = { hosted: 'GitHub', gitea: 'Gitea', server: 'Bitbucket Server', transfer: 'source' } as const;

export function refusalOf(error: ProviderError, provider: Provider): HttpError {
  const title = titles[provider];
  if (error.kind === 'unauthorized') return plainError(401, `Access denied to your ${title} account.`);
  if (error.kind === 'limited') return plainError(429, 'Too Many Requests');
  if (error.kind === 'refused') return plainError(400, `Invalid URL: ${error.message}`);
  if (error.kind === 'missing') return plainError(422, `Import failed due to a ${title} error: Not Found (HTTP 404)`);
  return plainError(422, `Import failed due to a ${title} error: ${error.message}`);
}
