/** Payloads of webhooks: which facts they report, and what a hook is tested with. */
export { type WebhookDependencies, webhookConsumer } from './consumer.ts';
export { hookRepository } from './repository.ts';
export { webhookSamples } from './samples.ts';
