/** Routes of approval settings: of a group for all projects below it, and of a project within what these allow. */
import Type, { type Static } from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import { Entity, Fields, Flag, Nullable, Word } from '../../../kernel/http/entity.ts';
import { Bool, IdOrPath, Optional } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import {
  type ApprovalSettings,
  type GroupApprovalSettings,
  groupSettingsAbove,
  groupSettingsOver,
  readApprovalSettings,
  readGroupSettings,
} from './settings.queries.ts';
import type { ApprovalSettingsService } from './settings.service.ts';
import type { StateDependencies } from './state.service.ts';

const Setting = (description: string) =>
  Fields(
    {
      value: Flag({ description: 'What applies' }),
      locked: Flag({ description: 'Whether a level above decides it' }),
      inherited_from: Nullable(Word(['group', 'instance'], { description: 'The level above that decides it' })),
    },
    { description },
  );

const descriptions = {
  allow_author_approval: 'Whether authors may approve their own merge requests',
  allow_committer_approval: 'Whether who added commits may approve',
  allow_overrides_to_approver_list_per_merge_request: 'Whether merge requests may have approval rules of their own',
  retain_approvals_on_push: 'Whether approvals remain after a push',
  selective_code_owner_removals: 'Whether a push removes the approvals of code owners whose files it changes',
  require_reauthentication_to_approve: 'Whether approving requires the password',
} as const;

const ApprovalSettingsEntity = Entity('MergeRequestApprovalSettings', {
  allow_author_approval: Setting(descriptions.allow_author_approval),
  allow_committer_approval: Setting(descriptions.allow_committer_approval),
  allow_overrides_to_approver_list_per_merge_request: Setting(
    descriptions.allow_overrides_to_approver_list_per_merge_request,
  ),
  retain_approvals_on_push: Setting(descriptions.retain_approvals_on_push),
  selective_code_owner_removals: Setting(descriptions.selective_code_owner_removals),
  require_password_to_approve: Setting('The same as `require_reauthentication_to_approve`'),
  require_reauthentication_to_approve: Setting(descriptions.require_reauthentication_to_approve),
});
type Shown = Static<typeof ApprovalSettingsEntity>;

const flag = (name: keyof typeof descriptions) => Optional(Bool({ description: descriptions[name] }));
const groupParams = {
  allow_author_approval: flag('allow_author_approval'),
  allow_committer_approval: flag('allow_committer_approval'),
  allow_overrides_to_approver_list_per_merge_request: flag('allow_overrides_to_approver_list_per_merge_request'),
  retain_approvals_on_push: flag('retain_approvals_on_push'),
  require_reauthentication_to_approve: flag('require_reauthentication_to_approve'),
};
const projectParams = { ...groupParams, selective_code_owner_removals: flag('selective_code_owner_removals') };

/** What a level above allows; the strict value of a setting cannot be loosened below. */
interface Above {
  readonly from: 'instance' | 'group';
  readonly settings: Partial<GroupApprovalSettings>;
}

/** A setting where `strict` is the value that levels above impose. */
function settingOf(
  name: keyof GroupApprovalSettings,
  own: boolean,
  strict: boolean,
  above: readonly Above[],
): Shown['allow_author_approval'] {
  const deciding = above.find(({ settings }) => settings[name] === strict);
  return deciding
    ? { value: strict, locked: true, inherited_from: deciding.from }
    : { value: own, locked: false, inherited_from: null };
}

function shown(own: GroupApprovalSettings, selective: boolean, above: readonly Above[]): Shown {
  const password = settingOf(
    'require_reauthentication_to_approve',
    own.require_reauthentication_to_approve,
    true,
    above,
  );
  const allowed = (name: Exclude<keyof GroupApprovalSettings, 'require_reauthentication_to_approve'>) =>
    settingOf(name, own[name], false, above);
  const retain = allowed('retain_approvals_on_push');
  return {
    allow_author_approval: allowed('allow_author_approval'),
    allow_committer_approval: allowed('allow_committer_approval'),
    allow_overrides_to_approver_list_per_merge_request: allowed('allow_overrides_to_approver_list_per_merge_request'),
    retain_approvals_on_push: retain,
    selective_code_owner_removals: { value: selective && retain.value, locked: false, inherited_from: null },
    require_password_to_approve: password,
    require_reauthentication_to_approve: password,
  };
}

