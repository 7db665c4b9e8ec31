/** Pictures of the appearance: what is taken as one. */
import type { PictureName } from '../../../kernel/appearance/index.ts';
import { displayableImageType, imageType, type PictureRules } from '../../../kernel/images/index.ts';

const limits = { maximumBytes: 1024 * 1024, maximum: '1 MiB' } as const;

/** Browsers take others as well, but not all of them. */
const favicon: Omit<PictureRules, 'field'> = {
  ...limits,
  typeOf: (bytes) => {
    const type = imageType(bytes);
    return type === 'image/png' || type === 'image/vnd.microsoft.icon' ? type : null;
  },
  formats: 'image/png, image/vnd.microsoft.icon',
};
const logo: Omit<PictureRules, 'field'> = {
  ...limits,
  typeOf: displayableImageType,
  formats:
    'image/png, image/jpeg, image/gif, image/webp, image/bmp, image/vnd.microsoft.icon, image/avif, image/svg+xml',
};

export const rulesOf = (name: PictureName): PictureRules => ({ ...(name === 'favicon' ? favicon : logo), field: name });
