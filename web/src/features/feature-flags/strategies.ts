/** Strategies of flags as a form has them, and as the API takes them. */
import type { Strategy } from '../../lib/feature-flags.ts';

export const kinds = [
  { value: 'default', label: 'All users' },
  { value: 'flexibleRollout', label: 'Percent rollout' },
  { value: 'gradualRolloutUserId', label: 'Percent of signed-in users' },
  { value: 'userWithId', label: 'User IDs' },
  { value: 'gitlabUserList', label: 'User list' },
] as const;
export type Kind = (typeof kinds)[number]['value'];
export const labelOf = (name: string): string => kinds.find(({ value }) => value === name)?.label ?? name;

export interface Draft {
  /** Of the row in the form. */
  readonly key: string;
  readonly kind: Kind;
  /** Separated by commas. */
  readonly environments: string;
  readonly percentage: string;
  readonly userIds: string;
  readonly userList: string | null;
  /** As it was: what the form does not show stays. */
  readonly before?: Strategy;
}

let drafts = 0;
export const newDraft = (): Draft => {
  drafts += 1;
  return { key: `new-${drafts}`, kind: 'default', environments: '*', percentage: '100', userIds: '', userList: null };
};

export function draftOf(strategy: Strategy): Draft {
  const { parameters, name } = strategy;
  return {
    key: String(strategy.id),
    kind: kinds.find(({ value }) => value === name)?.value ?? 'default',
    environments: strategy.scopes.map(({ environment_scope }) => environment_scope).join(', '),
    percentage: String(parameters.rollout ?? parameters.percentage ?? '100'),
    userIds: String(parameters.userIds ?? ''),
    userList: strategy.user_list ? String(strategy.user_list.id) : null,
    before: strategy,
  };
}

function parametersOf({ kind, percentage, userIds, before }: Draft): Record<string, string> {
  const kept = before?.name === kind ? (before.parameters as Record<string, string>) : {};
  if (kind === 'flexibleRollout') return { groupId: 'default', stickiness: 'default', ...kept, rollout: percentage };
  if (kind === 'gradualRolloutUserId') return { groupId: 'default', ...kept, percentage };
  if (kind === 'userWithId')
    return {
      userIds: userIds
        .split(/[\s,]+/)
        .filter((each) => each !== '')
        .join(','),
    };
  return {};
}

/** What of the strategies before becomes these: those that are left out are deleted. */
export function changesOf(before: readonly Strategy[], drafts: readonly Draft[]) {
  const kept = new Set(drafts.flatMap((draft) => (draft.before ? [draft.before.id] : [])));
  return [
    ...before.filter(({ id }) => !kept.has(id)).map(({ id }) => ({ id, _destroy: true })),
    ...drafts.map((draft) => {
      const wanted = [...new Set(draft.environments.split(',').map((each) => each.trim()))].filter(
        (each) => each !== '',
      );
      const there = draft.before?.scopes ?? [];
      return {
        ...(draft.before ? { id: draft.before.id } : {}),
        name: draft.kind,
        parameters: parametersOf(draft),
        ...(draft.kind === 'gitlabUserList' && draft.userList !== null ? { user_list_id: Number(draft.userList) } : {}),
        scopes: [
          ...there
            .filter(({ environment_scope }) => !wanted.includes(environment_scope))
            .map(({ id }) => ({ id, _destroy: true })),
          ...wanted
            .filter((each) => !there.some(({ environment_scope }) => environment_scope === each))
            .map((environment_scope) => ({ environment_scope })),
        ],
      };
    }),
  ];
}
