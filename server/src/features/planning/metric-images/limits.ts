/** What metric images may be. */

export const largestImage = 1024 * 1024;
/** Of one incident: all of them are shown at once. */
export const mostImages = 100;
export const longest = { url: 255, url_text: 128 };

export const isAddress = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && ['http:', 'https:'].includes(url.protocol);
};
