/** States of accounts in words. */
const words: Readonly<Record<string, string>> = {
  active: 'Active',
  blocked: 'Blocked',
  blocked_pending_approval: 'Pending approval',
  banned: 'Banned',
  deactivated: 'Deactivated',
};

export const stateWord = (state: string): string => words[state] ?? state.replaceAll('_', ' ');
