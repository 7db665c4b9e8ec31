/** The deploy token that jobs get: besides its hash, it is kept so that it can be read. */
import type { Migration } from './index.ts';

const columns = `
alter table deploy_tokens add column token_encrypted bytea;
`;

export const ciDeployTokensMigration: Migration = { name: '0811-ci-deploy-tokens', statements: [columns] };
