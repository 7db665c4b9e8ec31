import { readFileSync } from 'node:fs';
import { readYaml } from '@millrace/ci-config';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';

/** What the official chart reads, of the keys that a fleet may set, and the kind of each value. */
const KNOWN: Readonly<Record<string, string>> = {
  gitlabUrl: 'string',
  concurrent: 'number',
  checkInterval: 'number',
  replicas: 'number',
  terminationGracePeriodSeconds: 'number',
  'rbac.create': 'boolean',
  'rbac.rules': 'object',
  'serviceAccount.create': 'boolean',
  'sessionServer.enabled': 'boolean',
  'sessionServer.serviceType': 'string',
  'metrics.enabled': 'boolean',
  runnerRegistrationToken: 'string',
  'runners.secret': 'string',
  'runners.config': 'string',
  secrets: 'object',
};

type Values = { [key: string]: unknown };

function leaves(values: Values, before = ''): [string, unknown][] {
  return Object.entries(values).flatMap(([key, value]): [string, unknown][] => {
    const path = `${before}${key}`;
    const inner = typeof value === 'object' && value !== null && !Array.isArray(value);
    return inner ? leaves(value as Values, `${path}.`) : [[path, value]];
  });
}

const address = new URL('../../../../../docs/operator/helm/gitlab-runner-values.yaml', import.meta.url);
const values = Object.fromEntries(leaves(readYaml('values.yaml', readFileSync(address, 'utf8')) as Values));

test('the values for Kubernetes name only keys of the official chart, and register with a token of ours', () => {
  for (const [key, value] of Object.entries(values)) expect([key, typeof value]).toEqual([key, KNOWN[key]]);
  // Absent, the chart tells the manager to lock the runner, which a token of an existing runner forbids.
  expect(values.runnerRegistrationToken).toBe('');
  // The chart refuses several managers with the token of one runner.
  expect(values.replicas).toBe(1);
});

test('the managers of Kubernetes may do what jobs in pods take, and no more', () => {
  const rules = values['rbac.rules'] as { resources: string[]; verbs: string[] }[];
  const may = Object.fromEntries(rules.flatMap(({ resources, verbs }) => resources.map((name) => [name, verbs])));
  expect(Object.keys(may).sort()).toEqual(
    ['events', 'pods', 'pods/attach', 'pods/exec', 'pods/log', 'secrets', 'serviceaccounts', 'services'].sort(),
  );
  expect(Object.values(may).flat()).not.toContain('*');
  expect(may.pods).toEqual(expect.arrayContaining(['create', 'get', 'watch', 'delete']));
});

test('the configuration of the managers of Kubernetes is one that the official runner reads', () => {
  const text = String(values['runners.config']).replaceAll('{{ .Release.Namespace }}', 'runners');
  const { runners } = parse(text) as unknown as { runners: Values[] };
  const [runner] = runners.map((one) => Object.fromEntries(leaves(one)));
  expect(runner).toMatchObject({
    executor: 'kubernetes',
    'kubernetes.namespace': 'runners',
    'cache.Type': 's3',
    'cache.s3.AuthenticationType': 'access-key',
  });
  // The address and the token come from the environment: in the configuration they would win over the Secret.
  expect(runner).not.toHaveProperty('url');
  expect(text).not.toContain('token');
});
