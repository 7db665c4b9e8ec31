/** The appearance of the instance as the API shows it. */
import type { Static } from 'typebox';
import { type AppearanceValues, picturePath } from '../../../kernel/appearance/index.ts';
import { Entity, Flag, Nullable, Text } from '../../../kernel/http/entity.ts';

const picture = (description: string) => Nullable(Text({ description: `Path of ${description}` }));
const markdown = (description: string) => Text({ description: `Markdown shown ${description}` });

export const Appearance = Entity('Appearance', {
  title: Text({ description: 'Name of the instance where people sign in' }),
  description: markdown('where people sign in'),
  pwa_name: Text({ description: 'Name of the installed web app' }),
  pwa_short_name: Text({ description: 'Name of the installed web app where there is little room' }),
  pwa_description: Text({ description: 'What the installed web app is' }),
  logo: picture('the logo where people sign in'),
  pwa_icon: picture('the icon of the installed web app'),
  header_logo: picture('the logo in the navigation bar'),
  favicon: picture('the icon in the tab of the browser'),
  member_guidelines: markdown('to those who manage the members of a group or project'),
  new_project_guidelines: markdown('where projects are created'),
  profile_image_guidelines: markdown('where people choose their avatar'),
  header_message: Text({ description: 'Line of Markdown above every page' }),
  footer_message: Text({ description: 'Line of Markdown below every page' }),
  message_background_color: Text({ description: 'Background of both lines: `#E75E40`' }),
  message_font_color: Text({ description: 'Color of their text: `#FFFFFF`' }),
  email_header_and_footer_enabled: Flag({ description: 'Whether both lines are in mails as well' }),
});

export const appearanceJson = (values: AppearanceValues): Static<typeof Appearance> => ({
  title: values.title,
  description: values.description,
  pwa_name: values.pwa_name,
  pwa_short_name: values.pwa_short_name,
  pwa_description: values.pwa_description,
  logo: picturePath('logo', values.logo),
  pwa_icon: picturePath('pwa_icon', values.pwa_icon),
  header_logo: picturePath('header_logo', values.header_logo),
  favicon: picturePath('favicon', values.favicon),
  member_guidelines: values.member_guidelines,
  new_project_guidelines: values.new_project_guidelines,
  profile_image_guidelines: values.profile_image_guidelines,
  header_message: values.header_message,
  footer_message: values.footer_message,
  message_background_color: values.message_background_color,
  message_font_color: values.message_font_color,
  email_header_and_footer_enabled: values.email_header_and_footer_enabled,
});
