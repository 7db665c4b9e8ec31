/** The kinds of artifacts that runners upload: in which format, and what the file is called. */

type Format = 'zip' | 'gzip' | 'raw';

/** By type. A scanner's report is read as it is; others are compressed. */
export const artifactFormats: Readonly<Record<string, Format>> = {
  archive: 'zip',
  metadata: 'gzip',
  trace: 'raw',
  accessibility: 'raw',
  annotations: 'gzip',
  api_fuzzing: 'raw',
  browser_performance: 'raw',
  cluster_applications: 'gzip',
  cluster_image_scanning: 'raw',
  cobertura: 'gzip',
  codequality: 'raw',
  container_scanning: 'raw',
  coverage_fuzzing: 'raw',
  cyclonedx: 'gzip',
  dast: 'raw',
  dependency_scanning: 'raw',
  dotenv: 'gzip',
  jacoco: 'gzip',
  junit: 'gzip',
  license_scanning: 'raw',
  load_performance: 'raw',
  lsif: 'zip',
  metrics: 'gzip',
  performance: 'raw',
  repository_xray: 'gzip',
  requirements: 'raw',
  requirements_v2: 'raw',
  sarif: 'raw',
  sast: 'raw',
  secret_detection: 'raw',
  terraform: 'raw',
};

/** Names of files that are not `TYPE.xml` or `gl-TYPE-report.json`. */
const names: Readonly<Record<string, string>> = {
  accessibility: 'gl-accessibility.json',
  annotations: 'gl-annotations.json',
  browser_performance: 'browser-performance.json',
  cluster_applications: 'gl-cluster-applications.json',
  cobertura: 'cobertura-coverage.xml',
  codequality: 'gl-code-quality-report.json',
  coverage_fuzzing: 'gl-coverage-fuzzing.json',
  cyclonedx: 'gl-sbom.cdx.json',
  dotenv: '.env',
  jacoco: 'jacoco-coverage.xml',
  junit: 'junit.xml',
  load_performance: 'load-performance.json',
  lsif: 'lsif.json',
  metrics: 'metrics.txt',
  performance: 'performance.json',
  repository_xray: 'gl-repository-xray.json',
  requirements: 'requirements.json',
  requirements_v2: 'requirements_v2.json',
  sarif: 'gl-sarif-report.json',
  terraform: 'tfplan.json',
};

/** A report that a configuration names, as runners are told of it. */
export function reportUpload(kind: string): { readonly type: string; readonly format: Format; readonly name: string } {
  // Plans that were stored before name what is measured; runners want the format of the report.
  const type = kind === 'coverage_report' ? 'cobertura' : kind;
  const format = artifactFormats[type] ?? 'gzip';
  return { type, format, name: names[type] ?? `gl-${type.replaceAll('_', '-')}-report.json` };
}
