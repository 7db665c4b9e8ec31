/** Every folder of testdata is a case: its `.gitlab-ci.yml` and `context.json` must give its `expected.json`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CaseContext, casesRoot, compileCase } from '../../testdata/harness.ts';
import { formatLocated } from '../diagnostics.ts';

type Expected = {
  ok: boolean;
  plan?: object;
  errors?: string[];
  warnings?: string[];
  filtered?: string;
  /** Reasons by job, for those that are named. */
  decisions?: Record<string, string>;
  mergedYaml?: string;
};

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8')) as T;
}

const cases = readdirSync(casesRoot, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)
  .sort();

describe('configuration', () => {
  test.each(cases)('%s', async (name) => {
    const folder = join(casesRoot, name);
    const contextPath = join(folder, 'context.json');
    const context = existsSync(contextPath) ? readJson<CaseContext>(contextPath) : {};
    const files = new Map(
      readdirSync(folder, { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .map((path) => [relative(folder, path), readFileSync(path, 'utf8')]),
    );
    const result = await compileCase(files, context);
    const expected = readJson<Expected>(join(folder, 'expected.json'));

    const errors = result.ok ? [] : result.errors.map(formatLocated);
    expect(errors).toEqual(expected.errors ?? []);
    expect(result.warnings.map(formatLocated)).toEqual(expected.warnings ?? []);
    expect(result.ok).toBe(expected.ok);
    expect(result.ok ? undefined : result.filtered).toBe(expected.filtered);
    if (result.ok) expect(result.plan).toMatchObject(expected.plan ?? {});
    if (expected.mergedYaml !== undefined) expect(result.mergedYaml?.()).toBe(expected.mergedYaml);
    const reasons = new Map(result.decisions.map((decision) => [decision.job, decision.reason]));
    for (const [job, reason] of Object.entries(expected.decisions ?? {})) expect(reasons.get(job)).toBe(reason);

    // Files that were read already come to the same.
    const { mergedYaml, inputs, described, ...again } = await compileCase(files, context);
    expect(again).toEqual((({ mergedYaml: _text, inputs: _inputs, described: _variables, ...rest }) => rest)(result));
    expect([mergedYaml?.(), inputs(), await described()]).toEqual([
      result.mergedYaml?.(),
      result.inputs(),
      await result.described(),
    ]);
  });
});
