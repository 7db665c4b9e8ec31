/** How the filters of lists of issues look until they are loaded. */
import { issueOrders } from '../../lib/issue-queries.ts';
import type { ChoiceField } from '../../ui/Choices.tsx';

const fields: readonly ChoiceField[] = [
  { label: 'Author', width: 190, placeholder: 'Any author', open: true },
  { label: 'Assignee', width: 190, placeholder: 'Any assignee', open: true },
  { label: 'Labels', width: 240, placeholder: 'Any label', open: true },
  { label: 'Milestone', width: 190, placeholder: 'Any milestone', open: true },
  { label: 'Confidentiality', width: 170, placeholder: 'Any confidentiality' },
  { label: 'Sort by', width: 170, value: issueOrders[0].label },
];

export const filterFields = { load: async () => (await import('./IssueFilters.tsx')).IssueFilters, fields };

export const issueStates = [
  { value: 'opened', label: 'Open' },
  { value: 'closed', label: 'Closed' },
  { value: 'all', label: 'All' },
];
