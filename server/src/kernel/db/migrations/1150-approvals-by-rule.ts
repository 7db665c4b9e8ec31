/** Whoever is in several rules of approval may say for which of them a deployment is approved. */
import type { Migration } from './index.ts';

const approvalsByRule = 'alter table deployment_approvals add column represented_as text';

export const approvalsByRuleMigration: Migration = { name: '1150-approvals-by-rule', statements: [approvalsByRule] };
