/** Which integrations the instance allows: others are not set up, and act nowhere while they are left out. */
import type { Settings } from '../../../kernel/settings/index.ts';

/** The setting has names as code has them, addresses have them with hyphens. */
const plain = (name: string) => name.replaceAll('-', '_').toLowerCase();

export async function integrationsAllowed(settings: Pick<Settings, 'read'>): Promise<(slug: string) => boolean> {
  const { allow_all_integrations: all, allowed_integrations: names } = await settings.read();
  const allowed = new Set(names.map(plain));
  return (slug) => all || allowed.has(plain(slug));
}
