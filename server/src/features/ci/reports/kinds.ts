/** The kinds of reports that are read when a job has ended. */
import { accessibility } from './accessibility.ts';
import { codeQuality } from './code-quality.ts';
import { cobertura, jacoco } from './coverage.ts';
import type { ReportKind } from './kind.ts';
import { licenses } from './licenses.ts';
import { metrics } from './metrics.ts';
import { browserPerformance, loadPerformance } from './performance.ts';
import { terraform } from './terraform.ts';

export const reportKinds: readonly ReportKind[] = [
  cobertura,
  jacoco,
  codeQuality,
  terraform,
  metrics,
  accessibility,
  licenses,
  ...browserPerformance,
  loadPerformance,
];
