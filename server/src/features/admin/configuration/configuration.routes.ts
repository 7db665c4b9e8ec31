/** What users should know about the instance: how to be sure of its SSH server, and how much of what it takes. */
import Type, { type Static } from 'typebox';
import type { Appearance } from '../../../kernel/appearance/index.ts';
import { letsIn } from '../../../kernel/authz/git-protocols.ts';
import { anonymous } from '../../../kernel/authz/subjects.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { Markdown } from '../../../kernel/markdown/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { globalScopes } from '../../activity/index.ts';
import { maximumAvatarBytes } from '../../identity/index.ts';
import { InstanceConfiguration } from './configuration.entity.ts';

/** git over SSH, as far as everybody may know it. */
export interface ServedSsh {
  /** Whether this process answers the port. */
  readonly served: () => boolean;
  readonly user: string;
  readonly host: string;
  readonly port: number;
  readonly hostKeys: () => Promise<
    readonly { readonly type: string; readonly bits: number; readonly key: string; readonly sha256: string }[]
  >;
}

export interface ConfigurationDependencies {
  readonly settings: Settings;
  readonly appearance: Appearance;
  readonly ssh: ServedSsh;
  readonly markdown: Pick<Markdown, 'html'>;
}

type Values = Awaited<ReturnType<Settings['read']>>;
type Configuration = Static<typeof InstanceConfiguration>;

const megabyte = 1024 * 1024;
const defaultTokenDays = 365;
/** As in the settings `*_key_restriction`. */
const forbidden = -1;

function sshKeys(values: Values): Configuration['ssh_keys'] {
  const kinds = {
    ed25519: values.ed25519_key_restriction,
    ed25519_sk: values.ed25519_sk_key_restriction,
    ecdsa: values.ecdsa_key_restriction,
    ecdsa_sk: values.ecdsa_sk_key_restriction,
    rsa: values.rsa_key_restriction,
    dsa: values.dsa_key_restriction,
  };
  return Object.entries(kinds).map(([kind, bits]) => ({
    kind,
    allowed: bits !== forbidden,
    minimum_bits: bits > 0 ? bits : null,
  }));
}

function throttles(values: Values): Configuration['throttles'] {
  return (
    [
      'unauthenticated_api',
      'unauthenticated_web',
      'unauthenticated_git_http',
      'authenticated_api',
      'authenticated_web',
      'authenticated_git_http',
    ] as const
  )
    .filter((name) => values[`throttle_${name}_enabled`])
    .map((name) => ({
      name,
      requests: values[`throttle_${name}_requests_per_period`],
      period: values[`throttle_${name}_period_in_seconds`],
    }));
}

function search(values: Values): Configuration['search'] {
  const scopes = globalScopes(values);
  const chosen = values.default_search_scope;
  return {
    anonymous: values.anonymous_searches_allowed,
    scopes,
    default_scope: scopes.includes(chosen) ? chosen : null,
  };
}

export function configurationRoutes({ settings, appearance, ssh, markdown }: ConfigurationDependencies): Route[] {
  const html = async (text: string | null) =>
    text === null ? '' : await markdown.html(text, { caller: anonymous, base: null });

  return [
    route({
      method: 'GET',
      path: '/instance_configuration',
      summary: 'Get the SSH host keys and limits of the instance',
      tag: 'Metadata',
      credentials: ['token', 'session'],
      scopes: ['api', 'read_api', 'read_user'],
      access: { on: 'public' },
      params: Type.Object({}),
      responses: { 200: InstanceConfiguration },
      handler: async () => {
        const values = await settings.read();
        const texts = await appearance.read();
        const allowed = values.enabled_git_access_protocol;
        const served = letsIn(allowed, 'ssh') && ssh.served();
        const { user, host, port } = ssh;
        const hostKeys = served ? await ssh.hostKeys() : [];
        return {
          ssh: served
            ? {
                user,
                host,
                port,
                host_keys: hostKeys.map(({ type, bits, key, sha256 }) => ({
                  type,
                  bits,
                  fingerprint_sha256: `SHA256:${sha256}`,
                  key,
                })),
              }
            : null,
          git_protocols: [...(letsIn(allowed, 'http') ? ['http' as const] : []), ...(served ? ['ssh' as const] : [])],
          ssh_keys: sshKeys(values),
          limits: {
            attachment_bytes: values.max_attachment_size * megabyte,
            avatar_bytes: maximumAvatarBytes,
            artifacts_bytes: values.max_artifacts_size * megabyte,
            ci_file_bytes: values.max_yaml_size_bytes,
            ci_configuration_bytes: values.ci_max_total_yaml_size_bytes,
            ci_includes: values.ci_max_includes,
            personal_projects: values.default_projects_limit,
            access_token_days: values.max_personal_access_token_lifetime ?? defaultTokenDays,
            ssh_key_days: values.max_ssh_key_lifetime,
            ssh_operations: values.gitlab_shell_operation_limit || null,
          },
          search: search(values),
          formulas: {
            limited: values.math_rendering_limits_enabled,
            locked: values.lock_math_rendering_limits_enabled,
          },
          help: {
            text_html: await html(values.help_page_text),
            support_url: values.help_page_support_url,
            documentation_url: values.help_page_documentation_base_url,
          },
          guidelines: {
            new_project_html: await appearance.html(texts.new_project_guidelines),
            members_html: await appearance.html(texts.member_guidelines),
            profile_image_html: await appearance.html(texts.profile_image_guidelines),
          },
          ci: {
            protected_variables: values.protected_ci_variables,
            runners_text_html: await html(values.shared_runners_text),
          },
          first_day_of_week: values.first_day_of_week,
          throttles: throttles(values),
        };
      },
    }),
  ];
}
