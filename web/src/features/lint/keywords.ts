/** Keywords of CI/CD configurations, for completion. */

export const globalKeywords = ['default', 'include', 'pages', 'spec', 'stages', 'variables', 'workflow'] as const;

export const jobKeywords = [
  'after_script',
  'allow_failure',
  'artifacts',
  'before_script',
  'cache',
  'coverage',
  'dependencies',
  'environment',
  'extends',
  'hooks',
  'id_tokens',
  'identity',
  'image',
  'inherit',
  'inputs',
  'interruptible',
  'manual_confirmation',
  'needs',
  'pages',
  'parallel',
  'release',
  'resource_group',
  'retry',
  'rules',
  'run',
  'script',
  'secrets',
  'services',
  'stage',
  'tags',
  'timeout',
  'trigger',
  'variables',
  'when',
] as const;

const rule = ['allow_failure', 'changes', 'exists', 'if', 'interruptible', 'needs', 'variables', 'when'] as const;

/** Below the keyword that stands above them. */
export const nestedKeywords: Readonly<Record<string, readonly string[]>> = {
  artifacts: ['access', 'exclude', 'expire_in', 'expose_as', 'name', 'paths', 'reports', 'untracked', 'when'],
  reports: [
    'accessibility',
    'annotations',
    'codequality',
    'coverage_report',
    'cyclonedx',
    'dotenv',
    'junit',
    'load_performance',
    'metrics',
    'sast',
    'secret_detection',
    'terraform',
  ],
  coverage_report: ['coverage_format', 'path'],
  cache: ['fallback_keys', 'key', 'paths', 'policy', 'unprotect', 'untracked', 'when'],
  key: ['files', 'prefix'],
  allow_failure: ['exit_codes'],
  environment: ['action', 'auto_stop_in', 'deployment_tier', 'kubernetes', 'name', 'on_stop', 'url'],
  hooks: ['pre_get_sources_script'],
  image: ['docker', 'entrypoint', 'kubernetes', 'name', 'pull_policy'],
  services: ['alias', 'command', 'entrypoint', 'name', 'pull_policy', 'variables'],
  include: ['component', 'file', 'inputs', 'integrity', 'local', 'project', 'ref', 'remote', 'rules', 'template'],
  inherit: ['default', 'variables'],
  needs: ['artifacts', 'job', 'optional', 'parallel', 'pipeline', 'project', 'ref'],
  parallel: ['matrix'],
  release: ['assets', 'description', 'milestones', 'name', 'ref', 'released_at', 'tag_message', 'tag_name'],
  retry: ['exit_codes', 'max', 'when'],
  rules: rule,
  changes: ['compare_to', 'paths', 'regexp'],
  exists: ['paths', 'project', 'ref', 'regexp'],
  spec: ['inputs'],
  trigger: ['branch', 'forward', 'include', 'inputs', 'project', 'strategy'],
  forward: ['pipeline_variables', 'yaml_variables'],
  workflow: ['auto_cancel', 'name', 'rules'],
  auto_cancel: ['on_job_failure', 'on_new_commit'],
};

const boolean = ['true', 'false'] as const;
const whens: Readonly<Record<string, readonly string[]>> = {
  artifacts: ['on_success', 'on_failure', 'always'],
  cache: ['on_success', 'on_failure', 'always'],
  retry: [
    'always',
    'unknown_failure',
    'script_failure',
    'api_failure',
    'stuck_or_timeout_failure',
    'runner_system_failure',
    'job_execution_timeout',
  ],
  workflow: ['always', 'never'],
};
const values: Readonly<Record<string, readonly string[]>> = {
  when: ['on_success', 'on_failure', 'always', 'manual', 'delayed', 'never'],
  allow_failure: boolean,
  interruptible: boolean,
  untracked: boolean,
  optional: boolean,
  artifacts: boolean,
  policy: ['pull-push', 'pull', 'push'],
  action: ['start', 'prepare', 'stop', 'verify', 'access'],
  deployment_tier: ['production', 'staging', 'testing', 'development', 'other'],
  access: ['all', 'developer', 'maintainer', 'none'],
  strategy: ['depend', 'mirror'],
  coverage_format: ['cobertura', 'jacoco'],
  on_new_commit: ['conservative', 'interruptible', 'none'],
  on_job_failure: ['none', 'all'],
  pull_policy: ['always', 'if-not-present', 'never'],
};

/** Values of a keyword, which may depend on what it is below. */
export const valuesOf = (key: string, parent: string | null): readonly string[] =>
  (key === 'when' && parent !== null ? whens[parent] : undefined) ?? values[key] ?? [];
