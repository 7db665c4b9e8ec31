/** Addresses of what people name in their profiles. Only http and https; anything else is shown as text. */
type LinkName = 'website_url' | 'github' | 'linkedin' | 'twitter' | 'discord' | 'skype';

const under: Readonly<Partial<Record<LinkName, string>>> = {
  github: 'https://github.com/',
  linkedin: 'https://www.linkedin.com/in/',
  twitter: 'https://x.com/',
  discord: 'https://discord.com/users/',
};

export function linkOf(name: LinkName, value: string): string | null {
  const base = under[name];
  if (base && !/^https?:\/\//i.test(value)) return `${base}${encodeURIComponent(value.replace(/^@/, ''))}`;
  if (!URL.canParse(value)) return null;
  const url = new URL(value);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : null;
}
