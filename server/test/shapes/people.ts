/** Callers of every kind, for random requests. */
import { Level } from '../../src/kernel/authz/levels.ts';
import type { User } from '../../src/kernel/db/rows.ts';
import type { World } from '../ci.ts';
import { buildAdmin, buildMember, buildToken, buildUser } from '../factories.ts';

/** Of those who sign in. */
export const password = 'nanosecond-wire-1952';

/** Somebody who asks. Their token is made anew when one of the requests has revoked it. */
export interface Asker {
  readonly name: string;
  readonly weight: number;
  headers: Readonly<Record<string, string>>;
  renew?(): Promise<void>;
}

/** Callers with every role in a group, and those that have none. */
export async function people(world: World, group: Parameters<typeof buildMember>[1]['of']): Promise<Asker[]> {
  const { app } = world;
  const asker = async (name: string, weight: number, user: User): Promise<Asker> => {
    const token = async () => ({ 'private-token': (await buildToken(app, { user })).secret });
    const made: Asker = {
      name,
      weight,
      headers: await token(),
      renew: async () => {
        made.headers = await token();
      },
    };
    return made;
  };
  /** Somebody at a page: what tokens may not see. */
  const visitor = async (): Promise<Asker> => {
    const enter = async (user: User) => {
      const json = { login: user.username, password };
      const got = await app.request<{ csrf_token: string | null }>('POST', '/-/session', { json });
      const cookie = got.headers.get('set-cookie')?.split(';', 1)[0];
      return cookie ? { cookie, 'x-csrf-token': got.body.csrf_token ?? '' } : null;
    };
    const arrive = async () => {
      const user = await buildUser(app, { password });
      await buildMember(app, { user, of: group, level: Level.maintainer });
      return user;
    };
    let user = await arrive();
    const signIn = async () => {
      const again = await enter(user);
      if (again) return again;
      // Requests may have closed the door for everybody, or for this one.
      await app.settings.write({
        password_authentication_enabled_for_web: true,
        require_two_factor_authentication: false,
        enforce_terms: false,
      });
      user = await arrive();
      return (await enter(user)) ?? {};
    };
    const made: Asker = {
      name: 'session',
      weight: 8,
      headers: await signIn(),
      renew: async () => {
        made.headers = await signIn();
      },
    };
    return made;
  };
  const member = async (level: Level) => (await buildMember(app, { of: group, level })).user;
  const expired = await buildToken(app, { expiresAt: '2020-01-01' });
  const reader = await buildToken(app, { user: world.owner.user, scopes: ['read_api'] });
  return [
    await asker('administrator', 35, await buildAdmin(app)),
    await asker('owner', 30, world.owner.user),
    await asker('maintainer', 6, await member(Level.maintainer)),
    await asker('developer', 10, await member(Level.developer)),
    await visitor(),
    await asker('guest', 4, await member(Level.guest)),
    await asker('stranger', 4, await buildUser(app)),
    { name: 'anonymous', weight: 4, headers: {} },
    { name: 'expired token', weight: 1, headers: { 'private-token': expired.secret } },
    { name: 'token that reads', weight: 2, headers: { authorization: `Bearer ${reader.secret}` } },
  ];
}
