/** The order of test files: those that take long first, so that the last one does not leave the other worker with nothing to do. */
import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { saysWhySlow } from './durations.ts';

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // By what they took the last time; where nobody knows, as in a fresh clone, by their size.
    const sorted = await super.sort(files);
    const slow = new Set(sorted.filter(({ moduleId }) => saysWhySlow(readFileSync(moduleId, 'utf8'))));
    // A worker goes on with files of its own project only: those stay together.
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) => {
      const own = sorted.filter((file) => file.project === project);
      return [...own.filter((file) => slow.has(file)), ...own.filter((file) => !slow.has(file))];
    });
  }
}
