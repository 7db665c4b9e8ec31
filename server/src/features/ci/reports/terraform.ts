/** Reads terraform reports: how many resources a plan creates, changes and deletes. */
import { isHash, jsonOf, ReportError, type ReportKind } from './kind.ts';

export interface TerraformPlan {
  readonly create: number;
  readonly update: number;
  readonly delete: number;
}

const counted = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= 1_000_000_000;

export const terraform: ReportKind<TerraformPlan> = {
  type: 'terraform',
  async read(text) {
    const found = jsonOf(text);
    if (!isHash(found) || !counted(found.create) || !counted(found.update) || !counted(found.delete))
      throw new ReportError('missing_report_keys');
    const plan = { create: found.create, update: found.update, delete: found.delete };
    return { content: plan, summary: plan };
  },
};
