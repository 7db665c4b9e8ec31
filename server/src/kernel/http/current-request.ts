/**
 * The request that work belongs to, for what lies deep below a handler: budgets of git by kind of caller, and ending its
 * processes when the client leaves, the address in audit events. Carried beside the calls, because every reader of a repository would have to pass it on.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface CurrentRequest {
  readonly anonymous: boolean;
  /** Aborted when the client has gone. Null for writes: half of one would have to be repaired. */
  readonly signal: AbortSignal | null;
  /** Of a request to the API: for the record of what it changed. */
  readonly clientAddress?: string;
}

const requests = new AsyncLocalStorage<CurrentRequest>();

/** Does a request's work. */
export const asRequest = <T>(request: CurrentRequest, work: () => T): T => requests.run(request, work);

/** Undefined for tasks and whatever else no client waits for. */
export const currentRequest = (): CurrentRequest | undefined => requests.getStore();
