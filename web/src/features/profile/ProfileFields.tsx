/** The details that everybody may see of a person, as fields of a form. */
import { NativeSelect, Textarea } from '@mantine/core';
import type { Schemas } from '../../lib/api.ts';
import { type Fields, TextField } from '../../ui/TextField.tsx';
import classes from '../account/account.module.css';

export type ProfileValues = {
  bio: string;
  pronouns: string;
  job_title: string;
  organization: string;
  location: string;
  public_email: string;
  website_url: string;
  linkedin: string;
  twitter: string;
  github: string;
  discord: string;
  skype: string;
};

type Known = Partial<Pick<Schemas['UserView'], keyof ProfileValues>>;

/** What a form starts with; nothing for a new account. */
export const profileValues = (user: Known = {}): ProfileValues => ({
  bio: user.bio ?? '',
  pronouns: user.pronouns ?? '',
  job_title: user.job_title ?? '',
  organization: user.organization ?? '',
  location: user.location ?? '',
  public_email: user.public_email ?? '',
  website_url: user.website_url ?? '',
  linkedin: user.linkedin ?? '',
  twitter: user.twitter ?? '',
  github: user.github ?? '',
  discord: user.discord ?? '',
  skype: user.skype ?? '',
});

interface ProfileFieldsProps<T extends ProfileValues> {
  readonly of: Fields<T>;
  /** Confirmed addresses, of which one may be shown. */
  readonly addresses: readonly string[];
  reason(field: string): string | undefined;
}

export function ProfileFields<T extends ProfileValues>({ of, addresses, reason }: ProfileFieldsProps<T>) {
  const fields = of as unknown as Fields<ProfileValues>;
  const shared = { of: fields, reason };
  return (
    <>
      <Textarea
        label="About"
        autosize
        minRows={2}
        maxLength={255}
        value={fields.values.bio}
        onChange={(event) => fields.set('bio', event.currentTarget.value)}
        error={reason('bio')}
      />
      <div className={classes.pair}>
        <TextField {...shared} name="job_title" label="Job title" />
        <TextField {...shared} name="organization" label="Organization" />
      </div>
      <div className={classes.pair}>
        <TextField {...shared} name="pronouns" label="Pronouns" />
        <TextField {...shared} name="location" label="Location" />
      </div>
      <NativeSelect
        label="Public email"
        description="One of your confirmed addresses; visible to everyone"
        data={[{ value: '', label: 'None' }, ...addresses.map((address) => ({ value: address, label: address }))]}
        value={fields.values.public_email}
        onChange={(event) => fields.set('public_email', event.currentTarget.value)}
        error={reason('public_email')}
      />
      <TextField {...shared} name="website_url" label="Website" type="url" placeholder="https://" />
      <div className={classes.pair}>
        <TextField {...shared} name="github" label="GitHub" description="Username" />
        <TextField {...shared} name="linkedin" label="LinkedIn" description="Username" />
      </div>
      <div className={classes.pair}>
        <TextField {...shared} name="twitter" label="X" description="Username" />
        <TextField {...shared} name="discord" label="Discord" description="User id" />
      </div>
      <TextField {...shared} name="skype" label="Skype" />
    </>
  );
}
