/** What the runner fetches from stores of secrets, in its own terms: where the store is comes from the job's variables. */
import { expandVariables, type Variable } from '@millrace/ci-config';
import type { PlanSecret } from '../jobs/plan.ts';

type Values = (name: string) => string | undefined;
type Request = Readonly<Record<string, unknown>>;

/** How each provider's request is completed. `jwt` is the ID token. */
const providers: Readonly<Record<string, (request: Request, values: Values, jwt: string) => object>> = {
  vault: (request, values, jwt) => ({
    vault: {
      server: {
        url: values('VAULT_SERVER_URL') ?? '',
        namespace: values('VAULT_NAMESPACE') ?? '',
        auth: {
          name: 'jwt',
          path: values('VAULT_AUTH_PATH') ?? 'jwt',
          data: { jwt, role: values('VAULT_AUTH_ROLE') ?? '' },
        },
      },
      ...request,
    },
  }),
  gcp_secret_manager: (request, values, jwt) => ({
    gcp_secret_manager: {
      version: 'latest',
      ...request,
      server: {
        project_number: values('GCP_PROJECT_NUMBER') ?? '',
        workload_identity_federation_pool_id: values('GCP_WORKLOAD_IDENTITY_FEDERATION_POOL_ID') ?? '',
        workload_identity_federation_provider_id: values('GCP_WORKLOAD_IDENTITY_FEDERATION_PROVIDER_ID') ?? '',
        jwt,
      },
    },
  }),
  azure_key_vault: (request, values, jwt) => ({
    azure_key_vault: {
      ...request,
      server: {
        url: values('AZURE_KEY_VAULT_SERVER_URL') ?? '',
        client_id: values('AZURE_CLIENT_ID') ?? '',
        tenant_id: values('AZURE_TENANT_ID') ?? '',
        jwt,
      },
    },
  }),
  aws_secrets_manager: (request, values, jwt) => ({
    aws_secrets_manager: {
      ...request,
      server: {
        region: request.region ?? values('AWS_REGION') ?? '',
        role_arn: request.role_arn ?? values('AWS_ROLE_ARN') ?? '',
        role_session_name: request.role_session_name ?? values('AWS_ROLE_SESSION_NAME') ?? '',
        jwt,
      },
    },
  }),
  akeyless: (request, values, jwt) => ({
    akeyless: {
      ...request,
      server: {
        access_id: values('AKEYLESS_ACCESS_ID') ?? '',
        akeyless_api_url: request.akeyless_api_url ?? values('AKEYLESS_API_URL') ?? '',
        jwt,
      },
    },
  }),
};

/** Without these nobody knows which store it is; what the request itself says counts too. */
const needed: Readonly<Record<string, readonly { readonly variable: string; readonly said?: string }[]>> = {
  vault: [{ variable: 'VAULT_SERVER_URL' }],
  gcp_secret_manager: [
    { variable: 'GCP_PROJECT_NUMBER' },
    { variable: 'GCP_WORKLOAD_IDENTITY_FEDERATION_POOL_ID' },
    { variable: 'GCP_WORKLOAD_IDENTITY_FEDERATION_PROVIDER_ID' },
  ],
  azure_key_vault: [
    { variable: 'AZURE_KEY_VAULT_SERVER_URL' },
    { variable: 'AZURE_CLIENT_ID' },
    { variable: 'AZURE_TENANT_ID' },
  ],
  aws_secrets_manager: [{ variable: 'AWS_REGION', said: 'region' }],
  akeyless: [{ variable: 'AKEYLESS_ACCESS_ID' }],
};

/** Whether the store of every secret is known. */
export const storesAreKnown = (secrets: readonly PlanSecret[], variables: readonly Variable[]): boolean =>
  secrets.every(({ provider, request }) =>
    (needed[provider] ?? []).every(
      ({ variable, said }) =>
        (said !== undefined && typeof request[said] === 'string') ||
        variables.some(({ key, value }) => key === variable && value !== ''),
    ),
  );

/** The `secrets` of a payload; the runner expands what `request` refers to. */
export function secretRequests(
  secrets: readonly PlanSecret[],
  idTokens: readonly string[],
  variables: readonly Variable[],
): Record<string, unknown> {
  const names = new Set(variables.map(({ key }) => key));
  const values: Values = (name) => (names.has(name) ? expandVariables(`$${name}`, variables) : undefined);
  return Object.fromEntries(
    secrets.map(({ name, provider, request, file, token }) => {
      const written = token ?? (idTokens[0] === undefined ? '' : `$${idTokens[0]}`);
      const complete = providers[provider]?.(request, values, expandVariables(written, variables)) ?? {};
      return [name, { ...complete, file }];
    }),
  );
}
