/** One thread that renders, started when it is needed. A document that takes too long ends it; the next one has a new one. */
import path from 'node:path';
import { createThread } from '../process/thread.ts';
import type { Logger } from '../telemetry/index.ts';
import type { Piece } from './html/sanitise.ts';
import type { RenderRequest } from './render.ts';

/** Processor time of one document, in milliseconds. */
const budgetMilliseconds = 1000;
/** Documents that wait for the thread. */
const maximumWaiting = 500;

export interface RenderPool {
  /** The pieces; null where rendering takes more than its budget. */
  render(request: RenderRequest): Promise<readonly Piece[] | null>;
  close(): Promise<void>;
}

export function createRenderPool(log: Pick<Logger, 'error'>, budget = budgetMilliseconds): RenderPool {
  const thread = createThread<RenderRequest, readonly Piece[]>({
    ...{ log, budget, maximumWaiting },
    source: path.join(import.meta.dirname, 'worker.ts'),
    built: 'markdown-main.mjs',
    busy: 'too many documents are being rendered',
    failed: 'Markdown cannot be rendered',
  });
  return { render: thread.ask, close: thread.close };
}
