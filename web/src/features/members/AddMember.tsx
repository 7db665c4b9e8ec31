/** Adding a user, or inviting an address by mail. */
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { addOrInvite, type MemberSource } from '../../lib/members.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { levels } from './levels.ts';
import classes from './members.module.css';

export function AddMember({ source, added }: { source: MemberSource; added: () => Promise<unknown> }) {
  const [who, setWho] = useState('');
  const [chosen, setChosen] = useState('30');
  const [until, setUntil] = useState('');
  const sending = useForm(async () => {
    await addOrInvite(source, who.trim(), { access_level: Number(chosen), expires_at: until || null });
    setWho('');
    await added();
  });
  return (
    <form {...sending.form} className={classes.add} aria-label="Add a member">
      <FormError error={sending.error} />
      <div className={classes.fields}>
        <TextInput
          label="Username or e-mail"
          required
          autoComplete="off"
          value={who}
          onChange={(event) => setWho(event.currentTarget.value)}
        />
        <NativeSelect
          label="Level"
          data={[...levels]}
          value={chosen}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
        <TextInput label="Until" type="date" value={until} onChange={(event) => setUntil(event.currentTarget.value)} />
        <Button type="submit" loading={sending.pending}>
          Add
        </Button>
      </div>
    </form>
  );
}
