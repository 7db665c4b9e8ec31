/** Payloads of webhooks: which facts they report, and what a hook is tested with. */
export { webhookConsumer } from './consumer.ts';
export type { WebhookDependencies } from './heard.ts';
export type { PushedDiff, PushedFile } from './push.ts';
export { hookRepository } from './repository.ts';
export { webhookSamples } from './samples.ts';
