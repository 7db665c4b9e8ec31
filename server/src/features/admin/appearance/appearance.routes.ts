/** Routes of the appearance of the instance: administrators read and change it. */
import Type from 'typebox';
import {
  type Appearance as AppearanceStore,
  type PictureName,
  pictureNames,
} from '../../../kernel/appearance/index.ts';
import { auditedValue, instanceEntity, originOf, recordAudit } from '../../../kernel/audit/index.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { invalidRecord } from '../../../kernel/http/errors.ts';
import type { UploadedFile } from '../../../kernel/http/params/nested.ts';
import { Bool, FileParam, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { pictureKey, storePicture } from '../../../kernel/images/index.ts';
import type { ObjectStore } from '../../../kernel/objects/index.ts';
import { Appearance, appearanceJson } from './appearance.entity.ts';
import { type AppearanceChanges, saveAppearance } from './appearance.queries.ts';
import { rulesOf } from './pictures.ts';

export interface AppearanceDependencies {
  readonly db: Db;
  readonly objects: ObjectStore;
  readonly appearance: AppearanceStore;
}

const shared = {
  path: '/application/appearance',
  tag: 'Appearance',
  credentials: ['token', 'session'],
  access: { on: 'instance', ability: 'admin' },
  responses: { 200: Appearance },
} as const;

const longestText = 65_535;
/** Characters of attributes that are bounded by a rule of their own. */
const longest: Readonly<Record<string, number>> = {
  ...{ title: 255, pwa_name: 255, pwa_short_name: 255, header_message: 2000, footer_message: 2000 },
  ...{ pwa_description: 2048, profile_image_guidelines: 4096 },
};
const colors = ['message_background_color', 'message_font_color'] as const;

const text = (description: string) => Optional(OrNull(Str({ description })));
const picture = (description: string) =>
  Optional(OrNull(FileParam({ description: `${description}; empty removes it` })));

const attributes = {
  title: text('Name of the instance where people sign in'),
  description: text('Markdown shown where people sign in'),
  pwa_name: text('Name of the installed web app'),
  pwa_short_name: text('Name of the installed web app where there is little room'),
  short_title: text('Former name of `pwa_short_name`'),
  pwa_description: text('What the installed web app is'),
  logo: picture('Image of at most 1 MiB where people sign in'),
  pwa_icon: picture('Image of at most 1 MiB for the installed web app'),
  header_logo: picture('Image of at most 1 MiB in the navigation bar'),
  favicon: picture('PNG or ICO of at most 1 MiB in the tab of the browser'),
  member_guidelines: text('Markdown shown to those who manage the members of a group or project'),
  new_project_guidelines: text('Markdown shown where projects are created'),
  profile_image_guidelines: text('Markdown shown where people choose their avatar'),
  header_message: text('Line of Markdown above every page'),
  footer_message: text('Line of Markdown below every page'),
  message_background_color: text('Background of both lines: `#E75E40`'),
  message_font_color: text('Color of their text: `#FFFFFF`'),
  email_header_and_footer_enabled: Optional(Bool({ description: 'Also have both lines in mails' })),
};

type Given = Readonly<Record<string, string | boolean | UploadedFile | null | undefined>>;

/** The texts and the switch as they are kept. Throws the reasons of all that are refused. */
function checkedTexts(given: Given): AppearanceChanges {
  const reasons: Record<string, string[]> = {};
  const changes: Record<string, string | boolean> = {};
  for (const [parameter, value] of Object.entries(given)) {
    const name = parameter === 'short_title' ? 'pwa_short_name' : parameter;
    if (value === undefined || pictureNames.some((each) => each === name)) continue;
    if (typeof value === 'boolean') changes[name] = value;
    else if (value === null || typeof value === 'string') {
      const maximum = longest[name] ?? longestText;
      if ((value?.length ?? 0) > maximum) reasons[name] = [`is too long (maximum is ${maximum} characters)`];
      else if (value && colors.some((each) => each === name) && !/^#(?:[0-9A-Fa-f]{3}){1,2}$/.test(value))
        reasons[name] = ['must be a valid color code'];
      changes[name] = value ?? '';
    }
  }
  if (Object.keys(reasons).length > 0) throw invalidRecord(reasons);
  return changes;
}

export function appearanceRoutes({ db, objects, appearance }: AppearanceDependencies): Route[] {
  /** Keeps what was uploaded; null for what is removed. */
  async function storePictures(given: Given, stored: Map<PictureName, string | null>): Promise<void> {
    for (const name of pictureNames) {
      const file = given[name];
      if (file === null) stored.set(name, null);
      else if (typeof file === 'object') stored.set(name, await storePicture(objects, file, rulesOf(name)));
    }
  }

  return [
    route({
      ...shared,
      method: 'GET',
      summary: 'Get the appearance of the instance',
      params: Type.Object({}),
      handler: async () => appearanceJson(await appearance.read()),
    }),
    route({
      ...shared,
      method: 'PUT',
      summary: 'Update the appearance of the instance',
      params: Type.Object(attributes),
      maxFileBytes: 10 * 1024 * 1024,
      handler: async (context) => {
        const { params } = context;
        const texts = checkedTexts(params);
        const stored = new Map<PictureName, string | null>();
        try {
          await storePictures(params, stored);
          const changes = { ...texts, ...Object.fromEntries(stored) };
          if (Object.keys(changes).length === 0) return appearanceJson(await appearance.read());
          const row = await transaction(db, async (tx) => {
            const saved = await saveAppearance(tx, changes);
            const details = Object.fromEntries(
              Object.entries(changes).map(([name, value]) => [name, auditedValue(value ?? null)]),
            );
            await recordAudit(tx, {
              ...originOf(context),
              entity: instanceEntity,
              event: 'appearance_updated',
              details,
            });
            return saved;
          });
          return appearanceJson(row);
        } catch (error) {
          for (const kept of stored.values()) if (kept !== null) await objects.remove(pictureKey(kept));
          throw error;
        } finally {
          appearance.forget();
        }
      },
    }),
  ];
}
