/** Cadences of a group: how iterations are scheduled, and the velocity of each. */
import { Button, Checkbox, Group, NumberInput, Stack, TextInput } from '@mantine/core';
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type Cadence,
  cadences,
  cadencesKey,
  createCadence,
  iterationsKey,
  removeCadence,
} from '../../lib/iterations.ts';
import { velocity } from '../../lib/reports.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { VelocityChart } from '../charts/VelocityChart.tsx';
import classes from '../milestones/milestones.module.css';
import { type IterationsInView, useGroupIterations } from './useIterations.ts';

function scheduleOf(cadence: Cadence): string {
  if (!cadence.automatic) return 'Iterations are created manually';
  const weeks = cadence.duration_in_weeks ?? 0;
  const rolls = cadence.roll_over ? ', open issues roll over' : '';
  const ahead = `${cadence.iterations_in_advance ?? 0} scheduled in advance`;
  return `Every ${weeks === 1 ? 'week' : `${weeks} weeks`}, ${ahead}${rolls}${cadence.active ? '' : ' (paused)'}`;
}

function CadenceSection({ of, cadence, again }: { of: IterationsInView; cadence: Cadence; again(): Promise<unknown> }) {
  const { data } = useQuery(velocity(of.path, cadence.id));
  return (
    <section aria-label={cadence.title}>
      <Group justify="space-between" className={classes.head}>
        <h2>{cadence.title}</h2>
        {of.writes ? (
          <ConfirmButton
            title="Delete cadence"
            about={`Delete ${cadence.title}`}
            text="Its iterations are deleted, too. Their issues stay, without an iteration."
            action="Delete cadence"
            label="Delete"
            run={() => removeCadence(of.path, cadence.id)}
            shown={again}
          />
        ) : null}
      </Group>
      <p className={classes.nothing}>{scheduleOf(cadence)}</p>
      {data && data.length > 0 ? <VelocityChart velocity={data} /> : null}
    </section>
  );
}

function CadenceForm({ of, close, again }: { of: IterationsInView; close(): void; again(): Promise<unknown> }) {
  const [title, setTitle] = useState('');
  const [automatic, setAutomatic] = useState(true);
  const [first, setFirst] = useState('');
  const [weeks, setWeeks] = useState(2);
  const [ahead, setAhead] = useState(2);
  const [rolls, setRolls] = useState(true);
  const form = useForm(async () => {
    await createCadence(of.path, {
      ...{ title, automatic, roll_over: automatic && rolls },
      start_date: automatic ? first : null,
      duration_in_weeks: automatic ? weeks : null,
      iterations_in_advance: automatic ? ahead : null,
    });
    await again();
    close();
  });
  return (
    <form {...form.form}>
      <Stack gap="md" mb="lg">
        <FormError error={form.error} />
        <TextInput
          label="Title"
          required
          autoFocus
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
          error={form.reason('title')}
        />
        <Checkbox
          label="Schedule iterations automatically"
          checked={automatic}
          onChange={(event) => setAutomatic(event.currentTarget.checked)}
        />
        {automatic ? (
          <>
            <div className={classes.dates}>
              <TextInput
                label="Start date"
                type="date"
                required
                value={first}
                onChange={(event) => setFirst(event.currentTarget.value)}
                error={form.reason('start_date')}
              />
              <NumberInput
                label="Duration in weeks"
                min={1}
                max={4}
                value={weeks}
                onChange={(value) => setWeeks(Number(value))}
                error={form.reason('duration_in_weeks')}
              />
              <NumberInput
                label="Iterations in advance"
                min={1}
                max={10}
                value={ahead}
                onChange={(value) => setAhead(Number(value))}
                error={form.reason('iterations_in_advance')}
              />
            </div>
            <Checkbox
              label="Move open issues of a closed iteration to the current one"
              checked={rolls}
              onChange={(event) => setRolls(event.currentTarget.checked)}
            />
          </>
        ) : null}
        <Group>
          <Button type="submit" loading={form.pending} disabled={title.trim() === ''}>
            Create cadence
          </Button>
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

export default function CadencesPage() {
  const of = useGroupIterations();
  const { data } = useSuspenseQuery(cadences(of.path));
  const [making, setMaking] = useState(false);
  const cache = useQueryClient();
  const again = async () => {
    await cache.invalidateQueries({ queryKey: cadencesKey(of.path) });
    await cache.invalidateQueries({ queryKey: iterationsKey('group', of.path) });
  };
  return (
    <Page
      title={`Cadences · ${of.name}`}
      heading="Cadences"
      actions={
        <>
          <LinkButton to="/g/$path/iterations" params={{ path: of.segment }}>
            Iterations
          </LinkButton>
          {of.writes ? (
            <Button size="xs" onClick={() => setMaking(true)}>
              New cadence
            </Button>
          ) : null}
        </>
      }
    >
      {making ? <CadenceForm of={of} close={() => setMaking(false)} again={again} /> : null}
      {data.length === 0 ? (
        <EmptyState title="No cadences">
          A cadence is a series of iterations. It schedules them automatically, for instance every two weeks.
        </EmptyState>
      ) : (
        data.map((cadence) => <CadenceSection key={cadence.id} of={of} cadence={cadence} again={again} />)
      )}
    </Page>
  );
}
