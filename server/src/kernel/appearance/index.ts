/** How administrators let the instance look: kept in every process and dropped on change, as the settings are. */
import { anonymous } from '../authz/subjects.ts';
import type { Db } from '../db/index.ts';
import type { Appearance as Row } from '../db/rows.ts';
import { pictureFile } from '../images/index.ts';
import type { Markdown } from '../markdown/index.ts';
import { type ChangeFeed, kept } from '../settings/index.ts';
import { appearanceChannel, findAppearance } from './appearance.queries.ts';
import { readableOn } from './contrast.ts';

export { appearanceChannel } from './appearance.queries.ts';

export const pictureNames = ['logo', 'pwa_icon', 'header_logo', 'favicon'] as const;
export type PictureName = (typeof pictureNames)[number];
export type AppearanceValues = Omit<Row, 'id' | 'created_at' | 'updated_at'>;

/** What holds until somebody changes something. */
const defaults: AppearanceValues = {
  ...{ title: '', description: '', pwa_name: '', pwa_short_name: '', pwa_description: '' },
  ...{ logo: null, pwa_icon: null, header_logo: null, favicon: null },
  ...{ member_guidelines: '', new_project_guidelines: '', profile_image_guidelines: '' },
  ...{ header_message: '', footer_message: '', message_background_color: '#E75E40', message_font_color: '#FFFFFF' },
  email_header_and_footer_enabled: false,
};

/** A line above or below every page or mail. */
export interface SystemMessage {
  readonly text: string;
  readonly html: string;
}

/** What frames pages and mails. */
export interface SystemMessages {
  readonly header: SystemMessage | null;
  readonly footer: SystemMessage | null;
  /** Of both: as style sheets name colors. */
  readonly background: string;
  readonly color: string;
}

export interface Appearance {
  /** As it is now; at most a minute old if a change was missed. */
  read(): Promise<AppearanceValues>;
  /** What was read last, as every page does. */
  last(): AppearanceValues;
  /** The header and the footer of pages, or of mails, where links need the whole address. */
  messages(of: 'pages' | 'mails'): Promise<SystemMessages>;
  /** A text of the appearance for pages; empty where there is none. */
  html(text: string): Promise<string>;
  /** For the process that changed it. */
  forget(): void;
}

/** The path of a picture, null where there is none. */
export const picturePath = (name: PictureName, stored: string | null): string | null =>
  stored === null ? null : `/uploads/-/system/appearance/${name}/1/${pictureFile(stored)}`;

/** One per process, made by app.ts. */
export function createAppearance(deps: {
  readonly db: Db;
  readonly changes: ChangeFeed;
  readonly markdown: Pick<Markdown, 'html'>;
}): Appearance {
  const cache = kept<AppearanceValues>(
    deps.changes,
    appearanceChannel,
    async () => (await findAppearance(deps.db)) ?? defaults,
  );
  const render = (text: string, absolute: boolean) =>
    deps.markdown.html(text, { caller: anonymous, base: null, absolute });
  async function message(text: string, absolute: boolean): Promise<SystemMessage | null> {
    // One line, in which nothing begins a list or a quotation.
    const line = text.replace(/\s+/g, ' ').trim();
    return line === '' ? null : { text: line, html: await render(line, absolute) };
  }
  return {
    read: cache.read,
    last: () => cache.last() ?? defaults,
    messages: async (of) => {
      const values = await cache.read();
      const absolute = of === 'mails';
      const wanted = of === 'pages' || values.email_header_and_footer_enabled;
      return {
        header: wanted ? await message(values.header_message, absolute) : null,
        footer: wanted ? await message(values.footer_message, absolute) : null,
        background: values.message_background_color,
        color: readableOn(values.message_background_color, values.message_font_color),
      };
    },
    html: async (text) => (text === '' ? '' : await render(text, false)),
    forget: cache.forget,
  };
}
