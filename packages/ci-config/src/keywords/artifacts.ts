/** `artifacts`: the files that a job leaves behind, and the reports among them. */
import { parseDuration } from '../duration.ts';
import type { Keyword } from './keyword.ts';
import { booleanOf, entriesOf, field, textOf, textsOf } from './read.ts';
import {
  boolean,
  duration,
  either,
  hash,
  isHash,
  isText,
  noLonger,
  oneOf,
  type Schema,
  subjectOf,
  text,
  textOrTexts,
  texts,
} from './schema.ts';

export type Report = { readonly kind: string; readonly paths: readonly string[] };
export type Artifacts = {
  /** Null when the job names none: the runner then takes its default. */
  readonly name: string | null;
  readonly paths: readonly string[];
  readonly exclude: readonly string[];
  readonly untracked: boolean;
  readonly when: 'on_success' | 'on_failure' | 'always';
  /** As written, for the runner; null means the server's default. */
  readonly expireIn: string | null;
  /** The same in seconds; null when it is absent or `never`. */
  readonly expireInSeconds: number | null;
  readonly exposeAs: string | null;
  readonly access: 'all' | 'developer' | 'maintainer' | 'none';
  readonly reports: readonly Report[];
};

/** Of a job that does not say what it leaves. */
export const NO_ARTIFACTS: Artifacts = {
  name: null,
  paths: [],
  exclude: [],
  untracked: false,
  when: 'on_success',
  expireIn: null,
  expireInSeconds: null,
  exposeAs: null,
  access: 'all',
  reports: [],
};

const REPORTS = [
  'junit',
  'dotenv',
  'accessibility',
  'annotations',
  'api_fuzzing',
  'browser_performance',
  'cluster_applications',
  'cluster_image_scanning',
  'codequality',
  'container_scanning',
  'coverage_fuzzing',
  'cyclonedx',
  'dast',
  'dependency_scanning',
  'license_scanning',
  'load_performance',
  'lsif',
  'metrics',
  'performance',
  'requirements',
  'requirements_v2',
  'repository_xray',
  'sarif',
  'sast',
  'secret_detection',
  'terraform',
] as const;

const reports = hash({
  keys: {
    ...Object.fromEntries(REPORTS.map((kind) => [kind, textOrTexts])),
    coverage_report: hash({
      keys: { coverage_format: oneOf(['cobertura', 'jacoco']), path: text },
      required: ['coverage_format', 'path'],
    }),
  },
});
const EXPOSE_AS = /^\w[-\w ]*$/;
const exposedName = noLonger(100, text);
const exposeAs: Schema = (node, at, problems) => {
  if (!exposedName(node, at, problems)) return false;
  if (isText(node) && EXPOSE_AS.test(node.text)) return true;
  problems.error(node.mark, `${subjectOf(at)} can contain only letters, digits, '-', '_' and spaces`);
  return false;
};
const access: Schema = oneOf(['all', 'developer', 'maintainer', 'none']);

const shape = hash({
  keys: {
    name: text,
    paths: texts,
    exclude: texts,
    untracked: boolean,
    when: oneOf(['on_success', 'on_failure', 'always']),
    expire_in: duration(Number.POSITIVE_INFINITY, ['never']),
    expose_as: exposeAs,
    public: boolean,
    access,
    reports: either([[isHash, reports]], 'should be a hash'),
  },
});

export const artifacts: Keyword<Artifacts> = {
  name: 'artifacts',
  inheritable: true,
  schema: (node, at, problems) => {
    if (!shape(node, at, problems)) return false;
    if (!field(node, 'public') || !field(node, 'access')) return true;
    problems.error(node.mark, `${subjectOf(at)} these keys cannot be used together: access, public`);
    return false;
  },
  normalise: (node) => {
    const expireIn = textOf(field(node, 'expire_in'));
    const isPublic = booleanOf(field(node, 'public'));
    return {
      name: textOf(field(node, 'name')),
      paths: textsOf(field(node, 'paths')),
      exclude: textsOf(field(node, 'exclude')),
      untracked: booleanOf(field(node, 'untracked')) ?? false,
      when: (textOf(field(node, 'when')) ?? 'on_success') as Artifacts['when'],
      expireIn,
      expireInSeconds: expireIn === null ? null : parseDuration(expireIn),
      exposeAs: textOf(field(node, 'expose_as')),
      access: (textOf(field(node, 'access')) ?? (isPublic === false ? 'developer' : 'all')) as Artifacts['access'],
      reports: entriesOf(field(node, 'reports')).map(([kind, value]) => ({
        // Runners upload what is measured as the format that it is in.
        kind: textOf(field(value, 'coverage_format')) ?? kind,
        paths: textsOf(field(value, 'path') ?? value),
      })),
    };
  },
  lint: ({ name, config, markOf }, problems) => {
    const { artifacts: value } = config;
    if (!value) return;
    const mark = markOf('artifacts');
    const wildcard = value.paths.some((path) => path.includes('*'));
    if (value.exposeAs !== null && value.paths.length === 0) {
      problems.error(mark, `jobs:${name}:artifacts config missing required keys: paths`);
    } else if (value.exposeAs !== null && wildcard) {
      problems.error(mark, `jobs:${name}:artifacts paths can't contain '*' when used with 'expose_as'`);
    }
  },
};
