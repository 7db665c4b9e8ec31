/** Whether pushes are looked through for secrets, in archives of projects. */
import Type from 'typebox';
import { Bool } from '../../../kernel/http/params/schema.ts';
import { type Relation, relation } from '../../namespaces/index.ts';
import { removeSecuritySettings, securitySettingsOf, writeSecuritySettings } from './secrets.queries.ts';

export const securitySettingRelation: Relation = relation({
  name: 'security_setting',
  schema: Type.Object({ secret_push_protection_enabled: Bool() }),
  async *rows(db, projectId) {
    const found = await securitySettingsOf(db, projectId);
    if (found) yield [{ secret_push_protection_enabled: found.secret_push_protection_enabled }];
  },
  insert: async (tx, row, { projectId }) => {
    await writeSecuritySettings(tx, projectId, row.secret_push_protection_enabled);
    return null;
  },
  remove: removeSecuritySettings,
});
