/** What the help page says about the instance, and what an empty repository says to type. */
import { describe, expect, it } from 'vitest';
import { firstSteps } from '../features/projects/first-steps.ts';
import type { InstanceConfiguration } from './instance.ts';
import { allowedKeys, knownHosts, limitSections } from './instance-words.ts';

const ssh = {
  user: 'git',
  host: 'git.example.com',
  port: 2222,
  host_keys: [
    { type: 'ssh-ed25519', bits: 256, fingerprint_sha256: 'SHA256:a', key: 'ssh-ed25519 AAAA' },
    { type: 'ecdsa-sha2-nistp256', bits: 256, fingerprint_sha256: 'SHA256:b', key: 'ecdsa-sha2-nistp256 BBBB' },
  ],
};
const configuration: InstanceConfiguration = {
  ssh,
  git_protocols: ['http', 'ssh'],
  ssh_keys: [
    { kind: 'ed25519', allowed: true, minimum_bits: null },
    { kind: 'rsa', allowed: true, minimum_bits: 3072 },
    { kind: 'dsa', allowed: false, minimum_bits: null },
  ],
  limits: {
    attachment_bytes: 104_857_600,
    avatar_bytes: 204_800,
    artifacts_bytes: 104_857_600,
    ci_file_bytes: 524_288,
    ci_configuration_bytes: 2_097_152,
    ci_includes: 150,
    personal_projects: 100_000,
    access_token_days: 365,
    ssh_key_days: null,
    ssh_operations: 600,
  },
  search: { anonymous: true, scopes: ['projects'], default_scope: null },
  formulas: { limited: true, locked: false },
  help: { text_html: '', support_url: null, documentation_url: null },
  guidelines: { new_project_html: '', members_html: '', profile_image_html: '' },
  ci: { protected_variables: true, runners_text_html: '' },
  first_day_of_week: 0,
  throttles: [
    { name: 'authenticated_api', requests: 7200, period: 3600 },
    { name: 'unauthenticated_api', requests: 60, period: 60 },
  ],
};
const rows = (of: InstanceConfiguration) => new Map(limitSections(of).flatMap(([, list]) => list));

describe('help page', () => {
  it('lines of known_hosts name the port only where it is not 22', () => {
    expect(knownHosts(ssh)).toBe(
      '[git.example.com]:2222 ssh-ed25519 AAAA\n[git.example.com]:2222 ecdsa-sha2-nistp256 BBBB',
    );
    expect(knownHosts({ ...ssh, port: 22 })).toMatch(/^git\.example\.com ssh-ed25519 AAAA\n/);
  });

  it('says limits in words, those of SSH only where it is served', () => {
    const all = rows(configuration);
    expect(all.get('Allowed SSH keys')).toBe('Ed25519, RSA from 3072 bits');
    expect(all.get('Attachment')).toBe('100 MiB');
    expect(all.get('CI/CD configuration file')).toBe('512 KiB');
    expect(allowedKeys([])).toBe('none');
    expect(all.get('Lifetime of SSH keys')).toBe('no limit');
    expect(all.get('Lifetime of access tokens')).toBe('365 days');
    expect(all.get('Authenticated API requests per user')).toBe('7,200 in 1 h 00 min');
    expect(all.get('Unauthenticated API requests per IP address')).toBe('60 in a minute');
    expect(all.get('git operations over SSH per user and project')).toBe('600 in a minute');
    const without = rows({ ...configuration, ssh: null });
    expect(without.has('git operations over SSH per user and project')).toBe(false);
    expect(without.size).toBe(all.size - 1);
  });
});

describe('empty repository', () => {
  const project = { name: "Tide 'clock'", path: 'tide-clock', default_branch: null };
  it('starts with a branch, a README and a push, each by the address that is given', () => {
    const steps = firstSteps(project, 'ssh://git@h:2222/a/tide-clock.git');
    expect(steps.existing.split('\n')[0]).toBe('git remote add origin ssh://git@h:2222/a/tide-clock.git');
    expect(steps.fresh.split('\n')).toEqual([
      'git clone ssh://git@h:2222/a/tide-clock.git',
      'cd tide-clock',
      'git switch --create main',
      "echo '# Tide '\\''clock'\\''' > README.md",
      'git add README.md',
      "git commit -m 'Add README'",
      'git push --set-upstream origin main',
    ]);
  });
});
