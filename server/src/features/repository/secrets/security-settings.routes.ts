/** The API of the security settings of projects. */
import Type from 'typebox';
import { auditedValue, entityOfPlace, originOf, recordAudit } from '../../../kernel/audit/index.ts';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { Entity, Flag, Id, Timestamp } from '../../../kernel/http/entity.ts';
import { invalidParameters } from '../../../kernel/http/errors.ts';
import { Bool, IdOrPath, Optional } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { type SecuritySettings, securitySettingsOf, writeSecuritySettings } from './secrets.queries.ts';

const SecuritySettingsEntity = Entity('ProjectSecuritySettings', {
  project_id: Id(),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  secret_push_protection_enabled: Flag({
    description: 'Pushes with secrets are refused, where the instance offers it',
  }),
  pre_receive_secret_detection_enabled: Flag({ deprecated: true, description: 'Use secret_push_protection_enabled' }),
});

function json({ project }: ProjectSubject, row: SecuritySettings | undefined) {
  const enabled = row?.secret_push_protection_enabled ?? false;
  return {
    project_id: project.id,
    created_at: row?.created_at ?? project.created_at,
    updated_at: row?.updated_at ?? project.created_at,
    secret_push_protection_enabled: enabled,
    pre_receive_secret_detection_enabled: enabled,
  };
}

const path = '/projects/:id/security_settings';
const common = { path, tag: 'Push rules', credentials: ['token', 'session'] } as const;
const id = IdOrPath('Project');

export function securitySettingsRoutes(db: Db): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      summary: 'Get the security settings of a project',
      access: { on: 'project', ability: 'read_security_settings' },
      params: Type.Object({ id }),
      responses: { 200: SecuritySettingsEntity },
      handler: async ({ subject }) => json(subject, await securitySettingsOf(db, subject.project.id)),
    }),
    route({
      ...common,
      method: 'PUT',
      summary: 'Update the security settings of a project',
      access: { on: 'project', ability: 'update_project' },
      params: Type.Object({
        id,
        secret_push_protection_enabled: Optional(Bool({ description: 'Refuse pushes with secrets' })),
        pre_receive_secret_detection_enabled: Optional(
          Bool({ deprecated: true, description: 'Use secret_push_protection_enabled' }),
        ),
      }),
      responses: { 200: SecuritySettingsEntity },
      handler: async (context) => {
        const { params, subject } = context;
        const enabled = params.secret_push_protection_enabled ?? params.pre_receive_secret_detection_enabled;
        if (enabled === undefined) throw invalidParameters(['secret_push_protection_enabled is missing']);
        return await transaction(db, async (tx) => {
          const before = await securitySettingsOf(tx, subject.project.id);
          const row = await writeSecuritySettings(tx, subject.project.id, enabled);
          await recordAudit(tx, {
            ...originOf(context),
            entity: entityOfPlace(subject),
            event: 'project_security_setting_updated',
            details: {
              change: 'secret_push_protection_enabled',
              from: auditedValue(before?.secret_push_protection_enabled ?? false),
              to: enabled,
            },
            target: { type: 'Project', id: subject.project.id, details: 'secret push protection' },
          });
          return json(subject, row);
        });
      },
    }),
  ];
}