/** The settings of a project in the words of these routes. */
const ofProject = (own: ApprovalSettings): GroupApprovalSettings => ({
  allow_author_approval: own.merge_requests_author_approval,
  allow_committer_approval: !own.merge_requests_disable_committers_approval,
  allow_overrides_to_approver_list_per_merge_request: !own.disable_overriding_approvers_per_merge_request,
  retain_approvals_on_push: !own.reset_approvals_on_push,
  require_reauthentication_to_approve: own.require_password_to_approve,
});

const not = (value: boolean | undefined) => (value === undefined ? undefined : !value);

export function approvalSettingRoutes(
  { db, settings }: Pick<StateDependencies, 'db' | 'settings'>,
  service: ApprovalSettingsService,
): Route[] {
  async function instance(): Promise<Above> {
    const values = await settings.read();
    return {
      from: 'instance',
      settings: {
        allow_author_approval: !values.prevent_merge_requests_author_approval,
        allow_committer_approval: !values.prevent_merge_requests_committers_approval,
        allow_overrides_to_approver_list_per_merge_request: !values.disable_overriding_approvers_per_merge_request,
      },
    };
  }
  async function showProject(id: number): Promise<Shown> {
    const [own, groups, top] = await Promise.all([readApprovalSettings(db, id), groupSettingsOver(db, id), instance()]);
    return shown(ofProject(own), own.selective_code_owner_removals, [top, { from: 'group', settings: groups }]);
  }
  async function showGroup(id: number): Promise<Shown> {
    const [own, groups, top] = await Promise.all([readGroupSettings(db, id), groupSettingsAbove(db, id), instance()]);
    return shown(own, false, [top, { from: 'group', settings: groups }]);
  }

  const common = { credentials: ['token', 'session'], tag: 'Merge request approvals' } as const;
  const ofOneProject = { path: '/projects/:id/merge_request_approval_setting' } as const;
  const ofOneGroup = { path: '/groups/:id/merge_request_approval_setting' } as const;
  const projectAccess = { on: 'project', ability: 'admin_approval_rule' } as const;
  const groupAccess = { on: 'group', ability: 'admin_group_approval_setting' } as const;
  const project = { id: IdOrPath('Id or path of the project') };
  const group = { id: IdOrPath('Id or path of the group') };
  const responses = { 200: ApprovalSettingsEntity } as const;

  return [
    route({
      ...common,
      ...ofOneProject,
      method: 'GET',
      summary: 'Get the approval settings of a project',
      access: projectAccess,
      params: Type.Object(project),
      responses,
      handler: ({ subject }) => showProject(subject.project.id),
    }),
    route({
      ...common,
      ...ofOneProject,
      method: 'PUT',
      summary: 'Update the approval settings of a project',
      access: projectAccess,
      params: Type.Object({ ...project, ...projectParams }),
      responses,
      handler: async (context) => {
        const { params, subject } = context;
        const changes = {
          merge_requests_author_approval: params.allow_author_approval,
          merge_requests_disable_committers_approval: not(params.allow_committer_approval),
          disable_overriding_approvers_per_merge_request: not(
            params.allow_overrides_to_approver_list_per_merge_request,
          ),
          reset_approvals_on_push: not(params.retain_approvals_on_push),
          selective_code_owner_removals: params.selective_code_owner_removals,
          require_password_to_approve: params.require_reauthentication_to_approve,
        };
        await service.configureProject(subject, changes, originOf(context));
        return await showProject(subject.project.id);
      },
    }),
    route({
      ...common,
      ...ofOneGroup,
      method: 'GET',
      summary: 'Get the approval settings of a group',
      access: groupAccess,
      params: Type.Object(group),
      responses,
      handler: ({ subject }) => showGroup(subject.group.id),
    }),
    route({
      ...common,
      ...ofOneGroup,
      method: 'PUT',
      summary: 'Update the approval settings of a group',
      access: groupAccess,
      params: Type.Object({ ...group, ...groupParams }),
      responses,
      handler: async (context) => {
        const { id: _, ...changes } = context.params;
        await service.configureGroup(context.subject, changes, originOf(context));
        return await showGroup(context.subject.group.id);
      },
    }),
  ];
}
