/** Making and changing webhooks; what is secret in them is sealed. */
import { type AuditOrigin, entityOfPlace, recordAudit } from '../../../kernel/audit/index.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { WebHook } from '../../../kernel/db/rows.ts';
import { HttpError, invalidRecord, notFound, recordNotFound } from '../../../kernel/http/errors.ts';
import type { Outbound } from '../../../kernel/outbound/index.ts';
import type { Secrets } from '../../../kernel/secrets/index.ts';
import type { Place } from '../../namespaces/index.ts';
import type { HookEvent } from './hooks.events.ts';
import { groupEvents, mostHooks, sharedEvents, usualEvents } from './hooks.events.ts';
import { countHooks, deleteHook, type HookColumns, insertHook, lockHook, updateHook } from './hooks.queries.ts';
import { headerValue, hookPurpose, openedPairs, wholeUrl } from './secrets.ts';

const secretPairs = 20;

interface Pair {
  readonly key: string;
  readonly value: string;
}

export interface GivenHook extends Readonly<Partial<Record<HookEvent, boolean>>> {
  readonly url?: string;
  readonly name?: string | null;
  readonly description?: string | null;
  readonly token?: string | null;
  readonly enable_ssl_verification?: boolean;
  readonly push_events_branch_filter?: string | null;
  readonly branch_filter_strategy?: 'wildcard' | 'regex' | 'all_branches';
  readonly custom_webhook_template?: string | null;
  readonly custom_headers?: readonly Pair[];
  readonly url_variables?: readonly Pair[];
}

export interface HookDependencies {
  readonly db: Db;
  readonly outbound: Outbound;
  readonly secrets: Pick<Secrets, 'seal' | 'open'>;
}

/** 422 with the words that clients know. */
const invalidUrl = () => new HttpError(422, { error: 'Invalid url given' });

