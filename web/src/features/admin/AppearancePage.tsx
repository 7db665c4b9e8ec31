/** The appearance of the instance: logos, names, the lines above and below every page, and guidelines. */
import { Button, Checkbox, Group, Stack, Text, Textarea } from '@mantine/core';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { client, unwrap } from '../../lib/api.ts';
import { type Appearance, appearance } from '../../lib/appearance.ts';
import { configuration } from '../../lib/instance.ts';
import { registrationQuery } from '../../lib/registration.ts';
import { sessionQuery } from '../../lib/session.ts';
import { ColorInput } from '../../ui/Choices.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { PictureField, type PictureKind } from '../../ui/PictureField.tsx';
import { TextField, useFields } from '../../ui/TextField.tsx';
import { AdminFrame } from './AdminFrame.tsx';
import classes from './admin.module.css';

const images = 'image/png,image/jpeg,image/gif,image/webp,image/avif,image/svg+xml';
const formats = 'PNG, JPEG, GIF, WebP, AVIF or SVG, up to 1 MiB';
type Picture = PictureKind & { readonly field: 'logo' | 'header_logo' | 'favicon' | 'pwa_icon' };
const picture = (field: Picture['field'], label: string, noun: string, about: string): Picture => ({
  ...{ field, label, noun, accept: images, hint: `${about}. ${formats}`, whole: true },
});
const headerLogo = picture('header_logo', 'Logo in the navigation bar', 'logo', 'Shown 24 pixels high');
const logo = picture('logo', 'Logo on the sign-in page', 'logo', 'Shown at most 128 pixels high');
const icon = picture('pwa_icon', 'Icon of the web app', 'icon', 'At least 512 x 512 pixels');
const favicon: Picture = {
  ...picture('favicon', 'Favicon', 'favicon', ''),
  accept: 'image/png,image/x-icon,image/vnd.microsoft.icon',
  hint: '32 x 32 pixels. PNG or ICO, up to 1 MiB',
};

/** What is read with the appearance by other pages. */
function useSaved() {
  const cache = useQueryClient();
  return async (saved: Appearance) => {
    cache.setQueryData(appearance().queryKey, saved);
    for (const { queryKey } of [sessionQuery, registrationQuery, configuration()])
      await cache.invalidateQueries({ queryKey });
  };
}

function Image({ of, values }: { of: Picture; values: Appearance }) {
  const saved = useSaved();
  return (
    <div>
      <Text size="sm" fw={500} mb={4}>
        {of.label}
      </Text>
      <PictureField
        kind={of}
        src={values[of.field]}
        name={of.label}
        alt={of.label}
        save={async (form) =>
          saved(await unwrap(client.PUT('/application/appearance', { body: {}, bodySerializer: () => form })))
        }
      />
    </div>
  );
}

export default function AppearancePage() {
  const { data: values } = useSuspenseQuery(appearance());
  const { logo: _logo, header_logo: _header, favicon: _favicon, pwa_icon: _icon, ...texts } = values;
  const fields = useFields(texts);
  const saved = useSaved();
  const sending = useForm(async () =>
    saved(await unwrap(client.PUT('/application/appearance', { body: fields.values }))),
  );
  const { reason } = sending;
  const shared = { of: fields, reason, autoComplete: 'off' };
  const longer = (
    name: 'description' | 'new_project_guidelines' | 'member_guidelines' | 'profile_image_guidelines',
    label: string,
    description: string,
  ) => (
    <Textarea
      {...{ name, label, description }}
      autosize
      minRows={2}
      value={fields.values[name]}
      error={reason(name)}
      onChange={({ currentTarget }) => fields.set(name, currentTarget.value)}
    />
  );
  const color = (name: 'message_background_color' | 'message_font_color', label: string, description: string) => (
    <ColorInput
      {...{ label, description }}
      format="hex"
      withEyeDropper={false}
      value={fields.values[name]}
      onChange={(value) => fields.set(name, value)}
      error={reason(name)}
    />
  );
  return (
    <AdminFrame title="Appearance">
      <h3>Images</h3>
      {[headerLogo, favicon, logo, icon].map((each) => (
        <Image key={each.field} of={each} values={values} />
      ))}
      <form {...sending.form}>
        <FormError error={sending.error} />
        <Stack gap="md">
          <h3 className={classes.section}>Header and footer message</h3>
          <TextField
            {...shared}
            name="header_message"
            label="Header message"
            description="One line above every page. Bold, italics and links in Markdown"
          />
          <TextField
            {...shared}
            name="footer_message"
            label="Footer message"
            description="One line below every page. Bold, italics and links in Markdown"
          />
          <Group grow align="start">
            {color('message_background_color', 'Background color', 'Of both messages')}
            {color(
              'message_font_color',
              'Text color',
              'Black or white instead where it is hard to read on the background',
            )}
          </Group>
          <Checkbox
            label="Include the header and footer message in emails"
            checked={fields.values.email_header_and_footer_enabled}
            onChange={({ currentTarget }) => fields.set('email_header_and_footer_enabled', currentTarget.checked)}
          />
          <h3 className={classes.section}>Sign-in and sign-up pages</h3>
          <TextField {...shared} name="title" label="Title" description="Name of the instance" />
          {longer('description', 'Description', 'Markdown')}
          <h3 className={classes.section}>Web app</h3>
          <TextField {...shared} name="pwa_name" label="Name" description="Name of the installed app" />
          <TextField {...shared} name="pwa_short_name" label="Short name" description="Used where space is limited" />
          <TextField {...shared} name="pwa_description" label="App description" />
          <h3 className={classes.section}>Guidelines</h3>
          {longer('new_project_guidelines', 'New project', 'Markdown shown on the page for new projects')}
          {longer('member_guidelines', 'Members', 'Markdown shown to those who manage members of a group or project')}
          {longer('profile_image_guidelines', 'Profile picture', 'Markdown shown below the avatar in the profile')}
          <Group className={classes.save}>
            <Button type="submit" loading={sending.pending}>
              Save appearance
            </Button>
            {sending.done ? <span role="status">Saved</span> : null}
          </Group>
        </Stack>
      </form>
    </AdminFrame>
  );
}
