/** The import rules: what docs/architecture.md prints as a matrix, enforced. scripts/deps.test.ts proves that each rule fires. */

const product = '^(packages|server|cli|web)/';
const tests = '(\\.test\\.tsx?$|/testdata/|^server/test/)';
/** Matches a package whether or not it could be resolved. */
const npm = (name) => `(^|node_modules/)${name}(/|$)`;

/** Domains of server/src/features: each may use those before it; the other direction is a fact or a port or hook wired in compose.ts. */
const order = [
  'identity',
  'namespaces',
  'collaboration',
  'repository',
  'ci',
  'review',
  'planning',
  'delivery',
  'security',
  'activity',
  'portability',
  'admin',
];
const laterThan = (domain) => order.slice(order.indexOf(domain) + 1).join('|');

module.exports = {
  forbidden: [
    {
      name: 'packages-stand-alone',
      comment: 'A package knows nothing of ours.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/', pathNot: '^packages/runner/' },
      to: { path: '^(packages|server|cli|web|e2e|bench|scripts)/', pathNot: '^packages/$1/' },
    },
    {
      name: 'runner-uses-only-the-client',
      comment: 'The built-in runner speaks the runner protocol like any other.',
      severity: 'error',
      from: { path: '^packages/runner/' },
      to: { path: '^(packages|server|cli|web|e2e|bench|scripts)/', pathNot: '^packages/(runner|api-client)/' },
    },
    {
      name: 'packages-through-their-face',
      comment: 'A package is used by its name: its other files may move.',
      severity: 'error',
      from: { path: '^(packages/([^/]+)|server|cli|web|e2e|bench)/' },
      to: { path: '^packages/[^/]+/', pathNot: ['^packages/[^/]+/src/(index|main|work-tree)\\.ts$', '^packages/$2/'] },
    },
    {
      name: 'ci-config-is-pure',
      comment: 'Text and context in, plan out: no files, network, processes, clock.',
      severity: 'error',
      from: { path: '^packages/ci-config/src/', pathNot: tests },
      to: {
        dependencyTypes: ['core'],
        path: '^(node:)?(fs|net|http|https|http2|tls|dns|dgram|child_process|worker_threads|cluster|timers|os|process|perf_hooks)(/|$)',
      },
    },
    {
      name: 'kernel-knows-no-feature',
      comment: 'What a kernel needs of features it declares as an interface that app.ts wires.',
      severity: 'error',
      from: { path: '^server/src/kernel/', pathNot: tests },
      to: { path: '^server/src/(features|transport|app\\.ts|main\\.ts)' },
    },
    {
      name: 'domains-through-an-index',
      comment: 'Another domain is used by its index.ts, or by the index.ts of a noun in it.',
      severity: 'error',
      from: { path: '^server/src/features/([^/]+)/' },
      to: {
        path: '^server/src/features/',
        pathNot: [
          '^server/src/features/$1/',
          '^server/src/features/[^/]+/index\\.ts$',
          '^server/src/features/[^/]+/[^/]+/index\\.ts$',
        ],
      },
    },
    {
      name: 'transport-through-feature-index',
      comment: 'Protocols use a slice by its index.ts.',
      severity: 'error',
      from: { path: '^server/src/transport/' },
      to: { path: '^server/src/features/', pathNot: '/index\\.ts$' },
    },
    ...order.slice(0, -1).map((domain) => ({
      name: `feature-order-${domain}`,
      comment: `${order.join(' < ')}: a domain uses those before it.`,
      severity: 'error',
      from: { path: `^server/src/features/${domain}/`, pathNot: tests },
      to: { path: `^server/src/features/(${laterThan(domain)})/` },
    })),
    {
      name: 'features-below-the-root',
      comment: 'Features do not reach up to the protocols or the composition root.',
      severity: 'error',
      from: { path: '^server/src/features/', pathNot: tests },
      to: { path: '^server/src/(transport/|app\\.ts|main\\.ts)' },
    },
    {
      name: 'transport-below-the-root',
      comment: 'Protocols do not reach up to the composition root.',
      severity: 'error',
      from: { path: '^server/src/transport/', pathNot: tests },
      to: { path: '^server/src/(app\\.ts|main\\.ts)' },
    },
    {
      name: 'web-uses-only-the-client',
      comment: 'What the page can do, a script can do.',
      severity: 'error',
      from: { path: '^web/' },
      to: { path: '^(packages|server|cli|e2e|bench|scripts)/', pathNot: '^packages/api-client/' },
    },
    {
      name: 'cli-imports',
      comment: 'The command uses the packages and what server/src/main.ts exports.',
      severity: 'error',
      from: { path: '^cli/', pathNot: tests },
      to: {
        path: '^(packages|server|web|e2e|bench|scripts)/',
        pathNot: '^(packages/(api-client|ci-config|git|runner)/|server/src/main\\.ts$)',
      },
    },
    {
      name: 'e2e-is-a-black-box',
      comment: 'It sees the built command and the wire.',
      severity: 'error',
      from: { path: '^e2e/' },
      to: { path: '^(packages|server|cli|web|bench)/' },
    },
    {
      name: 'server-imports',
      comment: 'Nothing of the product imports the command, the page or the suites; tests ask which part to take.',
      severity: 'error',
      from: { path: '^server/', pathNot: '^server/test/(sampling|global-setup)\\.ts$' },
      to: { path: '^(cli|web|e2e|bench|scripts)/' },
    },
    {
      name: 'processes-in-four-places',
      comment: 'Environment, limits and clean-up of child processes are decided where these four decide them.',
      severity: 'error',
      from: { path: product, pathNot: `^(packages/(git|runner|postgres)/|server/src/kernel/process/)|${tests}` },
      to: { path: '^(node:)?child_process$' },
    },
    {
      name: 'sql-in-queries',
      comment: 'SQL lives in *.queries.ts and kernel/db.',
      severity: 'error',
      from: { path: product, pathNot: `(\\.queries\\.ts$|^server/src/kernel/db/)|${tests}` },
      to: { path: npm('kysely') },
    },
    {
      name: 'queue-behind-the-kernel',
      comment: 'kernel/queue is the only caller of the queue library.',
      severity: 'error',
      from: { path: product, pathNot: `^server/src/kernel/queue/|${tests}` },
      to: { path: npm('graphile-worker') },
    },
    {
      name: 'environment-in-entry-points',
      comment: 'Configuration is read once; lint refuses process.env, this refuses importing it.',
      severity: 'error',
      from: {
        path: product,
        pathNot: `^(server/src/main\\.ts|packages/runner/src/main\\.ts|cli/src/millrace\\.ts)$|${tests}`,
      },
      to: { path: '^(node:)?process$' },
    },
    {
      name: 'product-without-tests',
      comment: 'Product code does not import test code.',
      severity: 'error',
      from: { path: product, pathNot: tests },
      to: { path: tests },
    },
    {
      name: 'no-cycles',
      comment: 'A cycle has no first file to load; types alone may refer to each other.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(/|^)(node_modules/\\.|dist/|testdata/)' },
    tsPreCompilationDeps: true,
    detectJSDocImports: false,
    skipAnalysisNotInRules: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
    },
  },
};
