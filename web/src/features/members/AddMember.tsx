/** Adding people, or inviting addresses by mail: several at once. */
import { Button, NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { addOrInvite, type MemberSource } from '../../lib/members.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { levelsOf } from './levels.ts';
import classes from './members.module.css';
import { PeopleField } from './PeopleField.tsx';
import { UntilField } from './UntilField.tsx';

interface Props {
  readonly source: MemberSource;
  readonly topLevel: boolean;
  readonly added: () => Promise<unknown>;
}

export function AddMember({ source, topLevel, added }: Props) {
  const [who, setWho] = useState<string[]>([]);
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState('30');
  const [until, setUntil] = useState('');
  const sending = useForm(async () => {
    const people = [...new Set([...who, typed.trim()])].filter((name) => name !== '');
    if (people.length === 0) throw new Error('Enter a username or an email address.');
    const refused: string[] = [];
    const reasons: string[] = [];
    for (const person of people) {
      try {
        await addOrInvite(source, person, { access_level: Number(chosen), expires_at: until || null });
      } catch (error) {
        refused.push(person);
        reasons.push(people.length === 1 ? (error as Error).message : `${person}: ${(error as Error).message}`);
      }
    }
    setTyped('');
    // Who was refused stays in the field.
    setWho(refused);
    await added();
    if (reasons.length > 0) throw new Error(reasons.join('; '));
  });
  return (
    <form {...sending.form} className={classes.add} aria-label="Add members">
      <FormError error={sending.error} />
      <div className={classes.fields}>
        <div className={classes.who}>
          <PeopleField value={who} change={setWho} typed={typed} type={setTyped} />
        </div>
        <NativeSelect
          label="Role"
          data={levelsOf(topLevel)}
          value={chosen}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
        <UntilField value={until} change={setUntil} />
        <Button type="submit" loading={sending.pending}>
          Add
        </Button>
      </div>
    </form>
  );
}
