/** How the filters of lists of merge requests look until they are loaded. */
import { mergeRequestOrders } from '../../lib/merge-requests.ts';
import type { ChoiceField } from '../../ui/Choices.tsx';

const fields: readonly ChoiceField[] = [
  { label: 'Author', width: 190, placeholder: 'Any author', open: true },
  { label: 'Reviewer', width: 190, placeholder: 'Any reviewer', open: true },
  { label: 'Label', width: 190, placeholder: 'Any label', open: true },
  { label: 'Milestone', width: 190, placeholder: 'Any milestone', open: true },
  { label: 'Sort by', width: 190, value: mergeRequestOrders[0].label },
];

export const filterFields = {
  load: async () => (await import('./MergeRequestFilters.tsx')).MergeRequestFilters,
  fields,
};

export const requestStates = [
  { value: 'opened', label: 'Open' },
  { value: 'merged', label: 'Merged' },
  { value: 'closed', label: 'Closed' },
  { value: 'all', label: 'All' },
];
