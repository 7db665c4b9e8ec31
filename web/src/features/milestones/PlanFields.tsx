/** Fields that choose labels and a milestone of a project. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { labels as labelsOf, type Milestone, openMilestones } from '../../lib/planning.ts';
import { Select, TagsInput } from '../../ui/Choices.tsx';
import { useProject } from '../projects/useProject.ts';

export interface Plan {
  readonly labels: readonly string[];
  /** Null for none. */
  readonly milestone: Milestone | null;
}

interface PlanFieldsProps {
  plan: Plan;
  change: (plan: Plan) => void;
  reason: (name: string) => string | undefined;
  /** Full path of the project; the one in view unless another one is meant. */
  of?: string;
}

export function PlanFields({ plan, change, reason, of }: PlanFieldsProps) {
  const { path: inView } = useProject();
  const path = of ?? inView;
  const [typed, setTyped] = useState('');
  const { data: known = [] } = useQuery(labelsOf(path, typed));
  const { data: open = [] } = useQuery(openMilestones(path));
  const { milestone } = plan;
  // A closed one stays until another is chosen.
  const offered = milestone && !open.some(({ id }) => id === milestone.id) ? [milestone, ...open] : open;
  return (
    <>
      <TagsInput
        label="Labels"
        description="Press Enter to add. New labels are created."
        value={[...plan.labels]}
        onChange={(labels) => change({ ...plan, labels })}
        data={known.map(({ name }) => name)}
        searchValue={typed}
        onSearchChange={setTyped}
        error={reason('labels')}
      />
      <Select
        label="Milestone"
        placeholder="None"
        data={offered.map(({ id, title }) => ({ value: String(id), label: title }))}
        value={milestone ? String(milestone.id) : null}
        onChange={(id) => change({ ...plan, milestone: offered.find((each) => String(each.id) === id) ?? null })}
        searchable
        clearable
        nothingFoundMessage="No open milestone has this title"
        error={reason('milestone_id')}
      />
    </>
  );
}
