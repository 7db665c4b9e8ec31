/** Routes of push rules; the same below projects, groups and the instance. */
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import type { Subject } from '../../../kernel/authz/subjects.ts';
import { Nullable } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { Bool, IdOrPath, Int32, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { PushRule, pushRuleJson } from './push-rules.entity.ts';
import type { PushRuleValues } from './push-rules.queries.ts';
import type { PushRuleService, RuleOwner } from './push-rules.service.ts';

const pattern = (description: string) => Optional(OrNull(Str({ maxLength: 511, description })));
const flag = (description: string) => Optional(Bool({ description }));

/** Pages ask so: a browser reports every 404 as an error of the page. */
const allowMissing = flag('Answer `null` instead of 404 where there is no rule');

/** Also of rules in archives of projects. */
export const ruleAttributes = {
  commit_message_regex: pattern('Regular expression that messages of commits must match'),
  commit_message_negative_regex: pattern('Regular expression that no message of a commit may match'),
  branch_name_regex: pattern('Regular expression that names of branches must match'),
  author_email_regex: pattern('Regular expression that addresses of authors and committers must match'),
  file_name_regex: pattern('Regular expression that no path of a new file may match'),
  max_file_size: Optional(Int32({ minimum: 0, description: 'Megabytes of one file; 0 for no limit' })),
  deny_delete_tag: flag('Refuse that tags are removed with `git push`'),
  member_check: flag('Refuse commits whose author or committer has no account with the address'),
  prevent_secrets: flag('Refuse files that look like keys and passwords'),
  commit_committer_check: flag('Refuse commits whose committer is not whoever pushes, by a confirmed address'),
  commit_committer_name_check: flag("Refuse commits whose committer's name is not that of whoever pushes"),
  reject_unsigned_commits: flag('Refuse commits without a signature'),
  reject_non_dco_commits: flag('Refuse commits that are not signed off'),
};

export function ruleValues(params: PushRuleValues): PushRuleValues {
  const names = Object.keys(ruleAttributes) as Array<keyof typeof ruleAttributes>;
  return Object.fromEntries(names.flatMap((name) => (params[name] === undefined ? [] : [[name, params[name]]])));
}

function ownerOf(subject: Subject | undefined): RuleOwner {
  if (subject === undefined)
    return {
      place: { project_id: null, namespace_id: null },
      namespaceIds: [],
      entity: { type: 'Instance', id: 1, path: 'instance' },
    };
  if (subject.kind === 'group') {
    const { id, full_path, traversal_ids } = subject.group;
    return {
      place: { project_id: null, namespace_id: id },
      namespaceIds: traversal_ids,
      entity: { type: 'Group', id, path: full_path },
    };
  }
  const { project, namespace } = subject;
  return {
    place: { project_id: project.id, namespace_id: null },
    namespaceIds: namespace.traversal_ids,
    entity: { type: 'Project', id: project.id, path: `${namespace.full_path}/${project.path}` },
  };
}

const parents = [
  {
    noun: 'project',
    base: '/projects/:id',
    read: { on: 'project', ability: 'read_push_rule' },
    admin: { on: 'project', ability: 'admin_push_rule' },
  },
  {
    noun: 'group',
    base: '/groups/:id',
    read: { on: 'group', ability: 'read_group_push_rule' },
    admin: { on: 'group', ability: 'admin_group_push_rule' },
  },
  {
    noun: 'instance',
    base: '/admin',
    read: { on: 'instance', ability: 'admin' },
    admin: { on: 'instance', ability: 'admin' },
  },
] as const;

const idOf = { project: { id: IdOrPath('Project') }, group: { id: IdOrPath('Group') }, instance: {} } as const;

export function pushRuleRoutes(rules: PushRuleService): Route[] {
  return parents.flatMap(({ noun, base, read, admin }) => {
    const id = idOf[noun];
    const common = { credentials: ['token', 'session'], tag: 'Push rules', path: `${base}/push_rule` } as const;
    const what = noun === 'instance' ? 'the instance' : `a ${noun}`;
    return [
      route({
        ...common,
        method: 'GET',
        access: read,
        summary: `Get the effective push rule of ${what}: its own or the nearest inherited one`,
        // Of a project clients read `null` where there is none.
        params: Type.Object({ ...id, ...(noun === 'project' ? {} : { allow_missing: allowMissing }) }),
        responses: { 200: Nullable(PushRule) },
        errors: noun === 'project' ? [] : [404],
        handler: async ({ subject, params }) => {
          const found = await rules.show(ownerOf(subject));
          if (found) return pushRuleJson(found);
          if (noun === 'project' || params.allow_missing) return null;
          throw notFound('Push Rule');
        },
      }),
      route({
        ...common,
        method: 'POST',
        access: admin,
        summary: `Create the push rule of ${what}`,
        params: Type.Object({ ...id, ...ruleAttributes }),
        responses: { 201: PushRule },
        errors: [422],
        handler: async (context) =>
          pushRuleJson(await rules.create(ownerOf(context.subject), originOf(context), ruleValues(context.params))),
      }),
      route({
        ...common,
        method: 'PUT',
        access: admin,
        summary: `Update the push rule of ${what}`,
        params: Type.Object({ ...id, ...ruleAttributes }),
        responses: { 200: PushRule },
        errors: [404],
        handler: async (context) =>
          pushRuleJson(await rules.update(ownerOf(context.subject), originOf(context), ruleValues(context.params))),
      }),
      route({
        ...common,
        method: 'DELETE',
        access: admin,
        summary: `Delete the push rule of ${what}`,
        params: Type.Object({ ...id }),
        responses: { 204: Empty },
        errors: [404],
        conditional: true,
        handler: async (context) =>
          rules.remove(ownerOf(context.subject), originOf(context), (changedAt) => context.unmodifiedSince(changedAt)),
      }),
    ];
  });
}
