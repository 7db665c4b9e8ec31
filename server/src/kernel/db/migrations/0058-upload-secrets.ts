/** Addresses of uploads are those of one project: archives bring them along, also to where they came from. */
import type { Migration } from './index.ts';

const secrets = `
alter table project_uploads drop constraint project_uploads_secret_key;
create unique index project_uploads_secret on project_uploads (project_id, secret);
`;

export const uploadSecrets: Migration = { name: '0058-upload-secrets', statements: [secrets] };