const headerName = /^[A-Za-z](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
const variableName = /^[A-Za-z](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;

const sendable = new RegExp(headerValue, 'u');

function checkPairs(field: 'custom_headers' | 'url_variables', pairs: readonly Pair[], name: RegExp): void {
  if (pairs.length > secretPairs) throw invalidRecord({ [field]: [`cannot be more than ${secretPairs}`] });
  const wrong = pairs.some(
    ({ key, value }) =>
      !name.test(key) ||
      key.length > 255 ||
      value === '' ||
      (field === 'custom_headers' ? !sendable.test(value) : /[\r\n\0]/.test(value)),
  );
  if (wrong) throw invalidRecord({ [field]: ['must be a valid json schema'] });
}

const originOf = (address: string): string => URL.parse(address)?.origin ?? '';

type Part = 'custom_headers' | 'url_variables';

export function hookService({ db, outbound, secrets }: HookDependencies) {
  const sealed = (pairs: ReadonlyMap<string, string>) =>
    pairs.size === 0 ? null : secrets.seal(JSON.stringify([...pairs]), hookPurpose);
  const opened = (bytes: Buffer | null) => openedPairs(secrets, bytes);
  const mapOf = (pairs: readonly Pair[]) => new Map(pairs.map(({ key, value }) => [key, value]));

  const headers = (pairs: ReadonlyMap<string, string>): HookColumns => ({
    custom_headers_sealed: sealed(pairs),
    custom_header_keys: [...pairs.keys()],
  });
  const variables = (pairs: ReadonlyMap<string, string>): HookColumns => ({
    url_variables_sealed: sealed(pairs),
    url_variable_keys: [...pairs.keys()],
  });

  async function checkUrl(url: string, values: ReadonlyMap<string, string>): Promise<void> {
    const address = wholeUrl(url, values);
    if (/[{}]/.test(address) || (await outbound.refusal(address, 'web_hook'))) throw invalidUrl();
  }

  /**
   * Whether another address is a receiver of its own. Secrets belong to the one that they were given for: whoever may
   * change the address must not have them sent to themselves.
   */
  const leaves = (hook: WebHook, url: string, values: ReadonlyMap<string, string>): boolean =>
    originOf(wholeUrl(hook.url, opened(hook.url_variables_sealed))) !== originOf(wholeUrl(url, values));

  function eventsOf(place: Place, given: GivenHook, before: readonly string[]): string[] {
    const all: readonly HookEvent[] = place.kind === 'group' ? [...sharedEvents, ...groupEvents] : sharedEvents;
    return all.filter((event) => given[event] ?? before.includes(event));
  }

  function columnsOf(place: Place, given: GivenHook, before: WebHook | null): HookColumns {
    const { token, custom_headers, url_variables } = given;
    const columns: HookColumns = { events: eventsOf(place, given, before?.events ?? usualEvents) };
    for (const key of [
      'url',
      'name',
      'description',
      'enable_ssl_verification',
      'push_events_branch_filter',
      'branch_filter_strategy',
      'custom_webhook_template',
    ] as const)
      if (given[key] !== undefined) Object.assign(columns, { [key]: given[key] });
    if (token !== undefined) columns.token_sealed = token ? secrets.seal(token, hookPurpose) : null;
    if (custom_headers) {
      checkPairs('custom_headers', custom_headers, headerName);
      Object.assign(columns, headers(mapOf(custom_headers)));
    }
    if (url_variables) {
      checkPairs('url_variables', url_variables, variableName);
      Object.assign(columns, variables(mapOf(url_variables)));
    }
    return columns;
  }

  const audited = (tx: Db, place: Place, origin: AuditOrigin, hook: WebHook, event: string) =>
    recordAudit(tx, {
      ...origin,
      entity: entityOfPlace(place),
      event: `webhook_${event}`,
      // The address may hold a secret of its own: its host says where.
      details: { host: URL.parse(hook.url.replaceAll(/\{[^{}]*\}/g, 'x'))?.host ?? '', events: hook.events },
      target: { type: place.kind === 'group' ? 'GroupHook' : 'ProjectHook', id: hook.id, details: `Hook ${hook.id}` },
    });

  async function locked(tx: Db, place: Place, id: number): Promise<WebHook> {
    const hook = await lockHook(tx, place, id);
    if (!hook) throw recordNotFound();
    return hook;
  }

  /** Sets or, with null, takes away one of the secret parts. */
  async function setPart(place: Place, id: number, part: Part, key: string, value: string | null, origin: AuditOrigin) {
    if (value !== null) checkPairs(part, [{ key, value }], part === 'custom_headers' ? headerName : variableName);
    await transaction(db, async (tx) => {
      const hook = await locked(tx, place, id);
      const pairs = opened(part === 'custom_headers' ? hook.custom_headers_sealed : hook.url_variables_sealed);
      if (value === null ? !pairs.delete(key) : false) throw notFound();
      if (value !== null) pairs.set(key, value);
      if (pairs.size > secretPairs) throw invalidRecord({ [part]: [`cannot be more than ${secretPairs}`] });
      if (part === 'url_variables') await checkUrl(hook.url, pairs);
      const dropped =
        part === 'url_variables' && leaves(hook, hook.url, pairs) ? { token_sealed: null, ...headers(new Map()) } : {};
      const columns = part === 'custom_headers' ? headers(pairs) : { ...dropped, ...variables(pairs) };
      const changed = await updateHook(tx, hook.id, columns);
      if (changed) await audited(tx, place, origin, changed, 'updated');
    });
  }

  return {
    async create(place: Place, given: GivenHook & { readonly url: string }, origin: AuditOrigin): Promise<WebHook> {
      await checkUrl(given.url, mapOf(given.url_variables ?? []));
      const columns = { ...columnsOf(place, given, null), url: given.url };
      return await transaction(db, async (tx) => {
        const most = mostHooks[place.kind];
        if ((await countHooks(tx, place)) >= most)
          throw invalidRecord({ base: [`Maximum number of ${place.kind} hooks (${most}) exceeded`] });
        const hook = await insertHook(tx, place, columns);
        await audited(tx, place, origin, hook, 'created');
        return hook;
      });
    },

    update: (place: Place, id: number, given: GivenHook, origin: AuditOrigin): Promise<WebHook> =>
      transaction(db, async (tx) => {
        const hook = await locked(tx, place, id);
        const moved = given.url !== undefined && given.url !== hook.url;
        const values =
          moved || given.url_variables ? mapOf(given.url_variables ?? []) : opened(hook.url_variables_sealed);
        const url = given.url ?? hook.url;
        await checkUrl(url, values);
        const left = moved || leaves(hook, url, values);
        const wanted = {
          ...given,
          ...(moved && given.url_variables === undefined ? { url_variables: [] } : {}),
          ...(left && given.token === undefined ? { token: null } : {}),
          ...(left && given.custom_headers === undefined ? { custom_headers: [] } : {}),
        };
        const changed = await updateHook(tx, hook.id, columnsOf(place, wanted, hook));
        if (!changed) throw recordNotFound();
        await audited(tx, place, origin, changed, 'updated');
        return changed;
      }),

    remove: (place: Place, hook: WebHook, origin: AuditOrigin): Promise<void> =>
      transaction(db, async (tx) => {
        if (!(await deleteHook(tx, hook.id))) throw recordNotFound();
        await audited(tx, place, origin, hook, 'destroyed');
      }),

    setPart,
  };
}
