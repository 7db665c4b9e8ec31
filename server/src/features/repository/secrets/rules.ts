/**
 * Kinds of secrets that are known by how they begin. `marks` are texts of which one is in every secret of the kind: lines
 * without any are not looked at further. Patterns run in linear time.
 */

export interface SecretKind {
  readonly name: string;
  readonly marks: readonly string[];
  readonly pattern: string;
}

const kind = (name: string, marks: readonly string[], pattern: string): SecretKind => ({ name, marks, pattern });
/** A prefix and what follows it. */
const prefixed = (name: string, prefix: string, rest: string): SecretKind =>
  kind(name, [prefix], `\\b${prefix.replaceAll('.', '\\.')}${rest}`);
const own = '[A-Za-z0-9_-]{20,}';

export const secretKinds: readonly SecretKind[] = [
  // Of this product, and of what speaks like it.
  prefixed('personal access token', 'glpat-', own),
  prefixed('pipeline trigger token', 'glptt-', own),
  prefixed('deploy token', 'gldt-', own),
  prefixed('runner token', 'glrt-', own),
  prefixed('token of a registered runner', 'glrtr-', own),
  prefixed('job token', 'glcbt-', own),
  prefixed('SCIM token', 'glsoat-', own),
  prefixed('feed token', 'glft-', own),
  prefixed('incoming mail token', 'glimt-', own),
  prefixed('agent token', 'glagent-', '[A-Za-z0-9_-]{40,}'),
  prefixed('OAuth application secret', 'gloas-', '[A-Za-z0-9_-]{40,}'),
  prefixed('feature flags client token', 'glffct-', own),
  prefixed('runner registration token', 'GR1348941', own),
  kind('private key', ['PRIVATE KEY'], '-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----'),
  prefixed('age secret key', 'AGE-SECRET-KEY-1', '[A-Z0-9]{58}'),
  kind('AWS access key', ['AKIA', 'ASIA'], '\\b(?:AKIA|ASIA)[0-9A-Z]{16}\\b'),
  prefixed('Google API key', 'AIza', '[0-9A-Za-z_-]{35}'),
  prefixed('Google OAuth client secret', 'GOCSPX-', '[0-9A-Za-z_-]{28}'),
  kind('GitHub token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], '\\bgh[pousr]_[A-Za-z0-9]{36}'),
  prefixed('GitHub fine-grained token', 'github_pat_', '[A-Za-z0-9_]{82}'),
  kind('Slack token', ['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-'], '\\bxox[bpars]-[0-9A-Za-z-]{20,}'),
  prefixed('Slack app token', 'xapp-', '[0-9A-Za-z-]{30,}'),
  kind('Slack webhook', ['hooks.slack.com'], 'hooks\\.slack\\.com/services/T[A-Z0-9]+/B[A-Z0-9]+/[A-Za-z0-9]{20,}'),
  kind('Stripe key', ['sk_live_', 'rk_live_'], '\\b[rs]k_live_[0-9A-Za-z]{20,}'),
  prefixed('npm token', 'npm_', '[A-Za-z0-9]{36}'),
  prefixed('PyPI token', 'pypi-AgEI', '[A-Za-z0-9_-]{50,}'),
  prefixed('RubyGems key', 'rubygems_', '[a-f0-9]{48}'),
  prefixed('Docker Hub token', 'dckr_pat_', '[A-Za-z0-9_-]{27}'),
  prefixed('SendGrid key', 'SG.', '[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}'),
  prefixed('DigitalOcean token', 'dop_v1_', '[a-f0-9]{64}'),
  prefixed('Hugging Face token', 'hf_', '[A-Za-z0-9]{34}'),
  prefixed('Anthropic key', 'sk-ant-', '[A-Za-z0-9_-]{80,}'),
  prefixed('OpenAI project key', 'sk-proj-', '[A-Za-z0-9_-]{40,}'),
  kind('Shopify token', ['shpat_', 'shppa_', 'shpca_', 'shpss_'], '\\bshp(?:at|pa|ca|ss)_[a-fA-F0-9]{32}'),
  prefixed('Vault token', 'hvs.', '[A-Za-z0-9_-]{24,}'),
  kind('Terraform Cloud token', ['.atlasv1.'], '\\b[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{60,}'),
  prefixed('Doppler token', 'dp.pt.', '[A-Za-z0-9]{40,}'),
  prefixed('Linear key', 'lin_api_', '[A-Za-z0-9]{40}'),
  prefixed('Postman key', 'PMAK-', '[a-f0-9]{24}-[a-f0-9]{34}'),
  prefixed('Grafana token', 'glsa_', '[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}'),
  prefixed('New Relic key', 'NRAK-', '[A-Z0-9]{27}'),
  prefixed('Tailscale key', 'tskey-', '[a-z]+-[A-Za-z0-9]+-[A-Za-z0-9]{20,}'),
  prefixed('Square token', 'sq0atp-', '[0-9A-Za-z_-]{22}'),
];
