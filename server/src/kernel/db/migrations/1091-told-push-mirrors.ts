/** Whether Maintainers and Owners have been told that a push mirror fails, since it last worked. */
import type { Migration } from './index.ts';

const toldPushMirrors = `
alter table push_mirrors add column failure_told boolean not null default false;
`;

export const toldPushMirrorsMigration: Migration = { name: '1091-told-push-mirrors', statements: [toldPushMirrors] };
