/** Which names of flags, strategies and parameters there can be. Pure. */

const strategyNames = ['default', 'gradualRolloutUserId', 'userWithId', 'gitlabUserList', 'flexibleRollout'] as const;
export type StrategyName = (typeof strategyNames)[number];
export const ofUserList: StrategyName = 'gitlabUserList';

const keys: Readonly<Record<StrategyName, readonly string[]>> = {
  default: [],
  gitlabUserList: [],
  gradualRolloutUserId: ['groupId', 'percentage'],
  flexibleRollout: ['groupId', 'rollout', 'stickiness'],
  userWithId: ['userIds'],
};
const stickiness = ['default', 'userId', 'sessionId', 'random'];
const longestUserId = 256;

const isStrategy = (name: string): name is StrategyName => (strategyNames as readonly string[]).includes(name);
const isPercentage = (value: unknown) => typeof value === 'string' && /^\d{1,3}$/.test(value) && Number(value) <= 100;

/** What is wrong with a list of external ids that are separated by commas; null where it is right. */
export function userIdsProblem(value: unknown, name: string): string | null {
  const ids = typeof value === 'string' ? value.split(',') : [];
  const right =
    ids.length > 0 &&
    new Set(ids).size === ids.length &&
    ids.every((id) => id !== '' && id.trim() === id && id.length <= longestUserId);
  return right
    ? null
    : `${name} must be a string of unique comma separated values each ${longestUserId} characters or less`;
}

/** What is wrong with a name of a flag. */
export function flagNameProblems(name: string): readonly string[] {
  if (name === '') return ["Name can't be blank"];
  const problems: string[] = [];
  if (name.length < 2) problems.push('Name is too short (minimum is 2 characters)');
  if (name.length > 63) problems.push('Name is too long (maximum is 63 characters)');
  if (!/^[a-z]([-_a-z0-9]*[a-z0-9])?$/.test(name))
    problems.push(
      "Name can contain only lowercase letters, digits, '_' and '-'. Must start with a letter, and cannot end with '-' or '_'",
    );
  return problems;
}

/** What is wrong with a strategy. */
export function strategyProblem(name: string, parameters: Readonly<Record<string, unknown>>): string | null {
  if (!isStrategy(name)) return 'Strategies name strategy name is invalid';
  const parametersAre = (problem: string | null) => problem && `Strategies parameters ${problem}`;
  if (Object.keys(parameters).sort().join() !== [...keys[name]].sort().join())
    return parametersAre('parameters are invalid');
  const { groupId, percentage, rollout, userIds } = parameters;
  if (keys[name].includes('groupId') && !(typeof groupId === 'string' && /^[a-z]{1,32}$/.test(groupId)))
    return parametersAre('groupId parameter is invalid');
  if (name === 'gradualRolloutUserId' && !isPercentage(percentage))
    return parametersAre('percentage must be a string between 0 and 100 inclusive');
  if (name === 'userWithId') return parametersAre(userIdsProblem(userIds, 'userIds'));
  if (name !== 'flexibleRollout') return null;
  if (!stickiness.includes(String(parameters.stickiness)))
    return parametersAre('stickiness parameter must be default, userId, sessionId, or random');
  return isPercentage(rollout) ? null : parametersAre('rollout must be a string between 0 and 100 inclusive');
}
